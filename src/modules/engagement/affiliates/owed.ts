import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { firstUnripeDay } from './rules.ts';

/** Dollars that all affiliates could claim at this moment, whatever else speaks against a claim. */
export async function owedCommission(
  db: DbOrTx,
  siteConfig: Pick<SiteConfig, 'get'>,
  now: Date,
): Promise<Units> {
  const unripe = firstUnripeDay(now, siteConfig.get('AFFILIATES').holdDays) ?? 'infinity';
  const { rows } = await sql<{ owed: string }>`
    with unripe as (
      select affiliate_user_id as user_id, sum(earned_usd) as usd from affiliate_days where day >= ${unripe}::date group by 1)
    select coalesce(sum(greatest(earned_usd - coalesce(usd, 0) - claimed_usd, 0)), 0)::text as owed
    from affiliates left join unripe using (user_id)`.execute(db);
  return BigInt(rows[0]!.owed);
}
