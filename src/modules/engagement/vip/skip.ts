import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { units } from '../../../platform/money.ts';
import type { VipLevel } from '../../base/site-config/rewards/rules.ts';

/**
 * Levels that staff grants are not crossed by wagering: nothing is ever paid for them. What the player is owed already stays. The row of the
 * user must be locked.
 */
export async function skipLevels(tx: Tx, userId: number, levels: readonly VipLevel[]): Promise<void> {
  if (levels.length === 0) return;
  const rows = levels.map(({ level, wageredUsd, rewardUsd }) => ({
    user_id: userId,
    level,
    status: 'SKIPPED',
    threshold_usd: units(wageredUsd),
    reward_usd: units(rewardUsd),
    decided_at: sql<Date>`now()`,
  }));
  await tx
    .insertInto('vip_rewards')
    .values(rows)
    .onConflict((oc) => oc.columns(['user_id', 'level']).doNothing())
    .execute();
}
