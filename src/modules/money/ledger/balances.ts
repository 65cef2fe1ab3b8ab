import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
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

/** A player's balances in every currency they have ever had, by currency. */
export const balancesOf = (db: DbOrTx, userId: number): Promise<Balances[]> =>
  db.selectFrom('wallets').select(COLUMNS).where('user_id', '=', userId).orderBy('currency_id').execute();

/** The balances of many players; a player who has never had money is missing. */
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

/** Lets a player have money in a currency: what others book later finds a wallet. */
export async function openWallet(tx: Tx, userId: number, currencyId: string): Promise<void> {
  await tx
    .insertInto('wallets')
    .values({ user_id: userId, currency_id: currencyId })
    .onConflict((oc) => oc.doNothing())
    .execute();
}
