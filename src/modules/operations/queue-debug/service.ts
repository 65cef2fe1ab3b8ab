import type { Broker } from '../../../platform/broker/broker.ts';

/** Contains the newest published messages. */
export const DEFAULT_QUEUE = 'debug.default';
const MAX_MESSAGES = 1000;

export type QueueDebug = ReturnType<typeof createQueueDebug>;

/** Declares the debug queue and the echo responder on first use, once per process. */
export const createQueueDebug = ({ broker }: { broker: Broker }) => ({
  declareQueue: once(() => broker.declare(DEFAULT_QUEUE, ['#'], { most: MAX_MESSAGES })),
  startEcho: once(() => broker.respond('debug.echo', async (data) => data)),
});

/** Runs the work on the first call, and again after a failure. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
