import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { OPEN } from './withdrawals/rules.ts';

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

/** Returns a row for every open state, so that an alert ends when the last withdrawal in that state changes its state. */
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
