import { sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { type Account, accountOf } from './rules.ts';
import { createSafeWatermark } from './safe-watermark.ts';

const CURSOR = 'account-hours';
/** How long to wait for the safe watermark. Transactions of bets end within this time. */
const PATIENCE_MS = 1000;
/**
 * `POSTINGS` is the target number of postings in a slice. `IDS` contains the number of ids in the first, the largest and the smallest
 * slice.
 */
const POSTINGS = 200_000;
const IDS = { first: 2n ** 22n, most: 2n ** 25n, least: 2n ** 10n };
/** The first id of each month is a multiple of this number, far above the last id of the month before. */
const MONTH = 2n ** 43n;

/** Selects the debited and the credited account of the postings that match a condition, with the change to each account's balance. */
const sidesOf = (which: ReturnType<typeof sql>) => sql`
  select date_trunc('hour', created_at, 'UTC') as hour, currency_id, account, change from ledger_lines
  cross join lateral (values (debit, -amount), (credit, amount)) side(account, change) where ${which}`;

/**
 * Maintains the hourly balance changes of each platform account, and of each player account as a sum over all players. `firstIds` is the
 * number of ids in the first slice.
 */
export function createAccountHours(db: Db, { firstIds = IDS.first } = {}) {
  const safeWatermark = createSafeWatermark(db, { patienceMs: PATIENCE_MS });
  return {
    /**
     * Adds the postings since the last call, slice by slice, until all are added or the worker stops. Without new ids it writes nothing.
     */
    async rollUp(closing?: AbortSignal): Promise<void> {
      const upTo = (await safeWatermark()) - 1n;
      let ids = firstIds;
      while (!closing?.aborted) {
        const found = await transaction(db, (tx) => rollUpSlice(tx, upTo, ids));
        if (found === undefined) return;
        if (found > 2 * POSTINGS && ids > IDS.least) ids /= 2n;
        if (found < POSTINGS / 2 && ids < IDS.most) ids *= 2n;
      }
    },
  };
}

/** Adds the postings of the next ids and returns their number, or undefined if there are no more ids. */
async function rollUpSlice(tx: Tx, upTo: bigint, ids: bigint): Promise<number | undefined> {
  const { position } = await tx
    .selectFrom('cursors')
    .select('position')
    .where('name', '=', CURSOR)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (position >= upTo) return undefined;
  const end = least(position + ids, upTo);
  const found = await add(tx, position, end);
  const reached = found > 0 ? end : await skip(tx, end, upTo);
  await tx
    .updateTable('cursors')
    .set({ position: reached, updated_at: sql<Date>`now()` })
    .where('name', '=', CURSOR)
    .execute();
  return found;
}

async function add(tx: Tx, after: bigint, end: bigint): Promise<number> {
  const { rows } = await sql<{ found: number }>`
    with moved as materialized (
      select hour, currency_id, account, sum(change) as change, count(*) as sides
      from (${sidesOf(sql`id > ${after} and id <= ${end}`)}) sides group by 1, 2, 3),
    added as (
      insert into account_hours as h (hour, currency_id, account, change)
      select hour, currency_id, account, change from moved order by 1, 2, 3
      on conflict (hour, currency_id, account) do update set change = h.change + excluded.change)
    select coalesce(sum(sides) / 2, 0)::int as found from moved`.execute(tx);
  return rows[0]!.found;
}

/** Returns the next position after a slice without postings: the end of the slice, or the end of the month if it has no more postings. */
async function skip(tx: Tx, from: bigint, upTo: bigint): Promise<bigint> {
  const end = least((from / MONTH + 1n) * MONTH - 1n, upTo);
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ledger_lines where id > ${from} and id <= ${end}) as found`.execute(tx);
  return rows[0]!.found ? from : end;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export type AccountHours = ReturnType<typeof createAccountHours>;

/** The balance of an account in one currency. For a player account it is the sum over all players. */
export type AccountTotal = { currencyId: string; account: Account; amount: Units };

/**
 * Returns the balance of every account before a full hour, or the current balance if that hour is in the future. Includes postings beyond
 * the cursor. Omits zero balances.
 */
export async function accountTotals(db: DbOrTx, before: Date): Promise<AccountTotal[]> {
  const day = sql`(${before}::timestamptz at time zone 'UTC')::date`;
  const { rows } = await sql<{ currencyId: string; account: number; amount: string }>`
    select currency_id as "currencyId", account, sum(change)::text as amount from (
      select currency_id, account, change from account_days where day < ${day}
      union all
      select currency_id, account, change from account_hours where hour >= ${day}::timestamp at time zone 'UTC' and hour < ${before}
      union all
      select currency_id, account, sum(change) from (
        ${sidesOf(sql`id > (select position from cursors where name = ${CURSOR}) and created_at < ${before}`)}) sides group by 1, 2
    ) parts group by 1, 2 having sum(change) <> 0 order by 1, 2`.execute(db);
  return rows.map(({ account, amount, ...row }) => ({
    ...row,
    account: accountOf(account),
    amount: BigInt(amount),
  }));
}
