import type { DbOptions } from '../../../platform/db.ts';
import { isTracing, span } from '../../../platform/trace.ts';
import { createLane } from './lane.ts';
import { createQueue, type QueueOptions } from './queue.ts';
import type { GameRequest } from './request.ts';
import { createSettler, type SettlerOptions } from './settler.ts';

export type Settlement = {
  /** Carries a request out and answers it after its COMMIT. Throws the refusal. */
  settle<Answer extends object>(request: GameRequest<Answer>): Promise<Answer>;
  close(): Promise<void>;
};

/** How often bets are looked through for those whose deadline has passed. */
export const SWEEP_MS = 200;

export type SettlementOptions = QueueOptions & SettlerOptions & { database: DbOptions; lanes: number };

/**
 * Group commit. Bets that arrive while a batch is in flight share the next transaction: one lock, one write, one
 * fsync for all of them, and each is decided alone. A lane settles the bets of its players; it flushes when it is free
 * and never waits for more.
 */
export function createSettlement(options: SettlementOptions): Settlement {
  const queues = Array.from({ length: options.lanes }, (_, i) => createBettingLane(options, i));
  options.metrics.watch('bet_queue_length', 'Bets waiting for a lane', () =>
    queues.reduce((sum, queue) => sum + queue.length(), 0),
  );
  let sweeping: NodeJS.Timeout | undefined;
  /** Nobody waits for a database that has gone silent; while no bet is in flight there is nobody to look after. */
  const sweepSoon = () => {
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      for (const queue of queues) queue.expire();
      if (queues.some((queue) => queue.isBusy())) sweepSoon();
    }, SWEEP_MS).unref();
  };
  return {
    settle<Answer extends object>(request: GameRequest<Answer>): Promise<Answer> {
      sweepSoon();
      const queue = queues[request.userId % queues.length]!;
      return isTracing() ? span('settle', {}, async () => queue.add(request)) : queue.add(request);
    },
    async close() {
      await Promise.all(queues.map((q) => q.close()));
      clearTimeout(sweeping);
    },
  };
}

function createBettingLane(options: SettlementOptions, index: number) {
  const lane = createLane({ ...options.database, name: `${options.database.name} lane ${index}` });
  const queue = createQueue(options, { index, settle: createSettler(options, lane).settle });
  const { add, length, isBusy, expire } = queue;
  const close = async () => {
    await queue.close();
    await lane.close();
  };
  return { add, length, isBusy, expire, close };
}
