import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { type Broker, brokerErrors, type Message } from '../../../platform/broker/broker.ts';
import { AppError, errors } from '../../../platform/errors.ts';

/** This queue contains the newest published messages. */
const DEFAULT_QUEUE = 'debug.default';
const MAX_MESSAGES = 1000;

type QueueDebug = ReturnType<typeof createQueueDebug>;

/** Declares the debug queue and the echo responder when they are first used, once per process. */
export const createQueueDebug = ({ broker }: { broker: Broker }) => ({
  declareQueue: once(() => broker.declare(DEFAULT_QUEUE, ['#'], { most: MAX_MESSAGES })),
  startEcho: once(() => broker.respond('debug.echo', async (data) => data)),
});

export type QueueDebugDeps = { broker: Broker; queueDebug: QueueDebug };

const queueErrors = errors({
  QUEUE_NOT_FOUND: [404, 'Queue not found. Check the name.'],
  RESPONDER_NOT_FOUND: [404, 'No running process responds to this pattern. Start one and try again.'],
  QUEUE_NOT_DEBUG: [403, 'Only queues with the prefix "debug." can be emptied.'],
});

const OpenObject = z.record(z.string(), z.unknown());

/** A message pattern: words separated by dots. */
const Pattern = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/);

const sending = { method: 'POST', tag: 'queue debug', access: 'anonymous', gate: 'none' } as const;

export const sendMessage = operation({
  ...sending,
  path: '/send-message',
  summary: 'Send a request to the broker and await the response',
  description: '`debug.echo` returns its input. If a responder rejects the request, `success` is false.',
  body: strictObject('MessageDto', {
    pattern: Pattern,
    data: OpenObject.default({}),
    timeoutMs: z.number().int().min(100).max(8000).default(5000),
  }),
  response: object('MessageResponseDto', { success: z.boolean(), response: OpenObject.nullable() }),
  errors: [queueErrors.RESPONDER_NOT_FOUND, brokerErrors.BROKER_TIMEOUT, brokerErrors.BROKER_UNAVAILABLE],
  handler: async ({ broker, queueDebug }: QueueDebugDeps, { body: { pattern, data, timeoutMs } }) => {
    await queueDebug.startEcho();
    try {
      return { success: true, response: asObject(await broker.request(pattern, data, { timeoutMs })) };
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      if (code === 'BROKER_NO_RESPONDER') throw queueErrors.RESPONDER_NOT_FOUND({ pattern });
      if (!(error instanceof AppError) || code !== 'BROKER_REFUSED') throw error;
      return { success: false, response: error.details ?? null };
    }
  },
});

export const emitEvent = operation({
  ...sending,
  path: '/emit-event',
  summary: 'Publish an event to all subscribers',
  body: strictObject('EventDto', { pattern: Pattern, data: OpenObject.default({}) }),
  response: object('EventResponseDto', { success: z.boolean(), eventId: z.string() }),
  errors: [brokerErrors.BROKER_UNAVAILABLE],
  handler: async ({ broker, queueDebug }: QueueDebugDeps, { body: { pattern, data } }) => {
    await queueDebug.declareQueue();
    const { id } = await broker.publish(pattern, data);
    return { success: true, eventId: id };
  },
});

const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** The prefix of the queues that may be emptied. All other queues contain messages that the platform needs. */
const PREFIX = 'debug.';

const QueueQuery = z.strictObject({ queueName: z.string().max(200).optional() });
const PeekQuery = QueueQuery.extend({ count: z.number().int().min(1).max(100).default(10) });

const ofQueue = {
  method: 'GET',
  path: '/',
  tag: 'queue debug',
  access: 'anonymous',
  query: QueueQuery,
  errors: [queueErrors.QUEUE_NOT_FOUND, brokerErrors.BROKER_UNAVAILABLE],
} as const;

export const getQueue = operation({
  ...ofQueue,
  summary: 'Get the message and consumer counts of a queue',
  description:
    'The default queue, `debug.default`, contains the newest 1,000 messages published since its first use. A browser ' +
    '(`Accept: text/html`) gets the start page of the service instead.',
  response: object('QueueInfoDto', {
    queueName: z.string(),
    messageCount: z.number().int(),
    consumerCount: z.number().int(),
  }),
  handler: (deps: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE } }) =>
    inQueue(deps, queueName, async () => {
      const info = await deps.broker.info(queueName);
      return info && { queueName, ...info };
    }),
});

export const emptyQueue = operation({
  ...ofQueue,
  method: 'DELETE',
  gate: 'none',
  summary: 'Empty a queue with the prefix `debug.`',
  response: object('PurgeQueueResponseDto', { queueName: z.string(), purgedCount: z.number().int() }),
  errors: [queueErrors.QUEUE_NOT_FOUND, queueErrors.QUEUE_NOT_DEBUG, brokerErrors.BROKER_UNAVAILABLE],
  handler: (deps: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE } }) =>
    inQueue(deps, queueName, async () => {
      if (!queueName.startsWith(PREFIX)) {
        if (await deps.broker.info(queueName)) throw queueErrors.QUEUE_NOT_DEBUG({ queueName });
        return undefined;
      }
      const purgedCount = await deps.broker.purge(queueName);
      return purgedCount === undefined ? undefined : { queueName, purgedCount };
    }),
});

const MessageContent = object('MessageContentDto', {
  id: z.string(),
  content: OpenObject,
  headers: OpenObject,
  redelivered: z.boolean(),
  enqueuedAt: Timestamp.nullable(),
});

export const peekMessages = operation({
  ...ofQueue,
  path: '/messages',
  summary: 'List messages of a queue without consuming them',
  query: PeekQuery,
  response: z.array(MessageContent),
  handler: (deps: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE, count } }) =>
    inQueue(deps, queueName, async () => (await deps.broker.peek(queueName, count))?.map(toContent)),
});

/** Runs `work` for a queue. Throws 404 QUEUE_NOT_FOUND if the queue's name is malformed or `work` returns undefined. */
async function inQueue<T>(
  { queueDebug }: QueueDebugDeps,
  queueName: string,
  work: () => Promise<T | undefined>,
): Promise<T> {
  await queueDebug.declareQueue();
  const result = NAME.test(queueName) ? await work() : undefined;
  if (result === undefined) throw queueErrors.QUEUE_NOT_FOUND({ queueName });
  return result;
}

const toContent = ({ id, data, headers, redelivered, enqueuedAt }: Message) => ({
  id,
  content: asObject(data) ?? {},
  headers: { ...headers },
  redelivered,
  enqueuedAt: enqueuedAt === null ? null : enqueuedAt.toISOString(),
});

/** Wraps a value that is not an object as `{ value }`, because responses contain only objects. */
function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

/** Runs `work` only once. If it fails, the next call runs it again. */
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
