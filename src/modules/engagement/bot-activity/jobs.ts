import type { Job } from '../../../platform/jobs.ts';
import type { BotActivities } from './service.ts';

export const botActivityJobs = (bots: BotActivities): Job[] => [
  ...(bots.isOn
    ? [{ name: 'bot-activity.make', everyMs: 2000, isDue: bots.isDue, run: () => bots.make() }]
    : []),
  { name: 'bot-activity.purge', everyMs: 3_600_000, run: () => bots.purge() },
];
