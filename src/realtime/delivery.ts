import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { openSpan } from '../platform/trace.ts';
import type { Delivery, Feed, Frame, Told } from './feed.ts';
import type { Member, Members } from './members.ts';
import { userOf } from './rooms.ts';
import { endsSessionOf, SESSION_ENDED } from './session-ended.ts';

/** More than this behind what was missed, and the client is cut: it comes back and misses less. */
const MOST_HELD = 5000;
/** Sockets that are told together what they have missed: many come back at once when another node has gone. */
const CATCH_UPS_AT_ONCE = 100;
const MOST_READS_BEHIND = 10;
const RETRY_MS = 500;
/** While nothing happens it is read less often, step by step: the first frame after a quiet while may be so much later. */
const QUIET_MS = 100;
const QUIETER = 1.2;

export type Outlet = {
  /** Hands a frame to every socket of a room that is here. */
  toRoom(delivery: Delivery): void;
  toMember(member: Member, frame: Frame): void;
  /** Puts a socket into the rooms that its player is a member of, or takes it out of all. */
  join(member: Member): void;
  leave(member: Member): void;
  /** Cuts a socket that cannot be served: its client comes back. */
  drop(member: Member): void;
};

/** How many frames were told, up to which seq; undefined: the client has begun anew. */
export type Caught = { frames: number | undefined; seq: number };

/** `resync` runs before how things are where what was missed cannot be told, `caughtUp` after what was told. */
export type CatchUp = {
  /** Undefined: what was missed is not asked for. */
  lastSeq: number | undefined;
  resync: () => void;
  caughtUp: (caught: Caught) => void;
};

type Returning = CatchUp & {
  member: Member;
  /** How many reads were waited for. */
  reads: number;
  done: (handedOver?: Promise<void>) => void;
};

export type Delivering = ReturnType<typeof createDelivery>;

/**
 * Reads the feed for those who are here, one read at a time, and hands out what it says in its order. Whoever comes, or has
 * missed something, comes in between two reads: from that position on nothing passes them.
 */
