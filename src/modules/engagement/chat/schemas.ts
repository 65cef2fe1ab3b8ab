import { z } from 'zod';
import { Amount, CurrencyId, Id, Moment, object } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { event, events } from '../../base/events/schemas.ts';
import { ShortPublicUser } from '../../base/users/schemas.ts';

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
    'Unknown action. Use MUTE_USER, UNMUTE_USER, DELETE_MESSAGE, CLEAR_ROOM, SET_SLOW_MODE or SEND_MESSAGE.',
  ],
  CHAT_MESSAGE_NOT_FOUND: [404, 'Message not found. Messages are deleted after 30 days.'],
});

export const RoomId = z.string().min(1).max(32).meta({
  description: 'The id of a chat room, as in the event room `chat:<roomId>`.',
  example: 'general',
});
export const MessageId = Id.meta({ description: 'Increases with every message, across all rooms.' });
const SlowModeSeconds = z.number().int().min(0).max(3600).meta({
  description: 'The minimum time between two messages from the same player. If it is 0, slow mode is off.',
});

/** Accepts the name of a room (`chat:general`) or its id. */
export const NamedRoom = z
  .string()
  .max(64)
  .transform((name) => name.replace(/^chat:/, ''));

export const IsStaff = z.boolean().meta({
  description: 'True if the author wrote as a member of staff. Clients mark these messages.',
});

const ChatTip = object('ChatTip', {
  recipient: ShortPublicUser,
  currencyId: CurrencyId,
  amount: Amount,
  usdAmount: Amount,
});

/** A message as all players see it. */
export const ChatMessage = object('ChatMessage', {
  id: MessageId,
  roomId: RoomId,
  user: ShortPublicUser.meta({
    description: "The author's current profile. The name is `Incognito` if the profile is private.",
  }),
  text: z.string().meta({
    description: 'Plain text, which clients must display unchanged. Empty for a tip without a message.',
  }),
  isStaff: IsStaff,
  tip: ChatTip.nullable().meta({ description: 'Set if the message announces a public tip.' }),
  createdAt: Moment,
});
export type ChatMessage = z.input<typeof ChatMessage>;

/** The current state of a room. */
export const ChatHistory = z.strictObject({
  roomId: RoomId,
  slowModeSeconds: SlowModeSeconds,
  messages: z.array(ChatMessage).max(50).meta({ description: 'The newest messages, oldest first.' }),
});
export type ChatHistory = z.input<typeof ChatHistory>;

/** Event payloads. */
const InRoom = z.strictObject({ roomId: RoomId });
const MessageDeleted = InRoom.extend({ messageId: MessageId });
const SlowMode = InRoom.extend({ seconds: SlowModeSeconds });
const Muted = z.strictObject({
  until: Moment.nullable().meta({ description: 'Null if the mute has ended.' }),
});

export const chatEvents = events({
  'chat.message': event(
    'chat',
    'A player or a member of staff has written a message, or a player has sent a public tip.',
    InRoom,
  ),
  'chat.deleted': event('chat', 'Staff have deleted a message. Remove it from view.', MessageDeleted),
  'chat.cleared': event(
    'chat',
    'Staff have cleared the room. Remove all earlier messages from view.',
    InRoom,
  ),
  'chat.slow-mode': event('chat', 'Staff have changed the slow mode of the room.', SlowMode),
  'chat.muted': event('user', 'Staff have muted the player in all rooms, or ended the mute.', Muted),
});
