import { accountJobs } from './modules/accounts/auth/account/jobs.ts';
import { sessionJobs } from './modules/accounts/auth/jobs.ts';
import { accountingJobs } from './modules/backoffice/accounting/jobs.ts';
import { auditJobs } from './modules/base/audit/jobs.ts';
import { eventJobs } from './modules/base/events/jobs.ts';
import { idempotencyJobs } from './modules/base/idempotency/jobs.ts';
import { mailJobs } from './modules/base/mail/jobs.ts';
import { notificationJobs } from './modules/base/notifications/jobs.ts';
import { userJobs } from './modules/base/users/jobs.ts';
import { webhookJobs } from './modules/base/webhooks/jobs.ts';
import { kycJobs } from './modules/compliance/kyc/jobs.ts';
import { limitJobs } from './modules/compliance/limits/jobs.ts';
import { limitWarningJobs } from './modules/engagement/limit-warnings/jobs.ts';
import { userStatsJobs } from './modules/engagement/user-stats/jobs.ts';
import { watchConsumers } from './modules/games/bets/consumers.ts';
import { betJobs } from './modules/games/bets/jobs.ts';
import { houseGameJobs } from './modules/games/house-games/jobs.ts';
import { returnJobs } from './modules/games/house-games/returns/jobs.ts';
import { speedRouletteJobs } from './modules/games/house-games/speed-roulette/jobs.ts';
import { currencyJobs } from './modules/money/currencies/jobs.ts';
import { createIdsTaken } from './modules/money/ledger/ids-taken.ts';
import { depositJobs } from './modules/money/payments/deposits/jobs.ts';
import { withdrawalJobs, withdrawalTasks } from './modules/money/payments/withdrawals/jobs.ts';
import { partitionJobs } from './modules/operations/partitions/jobs.ts';
import { relayJobs } from './modules/operations/relay/jobs.ts';
import { purgeConsumed } from './platform/broker/once.ts';
import { purgeDead } from './platform/broker/postgres-queries.ts';
import { purgeHits } from './platform/hits.ts';
import { measure, startJobs } from './platform/jobs.ts';
import type { Metrics } from './platform/metrics.ts';
import { purgeDeadJobs, startQueue, type Tasks } from './platform/queue.ts';
import { queueLoad } from './platform/queue-dead.ts';
import type { Services } from './services.ts';

/** Jobs of the queue that one worker runs at the same time: most of them wait for somebody else's server. */
const QUEUE_CONCURRENCY = 4;

/**
 * Everything that happens without a request: what repeats, and the jobs that requests have put into the queue. However
 * many workers run, each job runs in one of them at a time.
 */
export function startWorker(
  {
    db,
    log,
    config,
    currencies,
    mail,
    account,
    accounting,
    audit,
    partitions,
    bets,
    broker,
    metrics,
    relay,
    userStats,
    limitWarnings,
    webhooks,
    kyc,
    notifications,
    userLimits,
    deposits,
    withdrawals,
    abandoned,
    oldSeeds,
    returns,
    returnAlerts,
    speedRoulette,
  }: Services,
  connectionString: string,
) {
  watchConsumers(db, metrics);
  const ids = createIdsTaken(db);
  const jobs = startJobs(
    [
      ...currencyJobs(currencies, config),
      ...auditJobs(audit),
      ...sessionJobs(db, config),
      ...userJobs(db, config),
      ...idempotencyJobs(db, config),
      ...houseGameJobs(abandoned, oldSeeds),
      ...userStatsJobs(userStats, ids),
      ...limitWarningJobs(limitWarnings, ids),
      ...returnJobs(returns, returnAlerts, ids),
      ...accountingJobs(accounting, ids),
      ...betJobs(bets, ids),
      ...partitionJobs(partitions),
      ...eventJobs(db, config),
      ...webhookJobs(webhooks, config),
      ...kycJobs(kyc),
      ...limitJobs(userLimits),
      ...notificationJobs(notifications, config),
      ...depositJobs(deposits),
      ...withdrawalJobs(withdrawals),
      ...speedRouletteJobs(speedRoulette),
      ...relayJobs(relay, ids),
      { name: 'rate-limits.purge', everyMs: 60_000, run: () => purgeHits(db) },
      { name: 'queue.purge', everyMs: 3_600_000, run: () => purgeDeadJobs(db) },
      {
        name: 'broker.purge',
        everyMs: 3_600_000,
        run: async () => {
          await purgeConsumed(db);
          await purgeDead(db);
        },
      },
    ],
    { db, connectionString, log: log.named('jobs'), metrics },
  );
  const tasks = { ...mailJobs(mail), ...accountJobs(account), ...withdrawalTasks(withdrawals) };
  const queue = startQueue({
    connectionString,
    tasks: measured(tasks, metrics),
    concurrency: QUEUE_CONCURRENCY,
    log: log.named('jobs'),
  });
  watchQueues({ db, broker, metrics, relay });
  return {
    async close() {
      await Promise.all([jobs.close(), queue.close()]);
    },
  };
}

const measured = (tasks: Tasks, metrics: Metrics): Tasks =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      (payload: unknown) => measure(metrics, name, () => task(payload)),
    ]),
  );

/** What waits and what was given up, for whoever watches the worker. */
function watchQueues({ db, broker, metrics, relay }: Pick<Services, 'db' | 'broker' | 'metrics' | 'relay'>) {
  metrics.watch('outbox_lag_seconds', 'Age of the oldest event that the broker has not got', relay.lag);
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
