import { z } from 'zod';
import { object, strictObject, Timestamp } from '../../../http/schemas.ts';

const OpenObject = z.record(z.string(), z.unknown());
/** Words with dots between them. */
const Pattern = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/);
const QueueName = z.string().max(200).optional();

export const QueueQuery = z.strictObject({ queueName: QueueName });
export const PeekQuery = z.strictObject({
  queueName: QueueName,
  count: z.number().int().min(1).max(100).default(10),
});

export const SentMessage = strictObject('MessageDto', {
  pattern: Pattern,
  data: OpenObject.default({}),
  timeoutMs: z.number().int().min(100).max(8000).default(5000),
});

export const MessageResponse = object('MessageResponseDto', {
  success: z.boolean(),
  response: OpenObject.nullable(),
});

export const EmittedEvent = strictObject('EventDto', { pattern: Pattern, data: OpenObject.default({}) });

export const EventResponse = object('EventResponseDto', { success: z.boolean(), eventId: z.string() });

export const QueueInfo = object('QueueInfoDto', {
  queueName: z.string(),
  messageCount: z.number().int(),
  consumerCount: z.number().int(),
});

export const PurgedQueue = object('PurgeQueueResponseDto', {
  queueName: z.string(),
  purgedCount: z.number().int(),
});

export const MessageContent = object('MessageContentDto', {
  id: z.string(),
  content: OpenObject,
  headers: OpenObject,
  redelivered: z.boolean(),
  enqueuedAt: Timestamp.nullable(),
});
