import { defineModule } from '../../../http/module.ts';
import { overdueOf } from '../../../platform/jobs/purge.ts';
import { listMessages } from './list.ts';
import { moderate } from './moderate.ts';
import type { ChatDeps } from './queries.ts';
import { chatEvents } from './schemas.ts';
import { type Chat, createChat, EXPIRIES, purgeChat } from './service.ts';

type Services = ChatDeps & { chat: Chat };

export const chat = defineModule({
  name: 'chat',
  tags: {
    Chat: 'Moderation of the chat.',
    'Admin Chat': 'Moderation of the chat, and its messages.',
  },
  events: chatEvents,
  create: (before: ChatDeps) => ({ chat: createChat(before) }),
  operations: [moderate, listMessages],
  backoffice: { operations: [moderate], without: '/admin', tag: 'Chat' },
  jobs: ({ db }: Services) => [
    {
      name: 'chat.purge',
      everyMs: 3_600_000,
      run: () => purgeChat(db),
      overdue: EXPIRIES.map(overdueOf),
    },
  ],
  close: ({ chat }: Services) => chat.close(),
});