export function createDelivery(parts: {
  feed: Feed;
  members: Members;
  outlet: Outlet;
  intervalMs: number;
  log: Log;
  /** Hears what was told again to whom; of what was too much, nothing. */
  onTold?: (member: Member, past: readonly Frame[] | undefined) => void;
  /** Hears of members whose session may have ended. */
  onSessionEnd?: (members: readonly Member[]) => void;
}) {
  const { feed, members, outlet, log, onTold, onSessionEnd } = parts;
  const entering: ((position: number) => void)[] = [];
  let position: number | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;

  /** Whose session it is hears it once, with its reason, when it is cut (watch.ts); other sockets of the user hear of it here. */
  const tellOfSession = ({ room, frame }: Delivery) => {
    const all = [...members.ofUser(userOf(room))].filter((member) => member.rooms.has(room));
    onSessionEnd?.(all.filter((member) => endsSessionOf(member, frame)));
    for (const member of all) {
      if (endsSessionOf(member, frame)) continue;
      if (member.held) member.held.push(frame);
      else if (!member.isBehind) outlet.toMember(member, frame);
    }
  };
  const handOut = (delivery: Delivery) => {
    if (delivery.frame.event === SESSION_ENDED) return tellOfSession(delivery);
    outlet.toRoom(delivery);
    for (const member of members.holding)
      if (member.rooms.has(delivery.room)) member.held?.push(delivery.frame);
  };
  let restMs = parts.intervalMs;
  const turn = async () => {
    const known = position;
    const read = await feed.next(members.audience());
    const count = read.deliveries.length;
    const hasMoved = count > 0 || read.position !== known;
    restMs = hasMoved ? parts.intervalMs : Math.min(Math.max(QUIET_MS, parts.intervalMs), restMs * QUIETER);
    const span =
      count > 0
        ? openSpan('deliver', { parent: 'none', attributes: { 'croupier.frames': count } })
        : undefined;
    for (const delivery of read.deliveries) handOut(delivery);
    span?.end();
    // 0: the feed does not know yet where the present is.
    position = read.position === 0 ? undefined : read.position;
    if (position !== undefined) for (const enter of entering.splice(0)) enter(position);
  };
  const run = async () => {
    while (!isClosed && (members.all.size > 0 || entering.length > 0)) {
      const began = performance.now();
      const before = performance.eventLoopUtilization();
      try {
        await turn();
        if (isFailing) log.info({}, 'the feed is read again');
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ error: String(error) }, 'the feed cannot be read');
        isFailing = true;
        await sleep(RETRY_MS);
      }
      // At least half of this process's time is for those who send, and some of the database's for others.
      const { active } = performance.eventLoopUtilization(before);
      const took = performance.now() - began;
      await sleep(Math.max(restMs, 2 * active - took, took / 4));
    }
    position = undefined;
    running = undefined;
    feed.rest();
  };
  const wake = () => {
    if (!isClosed) running ??= run();
  };

  /** Runs `work` between two reads, with the position up to which everything has been handed out. */
  const between = <T>(work: (at: number) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      entering.push((at) => {
        try {
          resolve(work(at));
        } catch (error) {
          reject(error as Error);
        }
      });
      wake();
    });

  const returning: Returning[] = [];
  let isCatchingUp = false;
  const missed = (sockets: readonly Returning[]): Promise<(Told | undefined)[]> =>
    feed
      .missed(
        sockets.map(({ member: { userId, rooms }, lastSeq }) => ({ userId, rooms: [...rooms], lastSeq })),
      )
      .catch((error) => {
        log.warn({ error: String(error) }, 'what sockets have missed cannot be read');
        return sockets.map(() => undefined);
      });
  /** Those who have come back longest ago, and what they have missed. Asked before the next read begins: where that one starts it ends. */
  const nextToCatchUp = (seq: number) => {
    const batch = returning.splice(0, CATCH_UPS_AT_ONCE);
    // Many come back at once, and some do not wait.
    for (const { member, done } of batch) if (!members.all.has(member)) done();
    const here = batch.filter(({ member }) => members.all.has(member));
    // Another node may have been ahead of this one by a read.
    const isEarly = ({ lastSeq = 0, reads }: Returning) => seq < lastSeq && reads < MOST_READS_BEHIND;
    returning.push(...here.filter(isEarly).map((one) => ({ ...one, reads: one.reads + 1 })));
    const ready = here.filter((one) => !isEarly(one));
    for (const { member } of ready) members.hold(member);
    return { seq, ready, asked: ready.length > 0 ? missed(ready) : [] };
  };
  const handOver = async (
    { member, lastSeq, resync, caughtUp }: Returning,
    { told, seq }: { told: Told | undefined; seq: number },
  ) => {
    const held = members.release(member);
    // What it cannot be told now, it asks for when it comes back.
    if (!told || held.length > MOST_HELD) return outlet.drop(member);
    const { past, states } = told;
    if (lastSeq !== undefined) onTold?.(member, past);
    // The session that it lives by goes on, or it would not be here.
    const frames = past?.filter((frame) => !endsSessionOf(member, frame));
    if (!frames) resync();
    for (const frame of [...(frames ?? []), ...states]) outlet.toMember(member, frame);
    caughtUp({ frames: frames && frames.length + states.length, seq });
    for (const frame of held) outlet.toMember(member, frame);
    outlet.join(member);
    member.isBehind = false;
  };
  const catchUpAll = async () => {
    if (isCatchingUp) return;
    isCatchingUp = true;
    while (returning.length > 0) {
      const { seq, ready, asked } = await between(nextToCatchUp);
      const all = await asked;
      for (const [i, one] of ready.entries()) {
        one.done(handOver(one, { told: all[i], seq }));
        // Others have something to say as well.
        await nextTurn();
      }
    }
    isCatchingUp = false;
  };

  return {
    position: () => position ?? 0,
    between,

    /**
     * Hands a member what they have missed since `lastSeq` and how things are, then goes on live with nothing in between. `caughtUp` runs
     * before what came meanwhile. Once at a time: not for who is behind already.
     */
    catchUp(member: Member, how: CatchUp): Promise<void> {
      // From here on all that they hear comes in its order: nothing live before what was missed.
      member.isBehind = true;
      outlet.leave(member);
      return new Promise((done) => {
        returning.push({ ...how, member, reads: 0, done });
        void catchUpAll();
      });
    },

    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}
