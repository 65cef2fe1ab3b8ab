import { errors } from '../platform/errors.ts';

/** Socket errors in addition to the common ones. The HTTP status is used when a handshake is rejected before the upgrade to WebSocket. */
export const realtimeErrors = errors({
  TOO_MANY_SOCKETS: [429, 'Too many sockets are open; close one first.'],
  RATE_LIMITED: [
    429,
    'Too many messages. Slow down: the third rejection within ten minutes closes the socket.',
  ],
  SHUTTING_DOWN: [503, 'This process is shutting down. Connect again.'],
  ROOM_NOT_FOUND: [404, 'This room does not exist. /docs/events lists all rooms.'],
  EXCLUDED: [403, 'Your account is excluded. You cannot join game rooms until the exclusion ends.'],
  UNKNOWN_EVENT: [400, 'Unknown message. Use subscribe, unsubscribe, resume, ping or chat.send.'],
  RESUME_LIMITED: [
    429,
    'Too many events were replayed. Resume again after retryAfterSeconds, or read the current state over HTTP.',
  ],
  RESYNC: [409, 'The missed events are too old or too many to replay. Read the current state over HTTP.'],
});
