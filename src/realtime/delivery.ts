import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { openSpan } from '../platform/trace.ts';
import { createCatchUp } from './catch-up.ts';
import type { Feed, Frame } from './feed.ts';
import { createHandOut, type Outlet } from './hand-out.ts';
import type { Member, Members } from './members.ts';

const RETRY_MS = 500;
/** While nothing happens the feed is read less often, step by step: the first frame after a quiet time may be so much later. */
const QUIET_MS = 100;
const QUIETER = 1.2;

type DeliveryDeps = {
  feed: Feed;
  members: Members;
  outlet: Outlet;
  intervalMs: number;
  log: Log;
  /** Hears what was sent again to whom; undefined: it was too much to be sent. */
  onTold: (member: Member, past: readonly Frame[] | undefined) => void;
  /** Hears of members whose session may have ended. */
  onSessionEnd: (members: readonly Member[]) => void;
};
export type Delivering = ReturnType<typeof createDelivery>;

/**
 * Reads the feed for those who are here, one read at a time, and hands out its frames in their order. Sockets that connect or have
 * missed something come in between two reads: they get every frame from that position on.
 */
export function createDelivery(deps: DeliveryDeps) {
  const { feed, members, intervalMs, log } = deps;
  const handOut = createHandOut(deps);
  const entering: ((position: number) => void)[] = [];
  let position: number | undefined;
  let restMs = intervalMs;

  const turn = async () => {
    const read = await feed.next(members.audience());
    const count = read.deliveries.length;
    const hasMoved = count > 0 || read.position !== position;
    restMs = hasMoved ? intervalMs : Math.min(Math.max(QUIET_MS, intervalMs), restMs * QUIETER);
    const attributes = { 'croupier.frames': count };
    const span = count > 0 ? openSpan('deliver', { parent: 'none', attributes }) : undefined;
    for (const delivery of read.deliveries) handOut(delivery);
    span?.end();
    // 0: the feed does not know yet where the present is.
    position = read.position === 0 ? undefined : read.position;
    if (position !== undefined) for (const enter of entering.splice(0)) enter(position);
  };
  const reading = createReading({
    turn,
    restMs: () => restMs,
    isWanted: () => members.all.size > 0 || entering.length > 0,
    onRest() {
      position = undefined;
      feed.rest();
    },
    log,
  });
  const between = <T>(work: (at: number) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      entering.push((at) => {
        try {
          resolve(work(at));
        } catch (error) {
          reject(error as Error);
        }
      });
      reading.wake();
    });

  return {
    position: () => position ?? 0,
    /** Runs `work` between two reads, with the position up to which everything has been handed out. */
    between,
    /**
     * Hands a member what they have missed since `lastSeq` and the current state, then goes on live with nothing in between. `caughtUp`
     * runs before what came meanwhile. One at a time for each member.
     */
    catchUp: createCatchUp({ ...deps, between }),
    close: reading.close,
  };
}

/** Repeats `turn` while it is wanted, and leaves time to others. */
function createReading(parts: {
  turn: () => Promise<void>;
  restMs: () => number;
  isWanted: () => boolean;
  onRest: () => void;
  log: Log;
}) {
  const { turn, restMs, isWanted, onRest, log } = parts;
  let running: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;
  const run = async () => {
    while (!isClosed && isWanted()) {
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
      await sleep(Math.max(restMs(), 2 * active - took, took / 4));
    }
    running = undefined;
    onRest();
  };
  return {
    wake(): void {
      if (!isClosed) running ??= run();
    },
    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}
