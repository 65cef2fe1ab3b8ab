import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/observability/log.ts';
import { openSpan } from '../platform/observability/trace.ts';
import { createCatchUp } from './catch-up.ts';
import type { Feed, Frame } from './feed.ts';
import { createHandOut, type Outlet } from './hand-out.ts';
import type { Member, Members } from './members.ts';

const RETRY_MS = 500;
/**
 * Longest interval between polls of the feed. The interval grows to this value while the feed is idle, so the first frame after an idle
 * period may be delayed by that long.
 */
const QUIET_MS = 100;
const QUIETER = 1.2;

type DeliveryDeps = {
  feed: Feed;
  members: Members;
  outlet: Outlet;
  intervalMs: number;
  log: Log;
  /** Receives the frames that were resent to a member. `past` is undefined if there were too many to send. */
  onTold: (member: Member, past: readonly Frame[] | undefined) => void;
  /** Receives members whose session may have ended. */
  onSessionEnd: (members: readonly Member[]) => void;
};
export type Delivering = ReturnType<typeof createDelivery>;

/**
 * Reads the feed for the local sockets, one read at a time, and delivers its frames in order. Sockets that connect or catch up are added
 * between two reads and get every frame from that position on.
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
    // Position 0 means that the feed has not determined the current position yet.
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
    /** Runs `work` between two reads. It receives the position up to which all frames have been delivered. */
    between,
    /**
     * Sends a member the frames missed since `lastSeq` and the current state, then continues live without a gap. `caughtUp` runs before
     * frames that arrived in the meantime are sent. Catch-ups of one member run one after another.
     */
    catchUp: createCatchUp({ ...deps, between }),
    close: reading.close,
  };
}

/** Runs `turn` repeatedly while there is work, with pauses for other tasks. */
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
        if (isFailing) log.info({}, 'reading the feed has recovered');
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ error: String(error) }, 'could not read the feed; retrying');
        isFailing = true;
        await sleep(RETRY_MS);
      }
      // Leaves at least half of this process's time for handling client messages, and some database time for other queries.
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
