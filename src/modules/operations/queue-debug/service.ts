import type { z } from 'zod';
import type { Broker, Message } from '../../../platform/broker/broker.ts';
import { AppError } from '../../../platform/errors.ts';
import { queueErrors } from './errors.ts';
import type { EmittedEvent, SentMessage } from './schemas.ts';

export type QueueDebug = ReturnType<typeof createQueueDebug>;

/** Only queues with this prefix may be emptied: messages in others are waited for. */
const PREFIX = 'debug.';
/** Holds the newest messages of all that are published. */
const DEFAULT = 'debug.default';
const KEPT = 1000;
/** Answers with the data of the request. */
const ECHO = 'debug.echo';
const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** The broker by hand. Never built into a service outside `local` and `test`; nothing is there before the first call. */
export function createQueueDebug({ broker }: { broker: Broker }) {
  const ready = {
    queue: once(() => broker.declare(DEFAULT, ['#'], { most: KEPT })),
    echo: once(() => broker.respond(ECHO, async (data) => data)),
  };
  const inQueue = async <T>(queueName: string, work: () => Promise<T | undefined>): Promise<T> => {
    await ready.queue();
    const found = NAME.test(queueName) ? await work() : undefined;
    if (found === undefined) throw queueErrors.QUEUE_NOT_FOUND({ queueName });
    return found;
  };
  return {
    /** Throws RESPONDER_NOT_FOUND, BROKER_TIMEOUT; a refusal of the responder is an answer. */
    async send({ pattern, data, timeoutMs }: z.output<typeof SentMessage>) {
      await ready.echo();
      try {
        return { success: true, response: asObject(await broker.request(pattern, data, { timeoutMs })) };
      } catch (error) {
        const code = error instanceof AppError ? error.code : undefined;
        if (code === 'BROKER_NO_RESPONDER') throw queueErrors.RESPONDER_NOT_FOUND({ pattern });
        if (!(error instanceof AppError) || code !== 'BROKER_REFUSED') throw error;
        return { success: false, response: error.details ?? null };
      }
    },
    async emit({ pattern, data }: z.output<typeof EmittedEvent>) {
      await ready.queue();
      const { id } = await broker.publish(pattern, data);
      return { success: true, eventId: id };
    },
    info: (queueName = DEFAULT) =>
      inQueue(queueName, async () => {
        const found = await broker.info(queueName);
        return found && { queueName, ...found };
      }),
    /** Throws QUEUE_NOT_DEBUG for a queue that is not for this. */
    purge: (queueName = DEFAULT) =>
      inQueue(queueName, async () => {
        if (!queueName.startsWith(PREFIX)) {
          if (await broker.info(queueName)) throw queueErrors.QUEUE_NOT_DEBUG({ queueName });
          return undefined;
        }
        const purgedCount = await broker.purge(queueName);
        return purgedCount === undefined ? undefined : { queueName, purgedCount };
      }),
    peek: (queueName = DEFAULT, count = 10) =>
      inQueue(queueName, async () => (await broker.peek(queueName, count))?.map(shown)),
  };
}

const shown = ({ id, data, headers, redelivered, enqueuedAt }: Message) => ({
  id,
  content: asObject(data) ?? {},
  headers: { ...headers },
  redelivered,
  enqueuedAt: enqueuedAt === null ? null : enqueuedAt.toISOString(),
});

/** The contract knows objects only; anything else stands in one. */
function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

/** Done by the first call, and again by the next one when it failed. */
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
