import { errors } from '../platform/errors.ts';

/** Refusals of sockets beside the common ones. Status is that of a handshake that is refused before its upgrade. */
export const realtimeErrors = errors({
  ORIGIN_FORBIDDEN: [403, 'Pages of this origin may not open sockets here.'],
  TOO_MANY_SOCKETS: [429, 'Too many sockets are open; close one first.'],
  RATE_LIMITED: [429, 'Too many messages; the third refusal within ten minutes ends the socket.'],
  SHUTTING_DOWN: [503, 'This process is going down; connect again.'],
  ROOM_NOT_FOUND: [404, 'There is no such room; see the rooms of the protocol.'],
  EXCLUDED: [403, 'Rooms of games are closed while an exclusion lasts.'],
  UNKNOWN_EVENT: [
    400,
    'There is no such message; there are subscribe, unsubscribe, resume, ping and chat.send.',
  ],
  RESUME_LIMITED: [
    429,
    'Too much was told again within a minute: live frames go on; ask again as retryAfterSeconds says, or read the state over HTTP.',
  ],
  RESYNC: [409, 'What was missed is too long ago or too much: read the state anew.'],
});
