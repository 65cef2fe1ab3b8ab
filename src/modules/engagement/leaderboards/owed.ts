import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';

/** Dollars of prizes that were won and not paid yet, by the currency that they will be paid in. */
export async function owedPrizes(db: DbOrTx): Promise<Map<string, Units>> {
  const { rows } = await sql<{ currencyId: string; usd: string }>`
    select r.currency_id as "currencyId", sum(s.prize_usd)::text as usd from leaderboards r
    join leaderboard_scores s on s.leaderboard_id = r.id and s.prize_usd is not null
    where r.status = 'AWAITING_PAYOUT' and not exists (
      select from leaderboard_prizes p where p.leaderboard_id = r.id and p.user_id = s.user_id)
    group by 1`.execute(db);
  return new Map(rows.map(({ currencyId, usd }) => [currencyId, BigInt(usd)]));
}
