import type { Consumer } from '../http/module.ts';
import { consumerJob } from '../modules/games/bets/consume.ts';
import { PROBES_EXPIRY } from '../platform/database/commit-probe.ts';
import type { Db } from '../platform/database/db.ts';
import { watchDatabase } from '../platform/database/figures.ts';
import { type Job, measure, startJobs } from '../platform/jobs/jobs.ts';
import { watchOverdue } from '../platform/jobs/overdue.ts';
import { purgeJob } from '../platform/jobs/purge.ts';
import { overdueHits, purgeHits } from '../platform/limits/hits.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { overdueDeadJobs, purgeDeadJobs, queueLoad } from '../platform/queue/dead.ts';
import { startQueue, type Tasks } from '../platform/queue/queue.ts';
import { AREAS } from './areas.ts';
import type { Services } from './services.ts';

/** Number of queued tasks and cron jobs that one worker runs concurrently. Most of them wait for external servers or the database. */
const QUEUE_CONCURRENCY = 8;

/**
 * Starts all background work: repeated jobs and tasks that requests have queued. Each job runs in only one worker at a time, regardless of
 * the number of workers.
 */
export function startWorker(services: Services, connectionString: string) {
  const { db, log, metrics, availability } = services;
  const { primary } = services.database;
  for (const area of AREAS) area.watch?.(services);
  watchQueue(services);
  watchDatabase(db, metrics);
  const all = allJobs(services);
  watchOverdue(services, all);
  const jobs = startJobs(all, {
    connectionString,
    primary,
    isAway: availability.isAway,
    log: log.named('jobs'),
    metrics,
  });
  const tasks = AREAS.flatMap((area) => Object.entries(area.tasks?.(services) ?? {}));
  const queue = startQueue({
    connectionString,
    primary,
    isAway: availability.isAway,
    tasks: { ...measured(tasks, metrics), ...jobs.tasks },
    cron: jobs.cron,
    concurrency: QUEUE_CONCURRENCY,
    log: log.named('jobs'),
  });
  return {
    async close() {
      await Promise.all([jobs.close(), queue.close()]);
    },
  };
}

/** Returns all consumers of settled bets. */
export const betConsumers = (s: Services): Consumer[] => AREAS.flatMap((area) => area.consumers?.(s) ?? []);

/** Returns all repeated jobs. */
export const allJobs = (s: Services): Job[] => [
  ...AREAS.flatMap((area) => area.jobs?.(s) ?? []),
  ...betConsumers(s).map((consumer) => consumerJob(consumer, s.idsTaken)),
  ...platformJobs(s.db),
];

const platformJobs = (db: Db): Job[] => [
  { name: 'rate-limits.purge', everyMs: 60_000, run: () => purgeHits(db), overdue: [overdueHits] },
  { name: 'queue.purge', everyMs: 3_600_000, run: () => purgeDeadJobs(db), overdue: [overdueDeadJobs] },
  purgeJob(db, { name: 'commit-probes.purge', everyMs: 3_600_000, expiries: [PROBES_EXPIRY] }),
];

const measured = (tasks: readonly [string, Tasks[string]][], metrics: Metrics): Tasks =>
  Object.fromEntries(
    tasks.map(([name, task]) => [name, (payload: unknown) => measure(metrics, name, () => task(payload))]),
  );

/** Exports metrics for waiting and dead jobs. */
function watchQueue({ db, metrics }: Pick<Services, 'db' | 'metrics'>) {
  metrics.watchAll(
    {
      croupier_queue_jobs_waiting: 'Due jobs of the queue',
      croupier_queue_jobs_dead: 'Dead jobs: queued tasks that exhausted their attempts',
      croupier_queue_oldest_waiting_seconds: 'Waiting time of the oldest due task',
    },
    async () => {
      const { waiting, dead, oldestSeconds } = await queueLoad(db);
      return {
        croupier_queue_jobs_waiting: waiting,
        croupier_queue_jobs_dead: dead,
        croupier_queue_oldest_waiting_seconds: oldestSeconds,
      };
    },
  );
}
