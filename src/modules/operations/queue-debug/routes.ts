import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { brokerErrors } from '../../../platform/broker/broker.ts';
import { queueErrors } from './errors.ts';
import {
  EmittedEvent,
  EventResponse,
  MessageContent,
  MessageResponse,
  PeekQuery,
  PurgedQueue,
  QueueInfo,
  QueueQuery,
  SentMessage,
} from './schemas.ts';
import type { QueueDebug } from './service.ts';

const reading = { method: 'GET', tag: 'queue debug', access: 'anonymous' } as const;
const acting = { ...reading, method: 'POST', gate: 'none' } as const;

export const queueDebugRoutes = (queues: QueueDebug) => [
  route({
    ...acting,
    path: '/send-message',
    summary: 'Ask over the message broker and wait for the answer',
    description:
      '`debug.echo` answers what it is sent. A responder that refuses answers with `success: false`.',
    body: SentMessage,
    response: MessageResponse,
    errors: [queueErrors.RESPONDER_NOT_FOUND, brokerErrors.BROKER_TIMEOUT, brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ body }) => queues.send(body),
  }),
  route({
    ...acting,
    path: '/emit-event',
    summary: 'Publish to all subscribers',
    body: EmittedEvent,
    response: EventResponse,
    errors: [brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ body }) => queues.emit(body),
  }),
  route({
    ...reading,
    path: '/',
    summary: 'A queue: messages that wait, consumers',
    description:
      'Without a name `debug.default`, which has the newest thousand of all that was published since its first use. A browser (`Accept: text/html`) is shown the page of the service instead.',
    query: QueueQuery,
    response: QueueInfo,
    errors: [queueErrors.QUEUE_NOT_FOUND, brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ query }) => queues.info(query.queueName),
  }),
  route({
    ...acting,
    method: 'DELETE',
    path: '/',
    summary: 'Empty a queue whose name begins with `debug.`',
    query: QueueQuery,
    response: PurgedQueue,
    errors: [queueErrors.QUEUE_NOT_FOUND, queueErrors.QUEUE_NOT_DEBUG, brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ query }) => queues.purge(query.queueName),
  }),
  route({
    ...reading,
    path: '/messages',
    summary: 'Look at the messages that wait, without taking them',
    query: PeekQuery,
    response: z.array(MessageContent),
    errors: [queueErrors.QUEUE_NOT_FOUND, brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ query }) => queues.peek(query.queueName, query.count),
  }),
];
