import { defineModule } from '../../../http/module.ts';
import { deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';
import { checks } from './checks.ts';
import { getBotActivity, listBotActivities } from './list.ts';
import { changeBotActivity, setBotActivity } from './manage.ts';
import { type BotActivityDeps, createBotActivities, ROWS_EXPIRY } from './service.ts';
import { toggleBot } from './toggle.ts';

export const botActivity = defineModule({
  name: 'bot-activity',
  checks,
  tags: {
    BotActivity:
      'Simulated activity in the live feed, always marked as simulated. No one can sign in with a bot account, and it cannot play or receive anything.',
  },
  create: (before: Parameters<typeof createBotActivities>[0]) => ({
    botActivity: createBotActivities(before),
  }),
  operations: [listBotActivities, getBotActivity, setBotActivity, changeBotActivity, toggleBot],
  jobs: ({ db, botActivity: { isOn, isDue, make } }: BotActivityDeps) => [
    ...(isOn ? [{ name: 'bot-activity.make', everyMs: 2000, isDue, run: make }] : []),
    {
      name: 'bot-activity.purge',
      everyMs: 3_600_000,
      run: () => deleteDue(db, ROWS_EXPIRY),
      overdue: [overdueOf(ROWS_EXPIRY)],
    },
  ],
  start: ({ botActivity }) => botActivity.start(),
  close: ({ botActivity }) => botActivity.close(),
});
