import { accountingJobs } from './modules/accounting/jobs.ts';
import { accountJobs } from './modules/auth/account/jobs.ts';
import { sessionJobs } from './modules/auth/jobs.ts';
import { betJobs } from './modules/bets/jobs.ts';
import { currencyJobs } from './modules/currencies/jobs.ts';
import { houseGameJobs } from './modules/house-games/jobs.ts';
import { returnJobs } from './modules/house-games/returns/jobs.ts';
import { speedRouletteJobs } from './modules/house-games/speed-roulette/jobs.ts';
import { idempotencyJobs } from './modules/idempotency/jobs.ts';
import { kycJobs } from './modules/kyc/jobs.ts';
import { mailJobs } from './modules/mail/jobs.ts';
import { depositJobs } from './modules/payments/deposits/jobs.ts';
import { withdrawalJobs, withdrawalTasks } from './modules/payments/withdrawals/jobs.ts';
import { userStatsJobs } from './modules/user-stats/jobs.ts';
import { webhookJobs } from './modules/webhooks/jobs.ts';
import { purgeHits } from './platform/hits.ts';
import { startJobs } from './platform/jobs.ts';
import { purgeDeadJobs, startQueue } from './platform/queue.ts';
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
    bets,
    userStats,
    inbox,
    kyc,
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
  const minute = () => Math.floor(Date.now() / 60_000);
  const jobs = startJobs(
    [
      ...currencyJobs(currencies, config),
      ...sessionJobs(db),
      ...idempotencyJobs(db),
      ...houseGameJobs(abandoned, oldSeeds),
      ...userStatsJobs(userStats),
      ...returnJobs(returns, returnAlerts),
      ...accountingJobs(accounting),
      ...betJobs(bets),
      ...webhookJobs(inbox),
      ...kycJobs(kyc),
      ...depositJobs(deposits),
      ...withdrawalJobs(withdrawals),
      ...speedRouletteJobs(speedRoulette),
      { name: 'rate-limits.purge', everyMs: 60_000, run: () => purgeHits(db, minute()) },
      { name: 'queue.purge', everyMs: 3_600_000, run: () => purgeDeadJobs(db) },
    ],
    { connectionString, log: log.named('jobs') },
  );
  const tasks = { ...mailJobs(mail), ...accountJobs(account), ...withdrawalTasks(withdrawals) };
  const queue = startQueue({
    connectionString,
    tasks,
    concurrency: QUEUE_CONCURRENCY,
    log: log.named('jobs'),
  });
  return {
    async close() {
      await Promise.all([jobs.close(), queue.close()]);
    },
  };
}
