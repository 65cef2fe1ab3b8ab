import type { Job } from '../../../platform/jobs.ts';
import type { Abandoned } from '../betting/abandoned.ts';
import type { OldSeeds } from './old-seeds.ts';

export const houseGameJobs = (abandoned: Abandoned, oldSeeds: OldSeeds): Job[] => [
  { name: 'rounds.abandoned', everyMs: 60_000, run: () => abandoned.sweep() },
  { name: 'seeds.old', everyMs: 300_000, run: () => oldSeeds.sweep() },
];
