import { defineModule } from '../../../http/module.ts';
import { overdueOf } from '../../../platform/jobs/purge.ts';
import { listMessages } from './list.ts';
import { moderate } from './moderate.ts';
import type { ChatDeps } from './queries.ts';
import { type Chat, EXPIRIES, purgeChat } from './service.ts';

export const chat = defineModule<ChatDeps & { chat: Chat }>({
  name: 'chat',
  operations: [moderate, listMessages],
  backoffice: { operations: [moderate], without: '/admin', tag: 'Chat' },
  jobs: ({ db }) => [
    {
      name: 'chat.purge',
      everyMs: 3_600_000,
      run: () => purgeChat(db),
      overdue: EXPIRIES.map(overdueOf),
    },
  ],
  close: ({ chat }) => chat.close(),
});
