import { sql } from 'kysely';
import { defineModule } from '../../../http/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { checks } from './checks.ts';
import { type CreditDeps, createCredits } from './credit.ts';
import type { PaymentDeps } from './deps.ts';
import { createDepositGate } from './may-deposit.ts';
import { paymentMessages } from './messages.ts';
import { createProviders } from './providers/registry.ts';
import { OPEN } from './withdrawals/rules.ts';

/** Functions that modules of higher layers provide: limit warnings, welcome promotions and affiliate commission. */
export type ForPayments = Pick<CreditDeps, 'warnOfDeposits' | 'queueWelcomeBonus' | 'referred'>;

type Before = Omit<PaymentDeps, 'log' | 'clock' | 'providers' | 'credits' | 'depositGate'> &
  CreditDeps & { log: Logs; databaseClock: Clock };

/** Providers, credits and deposit checks that are used by both deposits and withdrawals. */
export const payments = defineModule({
  name: 'payments',
  tags: {
    Payments: 'Deposits and withdrawals of players. In the backoffice: review and approval by staff.',
    'Admin Payments': 'Review deposits and approve withdrawals.',
    'Admin withdrawals block': "Block a player's withdrawals.",
  },
  messages: paymentMessages,
  checks,
  create({ databaseClock: clock, ...before }: Before) {
    const log = before.log.named('payments');
    const payments: PaymentDeps = {
      ...before,
      log,
      clock,
      providers: createProviders({ ...before, log, clock }),
      credits: createCredits(before),
      depositGate: createDepositGate(before),
    };
    const { providers, credits } = payments;
    return { payments, providers, credits, referred: before.referred };
  },
  watch: ({ db, metrics }: { db: Db; metrics: Metrics }) => watchPayments(db, metrics),
});

const READ_EVERY_MS = 15_000;

/** Registers metrics of unfinished payments: withdrawals by state, deposits under review and returned deposits. */
export function watchPayments(db: Db, metrics: Metrics): void {
  metrics.watchEach(
    'state',
    {
      croupier_withdrawals_open: 'Withdrawals that are not finished',
      croupier_withdrawals_open_oldest_seconds: 'Age of the oldest open withdrawal',
    },
    async () =>
      (await readOpenWithdrawals(db)).map(({ state, count, seconds }) => ({
        label: state,
        figures: { croupier_withdrawals_open: count, croupier_withdrawals_open_oldest_seconds: seconds },
      })),
    READ_EVERY_MS,
  );
  metrics.watchAll(
    {
      croupier_deposits_under_review: 'Deposits that wait for a decision by staff',
      croupier_deposits_under_review_oldest_seconds: 'Age of the oldest deposit under review',
      croupier_deposit_returns_unknown:
        'Returned deposits for which the provider has not confirmed whether they were sent',
    },
    async () => {
      const { waiting, seconds, unknown } = await readReviews(db);
      return {
        croupier_deposits_under_review: waiting,
        croupier_deposits_under_review_oldest_seconds: seconds,
        croupier_deposit_returns_unknown: unknown,
      };
    },
    READ_EVERY_MS,
  );
}

/**
 * Returns a row for every open state, including states without withdrawals, so that an alert ends when the last withdrawal leaves its
 * state.
 */
async function readOpenWithdrawals(db: Db) {
  const { rows } = await sql<{ state: string; count: number; seconds: number }>`
    select state, count(w.id)::int4 as count,
      coalesce(extract(epoch from now() - min(w.created_at)), 0)::float8 as seconds
    from unnest(${OPEN}::text[]) state left join withdrawals w on w.status = state
    group by state`.execute(db);
  return rows;
}

async function readReviews(db: Db) {
  const { rows } = await sql<{ waiting: number; seconds: number; unknown: number }>`
    select count(*)::int4 as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds,
      (select count(*)::int4 from deposit_returns where status = 'UNKNOWN_OUTCOME') as unknown
    from deposits where status = 'UNDER_REVIEW'`.execute(db);
  return rows[0]!;
}
