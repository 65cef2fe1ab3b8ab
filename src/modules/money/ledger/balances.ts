import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';

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

/** Returns the balances of many players. A player who has never had money is missing. */
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

/** Creates a player's wallet in a currency, so that later bookings find one. */
export async function openWallet(tx: Tx, userId: number, currencyId: string): Promise<void> {
  await tx
    .insertInto('wallets')
    .values({ user_id: userId, currency_id: currencyId })
    .onConflict((oc) => oc.doNothing())
    .execute();
}
