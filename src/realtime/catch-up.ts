import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { Feed, Frame, Told } from './feed.ts';
import { endsSessionOf, type Outlet } from './hand-out.ts';
import type { Member, Members } from './members.ts';

/** More live frames than this while the missed ones are read, and the client is disconnected: it comes back and misses less. */
const MOST_HELD = 5000;
/** Sockets whose missed frames are read together: many come back at the same moment when another node has gone. */
const CATCH_UPS_AT_ONCE = 100;
const MOST_READS_BEHIND = 10;

/** How many frames were sent again, up to which seq; undefined: they could not be, the client has to read the state again. */
type Caught = { frames: number | undefined; seq: number };

/** `resync` runs before the current state where the missed frames cannot be sent, `caughtUp` after all that was sent. */
export type CatchUp = {
  /** Undefined: missed frames are not asked for. */
  lastSeq: number | undefined;
  /** They enter these rooms, and are told how those are; nothing else has been missed. */
  rooms?: readonly string[];
  resync: () => void;
  caughtUp: (caught: Caught) => void;
};

type Returning = CatchUp & {
  member: Member;
  /** How many reads were waited for. */
  reads: number;
  done: (handedOver?: Promise<void>) => void;
};

type CatchUpDeps = {
  feed: Feed;
  members: Members;
  outlet: Outlet;
  log: Log;
  /** Hears what was sent again to whom; undefined: it was too much to be sent. */
  onTold: (member: Member, past: readonly Frame[] | undefined) => void;
  /** Runs `work` between two reads of the feed. */
  between: <T>(work: (at: number) => T) => Promise<T>;
};

/** Sends sockets what they have missed, many together, and lets each go on live with nothing in between. */
export function createCatchUp(deps: CatchUpDeps) {
  const returning: Returning[] = [];
  let isCatchingUp = false;
  const catchUpAll = async () => {
    if (isCatchingUp) return;
    isCatchingUp = true;
    while (returning.length > 0) {
      const { seq, ready, asked } = await deps.between((at) => nextToCatchUp(deps, returning, at));
      const all = await asked;
      for (const [i, one] of ready.entries()) {
        one.done(handOver(deps, one, { told: all[i], seq }));
        // Others have something to say as well.
        await nextTurn();
      }
    }
    isCatchingUp = false;
  };
  const begin = (member: Member, how: CatchUp): Promise<void> => {
    // From here on all that they hear comes in its order: nothing live before what was missed.
    if (!how.rooms) setBehind(deps, member);
    return new Promise((done) => {
      returning.push({ ...how, member, reads: 0, done });
      void catchUpAll();
    });
  };
  const last = new WeakMap<Member, Promise<void>>();
  return (member: Member, how: CatchUp): Promise<void> => {
    const before = last.get(member);
    // Each member one thing at a time.
    const mine = before === undefined ? begin(member, how) : before.then(() => begin(member, how));
    last.set(member, mine);
    return mine;
  };
}

function setBehind({ outlet }: CatchUpDeps, member: Member): void {
  member.isBehind = true;
  outlet.leave(member);
}

/** Those who came back first, and what they have missed: asked for before the next read begins, so that it ends where that one starts. */
function nextToCatchUp(deps: CatchUpDeps, returning: Returning[], seq: number) {
  const { members } = deps;
  const batch = returning.splice(0, CATCH_UPS_AT_ONCE);
  // Many come back at the same moment, and some do not wait.
  for (const { member, done } of batch) if (!members.all.has(member)) done();
  const here = batch.filter(({ member }) => members.all.has(member));
  // Another node may have been ahead of this one by a read.
  const isEarly = ({ lastSeq = 0, reads }: Returning) => seq < lastSeq && reads < MOST_READS_BEHIND;
  returning.push(...here.filter(isEarly).map((one) => ({ ...one, reads: one.reads + 1 })));
  const ready = here.filter((one) => !isEarly(one));
  for (const { member, rooms = [] } of ready) {
    setBehind(deps, member);
    for (const room of rooms) members.enter(member, room);
    members.hold(member);
  }
  return { seq, ready, asked: ready.length > 0 ? readMissed(deps, ready) : [] };
}

function readMissed({ feed, log }: CatchUpDeps, ready: readonly Returning[]): Promise<(Told | undefined)[]> {
  const sockets = ready.map(({ member: { userId, rooms }, lastSeq, rooms: entered }) =>
    entered ? { userId: 0, rooms: entered, lastSeq: undefined } : { userId, rooms: [...rooms], lastSeq },
  );
  return feed.missed(sockets).catch((error) => {
    log.warn({ error: String(error) }, 'what sockets have missed cannot be read');
    return sockets.map(() => undefined);
  });
}

async function handOver(
  { members, outlet, onTold }: CatchUpDeps,
  { member, lastSeq, rooms, resync, caughtUp }: Returning,
  { told, seq }: { told: Told | undefined; seq: number },
): Promise<void> {
  const held = members.release(member);
  // What it cannot be sent now, it asks for when it comes back.
  if (!told || held.length > MOST_HELD) return outlet.drop(member);
  const { past, states } = told;
  if (lastSeq !== undefined) onTold(member, past);
  // The session that it lives by goes on, or it would not be here.
  const frames = past?.filter((frame) => !endsSessionOf(member, frame));
  if (!frames && !rooms) resync();
  for (const frame of [...(frames ?? []), ...states]) outlet.toMember(member, frame);
  caughtUp({ frames: frames && frames.length + states.length, seq });
  for (const frame of held) outlet.toMember(member, frame);
  outlet.join(member);
  member.isBehind = false;
}
