import { operation } from '../../../http/operation.ts';
import { sendCustomNotification } from '../../base/notifications/notify.ts';
import { Notification, SendNotification } from '../../base/notifications/schemas.ts';
import { userErrors } from '../../base/users/errors.ts';
import type { DebugDeps } from './deps.ts';

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
