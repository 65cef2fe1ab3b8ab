import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { strictObject } from '../../../http/schemas.ts';
import { brokerErrors } from '../../../platform/broker/broker.ts';
import { sendCustomNotification } from '../../base/notifications/notify.ts';
import { Notification, SendNotification } from '../../base/notifications/schemas.ts';
import { userErrors } from '../../base/users/schemas.ts';
import type { DebugDeps } from './debug.ts';

export const sendNotification = operation({
  method: 'POST',
  path: '/debug/notification/send',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  summary: 'Send a notification to a user',
  body: SendNotification,
  response: Notification,
  errors: [userErrors.USER_NOT_FOUND],
  handler: ({ db }: DebugDeps, { body }) => sendCustomNotification(db, body),
});

/** This is longer than the five seconds within which a socket must acknowledge the event. */
const TIMEOUT_MS = 8000;

const EventMessage = strictObject('EventMessage', {
  event: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_.:-]+$/),
  data: z.record(z.string(), z.unknown()).optional(),
  room: z
    .string()
    .regex(/^(public|admin|game:speed-roulette|user:[1-9]\d{0,9})$/)
    .optional(),
  userId: z.number().int().min(1).max(2_147_483_647).optional(),
});

const GatewayReceipt = z.object({
  /** The number of sockets to which the event was sent. */
  delivered: z.number().int(),
  acknowledged: z.number().int(),
});

const shared = {
  method: 'POST',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  description:
    "Sends the event to a room or to a user's sockets. If neither is given, sends it to all sockets.",
  body: EventMessage,
} as const;

export const emitToSockets = operation({
  ...shared,
  path: '/debug/gateway/emit',
  summary: 'Emit an event to sockets',
  errors: [brokerErrors.BROKER_UNAVAILABLE],
  // Every realtime process consumes the message.
  handler: async ({ broker }: DebugDeps, { body }) => void (await broker.publish('gateway.emit', body)),
});

export const sendToSockets = operation({
  ...shared,
  path: '/debug/gateway/send',
  summary: 'Send an event to sockets and await acknowledgements',
  response: GatewayReceipt,
  errors: [
    brokerErrors.BROKER_REFUSED,
    brokerErrors.BROKER_NO_RESPONDER,
    brokerErrors.BROKER_TIMEOUT,
    brokerErrors.BROKER_UNAVAILABLE,
  ],
  // One realtime process responds for all of them.
  handler: async ({ broker }: DebugDeps, { body }) =>
    (await broker.request('gateway.send', body, { timeoutMs: TIMEOUT_MS })) as z.output<
      typeof GatewayReceipt
    >,
});
