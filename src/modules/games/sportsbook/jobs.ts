import type { Job } from '../../../platform/jobs.ts';
import type { Sportsbook } from './service.ts';

export const sportsbookJobs = ({ tokens, keys }: Sportsbook): Job[] => [
  { name: 'sportsbook.tokens', everyMs: 3_600_000, run: () => tokens.purge() },
  { name: 'sportsbook.keys', everyMs: 86_400_000, run: () => keys.renew() },
];
