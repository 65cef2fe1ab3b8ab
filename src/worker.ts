import { type BetConsumer, consumerJob } from './modules/games/bets/consume.ts';
import { purgeDead } from './platform/broker/postgres-queries.ts';
import { purgeCommitProbes } from './platform/commit-probe.ts';
import type { Db } from './platform/db.ts';
import { messageOf } from './platform/errors.ts';
import { purgeHits } from './platform/hits.ts';
import { type Job, measure, startJobs } from './platform/jobs.ts';
import type { Metrics } from './platform/metrics.ts';
import { startQueue, type Tasks } from './platform/queue.ts';
import { purgeDeadJobs, queueLoad } from './platform/queue-dead.ts';
import { AREAS, type Services } from './services.ts';

/** Jobs of the queue that one worker runs at the same time: most of them wait for somebody else's server. */
const QUEUE_CONCURRENCY = 4;

/**
 * Everything that happens without a request: what repeats, and the jobs that requests have put into the queue. However
 * many workers run, each job runs in one of them at a time.
 */
export function startWorker(services: Services, connectionString: string) {
  const { db, log, metrics, availability } = services;
  const { primary } = services.database;
  for (const area of AREAS) area.watch?.(services);
  watchQueues(services);
  const jobs = startJobs([...jobsOf(services), ...platformJobs(db)], {
    db,
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
    tasks: measured(tasks, metrics),
    concurrency: QUEUE_CONCURRENCY,
    log: log.named('jobs'),
  });
  subscribe(services);
  return {
    async close() {
      await Promise.all([jobs.close(), queue.close()]);
    },
  };
}

/** A broker that is away is asked again until it is there. */
function subscribe(services: Services): void {
  const { broker, log } = services;
  const all = AREAS.flatMap((area) => area.subscriptions?.(services) ?? []);
  for (const { queue, patterns, handle, maxAttempts } of all)
    void broker
      .subscribe(queue, patterns, handle, { maxAttempts })
      .catch((error: unknown) =>
        log.named('broker').error({ queue, error: messageOf(error) }, 'nobody consumes a queue'),
      );
}

/** What consumes settled bets. */
export const betConsumers = (s: Services): BetConsumer[] =>
  AREAS.flatMap((area) => area.consumers?.(s) ?? []);

const jobsOf = (s: Services): Job[] => [
  ...AREAS.flatMap((area) => area.jobs?.(s) ?? []),
  ...betConsumers(s).map((consumer) => consumerJob(consumer, s.idsTaken)),
];

const platformJobs = (db: Db): Job[] => [
  { name: 'rate-limits.purge', everyMs: 60_000, run: () => purgeHits(db) },
  { name: 'queue.purge', everyMs: 3_600_000, run: () => purgeDeadJobs(db) },
  { name: 'broker.purge', everyMs: 3_600_000, run: () => purgeDead(db) },
  { name: 'commit-probes.purge', everyMs: 3_600_000, run: () => purgeCommitProbes(db) },
];

const measured = (tasks: readonly [string, Tasks[string]][], metrics: Metrics): Tasks =>
  Object.fromEntries(
    tasks.map(([name, task]) => [name, (payload: unknown) => measure(metrics, name, () => task(payload))]),
  );

/** What waits and what was given up, for whoever watches the worker. */
function watchQueues({ db, broker, metrics }: Pick<Services, 'db' | 'broker' | 'metrics'>) {
  metrics.watch('broker_dead_letters', 'Messages that were given up', broker.dead.count);
  metrics.watchAll(
    {
      queue_jobs_waiting: 'Jobs of the queue that are due',
      queue_jobs_dead: 'Jobs of the queue that were given up',
      queue_oldest_waiting_seconds: 'How long the oldest job that is due has waited',
    },
    async () => {
      const { waiting, dead, oldestSeconds } = await queueLoad(db);
      return {
        queue_jobs_waiting: waiting,
        queue_jobs_dead: dead,
        queue_oldest_waiting_seconds: oldestSeconds,
      };
    },
  );
}
