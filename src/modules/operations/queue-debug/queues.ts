import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { type Broker, brokerErrors } from '../../../platform/broker/broker.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import { AppError, errors } from '../../../platform/errors.ts';
import {
  countJobs,
  deleteWaiting,
  listWaiting,
  storeJob,
  type WaitingJob,
} from '../../../platform/queue/waiting.ts';

/** The task under which the newest emitted events are stored. No worker runs it. */
const DEFAULT_QUEUE = 'debug.default';
const MAX_MESSAGES = 1000;

type QueueDebug = ReturnType<typeof createQueueDebug>;

/** Starts the echo responder when it is first used, once per process. */
export const createQueueDebug = ({ broker }: { broker: Broker }) => ({
  startEcho: once(() => broker.respond('debug.echo', async (data) => data)),
});

export type QueueDebugDeps = { db: Db; broker: Broker; queueDebug: QueueDebug };

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
  handler: async ({ db, broker }: QueueDebugDeps, { body: { pattern, data } }) => {
    const { id } = await broker.publish(pattern, data);
    await transaction(db, (tx) => storeJob(tx, DEFAULT_QUEUE, { id, payload: data, most: MAX_MESSAGES }));
    return { success: true, eventId: id };
  },
});

const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** The prefix of the queues that may be emptied. All other queues contain jobs that the platform needs. */
const PREFIX = 'debug.';

const QueueQuery = z.strictObject({ queueName: z.string().max(200).optional() });
const PeekQuery = QueueQuery.extend({ count: z.number().int().min(1).max(100).default(10) });

const ofQueue = {
  method: 'GET',
  path: '/',
  tag: 'queue debug',
  access: 'anonymous',
  query: QueueQuery,
  errors: [queueErrors.QUEUE_NOT_FOUND],
} as const;

export const getQueue = operation({
  ...ofQueue,
  summary: 'Get the message and consumer counts of a queue',
  description:
    'A queue contains the waiting jobs of the task with its name, and `consumerCount` is the number of jobs that are running. The ' +
    'default queue, `debug.default`, contains the newest 1,000 emitted events. A browser (`Accept: text/html`) gets the start page ' +
    'of the service instead.',
  response: object('QueueInfoDto', {
    queueName: z.string(),
    messageCount: z.number().int(),
    consumerCount: z.number().int(),
  }),
  handler: async ({ db }: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE } }) => {
    const { waiting, running } = await getCounts(db, queueName);
    return { queueName, messageCount: waiting, consumerCount: running };
  },
});

export const emptyQueue = operation({
  ...ofQueue,
  method: 'DELETE',
  gate: 'none',
  summary: 'Empty a queue with the prefix `debug.`',
  response: object('PurgeQueueResponseDto', { queueName: z.string(), purgedCount: z.number().int() }),
  errors: [queueErrors.QUEUE_NOT_FOUND, queueErrors.QUEUE_NOT_DEBUG],
  handler: async ({ db }: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE } }) => {
    await getCounts(db, queueName);
    if (!queueName.startsWith(PREFIX)) throw queueErrors.QUEUE_NOT_DEBUG({ queueName });
    return { queueName, purgedCount: await deleteWaiting(db, queueName) };
  },
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
  handler: async ({ db }: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE, count } }) => {
    await getCounts(db, queueName);
    return (await listWaiting(db, queueName, count)).map(toContent);
  },
});

/** Throws 404 QUEUE_NOT_FOUND if the queue's name is malformed or no job has this name. */
async function getCounts(db: Db, queueName: string): Promise<{ waiting: number; running: number }> {
  const counts = NAME.test(queueName) ? await countJobs(db, queueName) : undefined;
  if (counts) return counts;
  if (queueName !== DEFAULT_QUEUE) throw queueErrors.QUEUE_NOT_FOUND({ queueName });
  return { waiting: 0, running: 0 };
}

const toContent = ({ id, payload, hasFailed, addedAt }: WaitingJob) => ({
  id,
  content: asObject(payload) ?? {},
  headers: {},
  redelivered: hasFailed,
  enqueuedAt: addedAt.toISOString(),
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
