import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { brokerErrors, type Message } from '../../../platform/broker/broker.ts';
import type { QueueDebugDeps } from './service.ts';
import { asObject, DEFAULT_QUEUE, OpenObject, queueErrors } from './service.ts';

const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** Prefix of the queues that may be emptied. All other queues contain messages that the platform needs. */
const PREFIX = 'debug.';

const QueueQuery = z.strictObject({ queueName: z.string().max(200).optional() });
const PeekQuery = QueueQuery.extend({ count: z.number().int().min(1).max(100).default(10) });

const shared = {
  method: 'GET',
  path: '/',
  tag: 'queue debug',
  access: 'anonymous',
  query: QueueQuery,
  errors: [queueErrors.QUEUE_NOT_FOUND, brokerErrors.BROKER_UNAVAILABLE],
} as const;

export const getQueue = operation({
  ...shared,
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
  ...shared,
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
  ...shared,
  path: '/messages',
  summary: 'List messages of a queue without consuming them',
  query: PeekQuery,
  response: z.array(MessageContent),
  handler: (deps: QueueDebugDeps, { query: { queueName = DEFAULT_QUEUE, count } }) =>
    inQueue(deps, queueName, async () => (await deps.broker.peek(queueName, count))?.map(toContent)),
});

/** Runs the work for a queue. Throws 404 QUEUE_NOT_FOUND if the queue's name is malformed or the work returns undefined. */
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
