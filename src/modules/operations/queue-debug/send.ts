import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, strictObject } from '../../../http/schemas.ts';
import { brokerErrors } from '../../../platform/broker/broker.ts';
import { AppError } from '../../../platform/errors.ts';
import type { QueueDebugDeps } from './service.ts';
import { asObject, OpenObject, queueErrors } from './service.ts';

/** A message pattern: words separated by dots. */
const Pattern = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/);

const shared = { method: 'POST', tag: 'queue debug', access: 'anonymous', gate: 'none' } as const;

export const sendMessage = operation({
  ...shared,
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
  ...shared,
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
