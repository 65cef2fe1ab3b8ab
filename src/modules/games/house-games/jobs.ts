import type { Job } from '../../../platform/jobs.ts';
import type { Abandoned } from '../betting/abandoned.ts';
import type { OldSeeds } from './old-seeds.ts';
import type { ReturnAlerts } from './returns/alerts/service.ts';

type Sources = { abandoned: Abandoned; oldSeeds: OldSeeds; returnAlerts: ReturnAlerts };

export const houseGameJobs = ({ abandoned, oldSeeds, returnAlerts }: Sources): Job[] => [
  { name: 'rounds.abandoned', everyMs: 60_000, run: () => abandoned.sweep() },
  { name: 'seeds.old', everyMs: 300_000, run: () => oldSeeds.sweep() },
  { name: 'returns.check', everyMs: 600_000, run: () => returnAlerts.check() },
];
