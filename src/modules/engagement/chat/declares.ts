import { errors } from '../../../platform/errors.ts';
import { event } from '../../base/events/schemas.ts';
import { InRoom, MessageDeleted, Muted, SlowMode } from './schemas.ts';

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

export const declares = {
  about: 'chat rooms for players, with eligibility rules, rate limits and moderation',
  tags: {
    Chat: 'Moderation of the chat.',
    'Admin Chat': 'Moderation of the chat, and its messages.',
  },
  permissions: {
    'chat.moderate': 'Mute players, delete messages, clear rooms and set slow mode',
  },
  events: {
    'chat.message': event('chat', 'A player has written a message, or sent a public tip.', InRoom),
    'chat.deleted': event('chat', 'Staff have deleted a message. Remove it from view.', MessageDeleted),
    'chat.cleared': event(
      'chat',
      'Staff have cleared the room. Remove all earlier messages from view.',
      InRoom,
    ),
    'chat.slow-mode': event('chat', 'Staff have changed the slow mode of the room.', SlowMode),
    'chat.muted': event('user', 'Staff have muted the player in all rooms, or ended the mute.', Muted),
  },
} as const;
