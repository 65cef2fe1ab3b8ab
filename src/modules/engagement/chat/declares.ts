import { event } from '../../base/events/schemas.ts';
import { InRoom, MessageDeleted, Muted, SlowMode } from './schemas.ts';

export const declares = {
  about: 'rooms in which players write: who may, how often and what; what staff does about it',
  tags: {
    Chat: 'Moderation of the chat.',
    'Admin Chat': 'Moderation of the chat, and what was written in it.',
  },
  permissions: {
    'chat.moderate': 'Mute players, delete messages, clear rooms and slow them down',
  },
  events: {
    'chat.message': event('chat', 'Somebody has written a message, or given a tip in public.', InRoom),
    'chat.deleted': event('chat', 'Staff has deleted a message: it is shown no more.', MessageDeleted),
    'chat.cleared': event('chat', 'Staff has cleared the room: nothing of before is shown any more.', InRoom),
    'chat.slow-mode': event('chat', 'Staff has set how often a player may write in the room.', SlowMode),
    'chat.muted': event('user', 'Staff has muted the player in all rooms, or let them write again.', Muted),
  },
} as const;
