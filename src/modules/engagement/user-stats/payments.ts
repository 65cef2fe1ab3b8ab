import { sql } from 'kysely';
import type { z } from 'zod';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Period, periodStart } from '../../../platform/periods.ts';
import { SHORT_USER_COLUMNS, type Sight, toShortPrivateUser } from '../../base/users/service.ts';
import type { TransactionStatsQuery, TransactionStatsRow } from './schemas.ts';

const RANGES = { HOURLY: 'HOUR', DAILY: 'DAY', WEEKLY: 'WEEK', MONTHLY: 'MONTH' } as const;
/** How long the short periods are kept: nobody asks for one that is over. */
const KEPT_DAYS = { HOUR: 2, DAY: 40 } as const satisfies Partial<Record<Period, number>>;
const DAY_MS = 86_400_000;

export const createPaymentStats = ({ db, clock }: { db: Db; clock: Clock }) => ({
  /** Who paid in, or was paid, how much in the running period, through the index in the order of amounts. */
  async transactions(
    query: z.output<typeof TransactionStatsQuery>,
    sight: Sight,
  ): Promise<Page<z.input<typeof TransactionStatsRow>>> {
    const period = query.dataRange ? RANGES[query.dataRange] : 'ALL';
    const start = periodStart(period, new Date(clock.now()));
    const all = db
      .selectFrom('payment_stats')
      .where('kind', '=', query.transactionType)
      .where('period', '=', period)
      .where('period_start', '=', sql<Date>`${start}`);
    const { total } = await all.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
    return pageOf(query, total, async (offset) => {
      const top = all
        .select(['user_id', 'usd_amount', 'payments', 'last_at'])
        .orderBy('usd_amount', query.sortOrder)
        .orderBy('user_id', query.sortOrder)
        .limit(query.take)
        .offset(offset);
      const rows = await db
        .selectFrom(top.as('top'))
        .innerJoin('users', 'users.id', 'top.user_id')
        .select(['usd_amount', 'payments', 'last_at', ...SHORT_USER_COLUMNS])
        .orderBy('usd_amount', query.sortOrder)
        .orderBy('user_id', query.sortOrder)
        .execute();
      return rows.map((row) => ({
        userId: row.id,
        user: toShortPrivateUser(row, sight),
        amount: formatUnits(BigInt(row.usd_amount)),
        count: Number(row.payments),
        lastTransactionAt: iso(row.last_at),
      }));
    });
  },

  /** Deletes hours and days that are long over. */
  async purge(): Promise<void> {
    for (const [period, days] of Object.entries(KEPT_DAYS)) {
      await db
        .deleteFrom('payment_stats')
        .where('kind', 'in', ['DEPOSIT', 'WITHDRAW'])
        .where('period', '=', period)
        .where('period_start', '<', new Date(clock.now() - days * DAY_MS))
        .execute();
    }
  },
});
