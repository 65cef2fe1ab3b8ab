import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/observability/log.ts';
import type { Feed, Frame, Told } from './feed.ts';
import { endsSessionOf, type Outlet } from './hand-out.ts';
import type { Member, Members } from './members.ts';

/**
 * If more live frames than this arrive while missed ones are being read, the client is disconnected. When the client reconnects, it has
 * fewer frames to catch up on.
 */
const MOST_HELD = 5000;
/** Maximum number of sockets whose missed frames are read together. Many sockets reconnect at the same time when another node stops. */
const CATCH_UPS_AT_ONCE = 100;
const MOST_READS_BEHIND = 10;

/**
 * The result of a catch-up: the number of frames that were resent, and the position in the feed (seq) that they reach. `frames` is
 * undefined if they could not be resent, so that the client has to read the state again.
 */
type Caught = { frames: number | undefined; seq: number };

/** `resync` runs before the current state is sent, if the missed frames cannot be sent. `caughtUp` runs after everything has been sent. */
export type CatchUp = {
  /** Undefined if the client does not want missed frames. */
  lastSeq: number | undefined;
  /** The member enters these rooms and receives their current state, but no missed frames. */
  rooms?: readonly string[];
  resync: () => void;
  caughtUp: (caught: Caught) => void;
};

type Returning = CatchUp & {
  member: Member;
  /** The number of feed reads that this catch-up has waited for. */
  reads: number;
  done: (handedOver?: Promise<void>) => void;
};

type CatchUpDeps = {
  feed: Feed;
  members: Members;
  outlet: Outlet;
  log: Log;
  /** Receives the frames that were resent to a member. `past` is undefined if there were too many to send. */
  onTold: (member: Member, past: readonly Frame[] | undefined) => void;
  /** Runs `work` between two reads of the feed. */
  between: <T>(work: (at: number) => T) => Promise<T>;
};

/** Sends sockets the frames that they missed, for many sockets together. Each socket then continues with live frames without a gap. */
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
        // Yields so that other work of this process can run.
        await nextTurn();
      }
    }
    isCatchingUp = false;
  };
  const begin = (member: Member, how: CatchUp): Promise<void> => {
    // From now on, live frames are buffered in order, so that none of them is sent before the missed ones.
    if (!how.rooms) setBehind(deps, member);
    return new Promise((done) => {
      returning.push({ ...how, member, reads: 0, done });
      void catchUpAll();
    });
  };
  const last = new WeakMap<Member, Promise<void>>();
  return (member: Member, how: CatchUp): Promise<void> => {
    const before = last.get(member);
    // Catch-ups of one member run one after another.
    const mine = before === undefined ? begin(member, how) : before.then(() => begin(member, how));
    last.set(member, mine);
    return mine;
  };
}

function setBehind({ outlet }: CatchUpDeps, member: Member): void {
  member.isBehind = true;
  outlet.leave(member);
}

/**
 * Selects the sockets that have waited longest and requests their missed frames. The request is made before the next feed read begins, so
 * that the missed frames end where that read starts.
 */
function nextToCatchUp(deps: CatchUpDeps, returning: Returning[], seq: number) {
  const { members } = deps;
  const batch = returning.splice(0, CATCH_UPS_AT_ONCE);
  // Many sockets reconnect at the same time, and some of them have disconnected again by now.
  for (const { member, done } of batch) if (!members.all.has(member)) done();
  const here = batch.filter(({ member }) => members.all.has(member));
  // The client's previous node may have been one read ahead of this node.
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
    log.warn({ error: String(error) }, 'could not read the events that sockets missed');
    return sockets.map(() => undefined);
  });
}

async function handOver(
  { members, outlet, onTold }: CatchUpDeps,
  { member, lastSeq, rooms, resync, caughtUp }: Returning,
  { told, seq }: { told: Told | undefined; seq: number },
): Promise<void> {
  const held = members.release(member);
  // No frames are lost, because the client requests them again when it reconnects.
  if (!told || held.length > MOST_HELD) return outlet.drop(member);
  const { past, states } = told;
  if (lastSeq !== undefined) onTold(member, past);
  // The member's session is still live, otherwise the member would have been removed.
  const frames = past?.filter((frame) => !endsSessionOf(member, frame));
  if (!frames && !rooms) resync();
  for (const frame of [...(frames ?? []), ...states]) outlet.toMember(member, frame);
  caughtUp({ frames: frames && frames.length + states.length, seq });
  for (const frame of held) outlet.toMember(member, frame);
  outlet.join(member);
  member.isBehind = false;
}
