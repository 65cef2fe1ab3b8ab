import { z } from 'zod';
import type { Broker } from '../../../platform/broker/broker.ts';
import { errors } from '../../../platform/errors.ts';

/** This queue contains the newest published messages. */
export const DEFAULT_QUEUE = 'debug.default';
const MAX_MESSAGES = 1000;

type QueueDebug = ReturnType<typeof createQueueDebug>;

/** Declares the debug queue and the echo responder on their first use, once per process. */
export const createQueueDebug = ({ broker }: { broker: Broker }) => ({
  declareQueue: once(() => broker.declare(DEFAULT_QUEUE, ['#'], { most: MAX_MESSAGES })),
  startEcho: once(() => broker.respond('debug.echo', async (data) => data)),
});

export type QueueDebugDeps = { broker: Broker; queueDebug: QueueDebug };

export const queueErrors = errors({
  QUEUE_NOT_FOUND: [404, 'Queue not found. Check the name.'],
  RESPONDER_NOT_FOUND: [404, 'No running process responds to this pattern. Start one and try again.'],
  QUEUE_NOT_DEBUG: [403, 'Only queues with the prefix "debug." can be emptied.'],
});

export const OpenObject = z.record(z.string(), z.unknown());

/** Wraps a value that is not an object as `{ value }`, because responses contain only objects. */
export function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

/** Runs the work only once. If it fails, the next call runs it again. */
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
