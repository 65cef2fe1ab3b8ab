import type { Job } from '../../../../platform/jobs.ts';
import type { ProviderReports } from './service.ts';

const HOUR_MS = 3_600_000;

export const providerReportJobs = ({ providerReports }: { providerReports: ProviderReports }): Job[] => [
  { name: 'providers.compare', everyMs: HOUR_MS, run: () => providerReports.compare() },
  { name: 'providers.rounds', everyMs: HOUR_MS, run: () => providerReports.lookAfterRounds() },
  { name: 'providers.sessions', everyMs: HOUR_MS, run: () => providerReports.purge() },
];
