import { z } from 'zod';
import { type Route, route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { chatErrors } from './errors.ts';
import { AdminAction, StaffChatMessage, StaffQuery } from './schemas.ts';
import type { Chat } from './service.ts';

const access = { permission: 'chat.moderate' } as const;

const adminAction = (chat: Chat) =>
  route({
    method: 'POST',
    path: '/chat/admin-action',
    tag: 'Chat',
    access,
    gate: 'none',
    summary: 'Mute a player, delete a message, clear a room or slow it down',
    description:
      'Holds at once for whatever is written, and sockets show it within a second. What is so already stays so. A player is kept out of the chat for good by `canUseChat: false`.',
    body: AdminAction,
    status: 201,
    response: SuccessResponse,
    errors: [
      chatErrors.CHAT_ACTION_UNKNOWN,
      userErrors.USER_NOT_FOUND,
      chatErrors.CHAT_MESSAGE_NOT_FOUND,
      chatErrors.CHAT_ROOM_NOT_FOUND,
      commonErrors.OWN_ACCOUNT,
    ],
    async handler({ by, body }) {
      await chat.moderate(by, body);
      return { success: true };
    },
  });

export const chatBackofficeRoutes = (chat: Chat): Route[] => [adminAction(chat)];

export const chatStaffRoutes = (chat: Chat): Route[] => [
  { ...adminAction(chat), path: '/admin/chat/admin-action', tag: 'Admin Chat' },
  route({
    method: 'GET',
    path: '/admin/chat/messages',
    tag: 'Admin Chat',
    access,
    summary: 'What was written in the last 30 days, the newest first',
    description:
      'With the player behind every message, whether they hide or not, and with deleted messages. The next page begins `before` the last one.',
    query: StaffQuery,
    response: z.array(StaffChatMessage),
    handler: ({ by, query }) => chat.list(by, query),
  }),
];
