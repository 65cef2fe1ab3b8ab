import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';

/** Rewards of challenges that have a winner and were not paid yet, by currency. */
export async function owedRewards(db: DbOrTx): Promise<Map<string, Units>> {
  const rows = await db
    .selectFrom('challenges')
    .select(['reward_currency_id as currencyId', sql<string>`sum(reward_amount)::text`.as('amount')])
    .where('status', '=', 'WINNER_SELECTED')
    .where('deleted_at', 'is', null)
    .groupBy('reward_currency_id')
    .execute();
  return new Map(rows.map(({ currencyId, amount }) => [currencyId, BigInt(amount)]));
}
