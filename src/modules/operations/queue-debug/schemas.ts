import { z } from 'zod';
import { Timestamp } from '../../../http/schemas.ts';

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

export const SentMessage = z
  .strictObject({
    pattern: Pattern,
    data: OpenObject.default({}),
    timeoutMs: z.number().int().min(100).max(8000).default(5000),
  })
  .meta({ id: 'MessageDto' });

export const MessageResponse = z
  .object({ success: z.boolean(), response: OpenObject.nullable() })
  .meta({ id: 'MessageResponseDto' });

export const EmittedEvent = z
  .strictObject({ pattern: Pattern, data: OpenObject.default({}) })
  .meta({ id: 'EventDto' });

export const EventResponse = z
  .object({ success: z.boolean(), eventId: z.string() })
  .meta({ id: 'EventResponseDto' });

export const QueueInfo = z
  .object({ queueName: z.string(), messageCount: z.number().int(), consumerCount: z.number().int() })
  .meta({ id: 'QueueInfoDto' });

export const PurgedQueue = z
  .object({ queueName: z.string(), purgedCount: z.number().int() })
  .meta({ id: 'PurgeQueueResponseDto' });

export const MessageContent = z
  .object({
    id: z.string(),
    content: OpenObject,
    headers: OpenObject,
    redelivered: z.boolean(),
    enqueuedAt: Timestamp.nullable(),
  })
  .meta({ id: 'MessageContentDto' });
