import { errors } from '../../../platform/errors.ts';
export const chatErrors = errors({
  CHAT_DISABLED: [403, 'The chat is disabled at the moment.'],
  CHAT_ROOM_NOT_FOUND: [404, 'Room not found. GET /config/USER lists all rooms (chat.rooms).'],
  CHAT_TEXT_EMPTY: [400, 'The message is empty.'],
  CHAT_TEXT_TOO_LONG: [400, 'The message is longer than 200 characters.'],
  CHAT_LINK: [400, 'Links are not allowed. If this is not a link, put a space after the full stop.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  CHAT_NOT_ALLOWED: [403, 'You are not allowed to write in the chat.'],
  CHAT_MUTED: [403, 'You are muted in the chat until details.until.'],
  CHAT_UNDERAGE: [403, 'Only adults can write in the chat.'],
  CHAT_WAGER_NEEDED: [403, 'You have not wagered enough to write in the chat; see details.'],
  CHAT_TOO_FAST: [429, 'Too many messages. Try again after details.retryAfterSeconds.'],
  CHAT_SLOW_MODE: [429, 'Slow mode is on in this room. Try again after details.retryAfterSeconds.'],
  CHAT_REPEATED: [409, 'You just wrote this. Change it, or try again after details.retryAfterSeconds.'],
  CHAT_ACTION_UNKNOWN: [
    400,
    'Unknown action. Use MUTE_USER, UNMUTE_USER, DELETE_MESSAGE, CLEAR_ROOM or SET_SLOW_MODE.',
  ],
  CHAT_MESSAGE_NOT_FOUND: [404, 'Message not found. Messages are deleted after 30 days.'],
});
