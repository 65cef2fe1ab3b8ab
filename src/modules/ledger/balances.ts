import type { DbOrTx } from '../../platform/db.ts';
import type { Units } from '../../platform/money.ts';

export type Balances = {
  currencyId: string;
  cash: Units;
  vault: Units;
  bonus: Units;
  hold: Units;
  version: bigint;
  updatedAt: Date;
};

/** A player's balances in every currency he has ever had, by currency. */
export async function balancesOf(db: DbOrTx, userId: number): Promise<Balances[]> {
  return db
    .selectFrom('wallets')
    .select([
      'currency_id as currencyId',
      'cash',
      'vault',
      'bonus',
      'hold',
      'version',
      'updated_at as updatedAt',
    ])
    .where('user_id', '=', userId)
    .orderBy('currency_id')
    .execute();
}
