import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Overdue } from '../../../platform/jobs/jobs.ts';
import type { Rate } from '../../../platform/money.ts';

/** Reads every currency with its networks and its stored rate in one statement, so that the data is consistent. */
export async function readCurrencies(db: DbOrTx) {
  return db
    .selectFrom('currencies as c')
    .leftJoin('exchange_rates as r', 'r.currency_id', 'c.id')
    .selectAll('c')
    .select(['r.usd_rate', 'r.source', 'r.updated_at'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('currency_networks as n')
          .select(['n.id', 'n.name', 'n.deposit_enabled as depositEnabled'])
          .select('n.withdraw_enabled as withdrawEnabled')
          .select(['n.confirmations', 'n.memo_required as memoRequired', 'n.address_kind as addressKind'])
          .select(['n.eta_minutes as etaMinutes'])
          // Selected as text, because JSON numbers are parsed as floats.
          .select(sql<string>`n.min_deposit::text`.as('minDeposit'))
          .select(sql<string>`n.min_withdraw::text`.as('minWithdraw'))
          .select(sql<string>`n.withdraw_fee::text`.as('withdrawFee'))
          .whereRef('n.currency_id', '=', 'c.id')
          .orderBy('n.id'),
      ).as('networks'),
    )
    .orderBy('c.sort_order')
    .orderBy('c.id')
    .execute();
}

export type CurrencyRow = Awaited<ReturnType<typeof readCurrencies>>[number];

export async function readCurrencyIds(db: DbOrTx): Promise<string[]> {
  const rows = await db.selectFrom('currencies').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** Returns the time of the last reading. Every reading stores the rate of the dollar. */
export async function readLastReading(db: DbOrTx): Promise<Date | undefined> {
  const rates = db.selectFrom('exchange_rates').select('updated_at').where('currency_id', '=', 'USD');
  return (await rates.executeTakeFirst())?.updated_at;
}

/** A stored rate. It also contains the last reading if that reading jumped and must still be confirmed by a second one. */
export type Known = { rate: Rate; pending: { rate: Rate; at: Date } | null };

/** Locks the stored rates until the transaction ends. */
export async function lockRates(tx: Tx): Promise<Map<string, Known>> {
  const rows = await tx
    .selectFrom('exchange_rates')
    .select(['currency_id', 'usd_rate', 'pending_rate', 'pending_at'])
    .orderBy('currency_id')
    .forUpdate()
    .execute();
  return new Map(
    rows.map(({ currency_id, usd_rate, pending_rate: rate, pending_at: at }) => [
      currency_id,
      { rate: usd_rate, pending: rate === null || at === null ? null : { rate, at } },
    ]),
  );
}

/** Stores readings that need confirmation by a second one. The current rates do not change. */
export async function storePending(tx: Tx, readings: readonly StoredRate[]): Promise<void> {
  for (const { id, rate, source, at } of readings)
    await tx
      .updateTable('exchange_rates')
      .set({ pending_rate: rate, pending_source: source, pending_at: at })
      .where('currency_id', '=', id)
      .execute();
}

/** Stores rates, and adds the first rate of every minute to the history. */
export async function storeRates(tx: Tx, rates: readonly StoredRate[]): Promise<void> {
  if (rates.length === 0) return;
  await tx
    .insertInto('exchange_rates')
    .values(rates.map((r) => ({ currency_id: r.id, usd_rate: r.rate, source: r.source, updated_at: r.at })))
    .onConflict((conflict) =>
      conflict.column('currency_id').doUpdateSet((eb) => ({
        usd_rate: eb.ref('excluded.usd_rate'),
        source: eb.ref('excluded.source'),
        updated_at: eb.ref('excluded.updated_at'),
        pending_rate: null,
        pending_source: null,
        pending_at: null,
      })),
    )
    .execute();
  await tx
    .insertInto('exchange_rate_points')
    .values(rates.map((r) => ({ currency_id: r.id, usd_rate: r.rate, at: minuteOf(r.at) })))
    .onConflict((conflict) => conflict.columns(['currency_id', 'at']).doNothing())
    .execute();
}

type StoredRate = { id: string; rate: Rate; source: string; at: Date };

const minuteOf = (at: Date) => new Date(at.getTime() - (at.getTime() % 60_000));

/** Finds when the oldest point in the rate history of any currency expires. */
export const overduePoints = (keepMs: number): Overdue => ({
  table: 'exchange_rate_points',
  due: () => sql`
    select p.at + make_interval(secs => ${keepMs / 1000}) from currencies c cross join lateral (
      select at from exchange_rate_points where currency_id = c.id order by at limit 1) p order by p.at limit 1`,
});

/** Deletes one batch of old points, which are found by currency through the primary key. */
export const deletePointsBefore = (before: Date) => sql`
  delete from exchange_rate_points where (currency_id, at) in (
    select p.currency_id, p.at from currencies c cross join lateral (
      select currency_id, at from exchange_rate_points where currency_id = c.id and at < ${before} order by at limit 1000) p
    limit 10000)`;

/** Returns the points after `from` and up to `to`, oldest first. */
export async function readPoints(db: DbOrTx, range: { id: string; from: Date; to: Date; limit: number }) {
  return db
    .selectFrom('exchange_rate_points')
    .select(['at', 'usd_rate'])
    .where('currency_id', '=', range.id)
    .where('at', '>', range.from)
    .where('at', '<=', range.to)
    .orderBy('at')
    .limit(range.limit)
    .execute();
}
