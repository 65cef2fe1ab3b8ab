import { type RawBuilder, sql } from 'kysely';
import { int4Array } from '../../../platform/database/arrays.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { RARE } from './sources.ts';

export type Balances = {
  currencyId: string;
  cash: Units;
  vault: Units;
  bonus: Units;
  hold: Units;
  version: bigint;
  updatedAt: Date;
};

const COLUMNS = [
  'currency_id as currencyId',
  'cash',
  'vault',
  'bonus',
  'hold',
  'version',
  'updated_at as updatedAt',
] as const;

/** Returns a player's balances in every currency they have ever had, ordered by currency. */
export const balancesOf = (db: DbOrTx, userId: number): Promise<Balances[]> =>
  db.selectFrom('wallets').select(COLUMNS).where('user_id', '=', userId).orderBy('currency_id').execute();

/** Returns the balances of many players. Omits players who have never had money. */
export async function balancesOfMany(
  db: DbOrTx,
  userIds: readonly number[],
): Promise<Map<number, Balances[]>> {
  const rows = await db
    .selectFrom('wallets')
    .select(['user_id as userId', ...COLUMNS])
    .where('user_id', '=', sql<number>`any(${userIds}::int4[])`)
    .orderBy('user_id')
    .orderBy('currency_id')
    .execute();
  return Map.groupBy(rows, (row) => row.userId);
}

/** Creates a player's wallet in a currency, so that later postings find it. */
export async function openWallet(tx: Tx, userId: number, currencyId: string): Promise<void> {
  await tx
    .insertInto('wallets')
    .values({ user_id: userId, currency_id: currencyId })
    .onConflict((oc) => oc.doNothing())
    .execute();
}

/** A range of ids. Both ends are exclusive. */
export type Range = { after: bigint; below: bigint };

export type TouchedWallet = {
  userId: number;
  currencyId: string;
  cash: Units;
  vault: Units;
  version: bigint;
};

/** Selects stakes and payouts in a later block than their bet. Must be identical to the condition of the partial index (0021-feed.sql). */
const LATER = sql`(id >> 10) <> (entry_id >> 10)`;

/**
 * Returns those wallets of these players in which money has moved, with current balances, which may be later than the range. There are
 * three sorts of postings: rare kinds, those in a later block than their bet, and those written together with their bet. The first two have
 * indexes. For the third, the query `made` returns `user_id` and `currency_id` of the bets placed in the range. The cost depends on the
 * activity, not on the number of players.
 */
export async function touchedWallets(
  db: Db,
  userIds: readonly number[],
  { after, below, made }: Range & { made: RawBuilder<unknown> },
): Promise<TouchedWallet[]> {
  const within = sql`id > ${after} and id < ${below}`;
  const { rows } = await sql<TouchedWallet>`
    with touched as materialized (
      select user_id, currency_id from (select * from ledger_lines where ${within} and ${RARE} offset 0) rare
      union select user_id, currency_id from (select * from ledger_lines where ${within} and ${LATER} offset 0) later
      union ${made}
    )
    select w.user_id as "userId", w.currency_id as "currencyId", w.cash, w.vault, w.version
    from (select * from touched where user_id = any(${int4Array(userIds)}::int4[])) t
    cross join lateral (select * from wallets w where w.user_id = t.user_id and w.currency_id = t.currency_id offset 0) w`.execute(
    db,
  );
  return rows;
}

/** Returns players whose money has moved in a range of ids, ignoring stakes and payouts. */
export async function playersMoved(db: DbOrTx, { after, below }: Range): Promise<number[]> {
  const { rows } = await sql<{ userId: number }>`
    select distinct user_id as "userId" from (
      select * from ledger_lines where id > ${after} and id < ${below} and ${RARE} offset 0) rare`.execute(
    db,
  );
  return rows.map(({ userId }) => userId);
}
