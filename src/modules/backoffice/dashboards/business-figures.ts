import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { generationOf } from '../../games/bets/effects.ts';
import { EARLIEST, LATEST, type Steps } from './periods/rules.ts';
import { readPayments, readRegistrations } from './queries.ts';
import { dollars } from './rules.ts';

const READ_EVERY_MS = 60_000;
const EVER: Steps = { starts: [EARLIEST], until: LATEST };

/**
 * Exports all-time business totals as metrics, without test users and staff. The totals are read from the dashboard sums at most once a
 * minute. The metrics are gauges, because a rolled-back bet or a reversed deposit reduces them. Use `delta` to get the change over a
 * period.
 */
export function watchBusiness(reads: Db, metrics: Metrics): void {
  metrics.watchAll(
    {
      croupier_deposits_completed: 'Credited deposits',
      croupier_deposits_completed_usd: 'Credited deposits in US dollars',
      croupier_deposits_failed: 'Failed deposits',
      croupier_withdrawals_completed: 'Paid withdrawals',
      croupier_withdrawals_completed_usd: 'Paid withdrawals in US dollars',
      croupier_withdrawals_failed: 'Failed withdrawals',
      croupier_sign_ups: 'Players who have signed up',
    },
    async () => {
      const [payments, [signUps]] = await Promise.all([
        readPayments(reads, EVER),
        readRegistrations(reads, EVER),
      ]);
      const [deposits, withdrawals] = [sumOf(payments, 'DEPOSIT'), sumOf(payments, 'WITHDRAW')];
      return {
        croupier_deposits_completed: Number(deposits.count),
        croupier_deposits_completed_usd: dollars(deposits.usdAmount),
        croupier_deposits_failed: Number(deposits.failed),
        croupier_withdrawals_completed: Number(withdrawals.count),
        croupier_withdrawals_completed_usd: dollars(withdrawals.usdAmount),
        croupier_withdrawals_failed: Number(withdrawals.failed),
        croupier_sign_ups: Number(signUps),
      };
    },
    READ_EVERY_MS,
  );
  metrics.watchEach(
    'provider',
    {
      croupier_bets: 'Settled bets with own money',
      croupier_stakes_usd: 'Stakes of own money in US dollars',
      croupier_ggr_usd: 'Gross gaming revenue in US dollars: stakes less payouts of own money',
    },
    () => readPlay(reads),
    READ_EVERY_MS,
  );
}

type Payments = Awaited<ReturnType<typeof readPayments>>;

function sumOf(payments: Payments, direction: Payments[number]['direction']) {
  const sum = { count: 0n, failed: 0n, usdAmount: 0n };
  for (const payment of payments) {
    if (payment.direction !== direction) continue;
    sum.count += payment.count;
    sum.failed += payment.failed;
    sum.usdAmount += payment.usdAmount;
  }
  return sum;
}

/** Reads play by provider from the hourly sums per provider, which have far fewer rows than the daily sums per game. */
async function readPlay(reads: Db) {
  const { rows } = await sql<Record<'slug' | 'bets' | 'staked' | 'paid', string>>`
    select p.slug, sum(bets)::text as bets, sum(own_staked_usd)::text as staked, sum(own_paid_usd)::text as paid
    from provider_hours h join game_providers p on p.id = h.provider_id
    where generation = ${generationOf('user-stats')} group by 1`.execute(reads);
  return rows.map(({ slug, bets, staked, paid }) => ({
    label: slug,
    figures: {
      croupier_bets: Number(bets),
      croupier_stakes_usd: dollars(BigInt(staked)),
      croupier_ggr_usd: dollars(BigInt(staked) - BigInt(paid)),
    },
  }));
}
