import { errors } from '../../../platform/errors.ts';

export const chatErrors = errors({
  CHAT_DISABLED: [403, 'The chat is switched off at the moment.'],
  CHAT_ROOM_NOT_FOUND: [404, 'There is no such room; GET /config/USER lists them (chat.rooms).'],
  CHAT_TEXT_EMPTY: [400, 'The message has no text.'],
  CHAT_TEXT_TOO_LONG: [400, 'The message is longer than 200 characters.'],
  CHAT_LINK: [400, 'Messages hold no addresses. Put a space behind a full stop.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your e-mail address first.'],
  CHAT_NOT_ALLOWED: [403, 'This account may not write in the chat.'],
  CHAT_MUTED: [403, 'This account may not write in the chat until details.until.'],
  CHAT_UNDERAGE: [403, 'Only adults write in the chat.'],
  CHAT_WAGER_NEEDED: [403, 'Wager more first: details say how much has to be and was wagered.'],
  CHAT_TOO_FAST: [429, 'Too many messages; wait as details.retryAfterSeconds says.'],
  CHAT_SLOW_MODE: [429, 'Slow mode is on in this room; wait as details.retryAfterSeconds says.'],
  CHAT_REPEATED: [409, 'This was just said; say something else, or wait as details.retryAfterSeconds says.'],
  CHAT_ACTION_UNKNOWN: [
    400,
    'There is no such action; there are MUTE_USER, UNMUTE_USER, DELETE_MESSAGE, CLEAR_ROOM and SET_SLOW_MODE.',
  ],
  CHAT_MESSAGE_NOT_FOUND: [404, 'There is no such message, or it is older than the chat is kept.'],
});
