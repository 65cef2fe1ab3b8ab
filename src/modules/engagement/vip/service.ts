import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { currencyToUsdDown, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { JobHopeless } from '../../../platform/queue.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { type createCashGrants, VIP_REWARD } from '../../money/bonus/cash.ts';
import type { Currencies } from '../../money/currencies/service.ts';

type VipDeps = {
  db: Db;
  gate: Gate;
  currencies: Currencies;
  siteConfig: Pick<SiteConfig, 'get'>;
  cashGrants: ReturnType<typeof createCashGrants>;
};
type Owed = { level: number; rewardUsd: Units };

const CURRENCY = 'USDT';
const Job = z.object({ userId: z.number().int() });

/** Rewards of VIP levels, which bets have reached (progress.ts). */
export function createVip(deps: VipDeps) {
  return {
    /**
     * Pays what a player is owed and has wagered enough for. Whoever may not receive it at this moment loses it for good. Throws 409
     * RATE_STALE: the queue tries again.
     */
    payLevels: (userId: number): Promise<void> =>
      transaction(deps.db, async (tx) => {
        const { country_code: country } = await getUser(tx, userId);
        const refusals = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
        for (const owed of await lockOwed(tx, userId)) {
          const grantId = refusals.length > 0 ? null : await pay(deps, tx, userId, owed);
          await decide(tx, { userId, level: owed.level, grantId });
        }
      }),

    /** The job of the queue. */
    run(payload: unknown): Promise<void> {
      const job = Job.safeParse(payload);
      if (!job.success) throw new JobHopeless('names no player');
      return this.payLevels(job.data.userId);
    },
  };
}

/** What the player has wagered cannot change until the transaction ends. */
async function lockOwed(tx: Tx, userId: number): Promise<Owed[]> {
  const { rows } = await sql<Owed>`
    with progress as materialized (select wagered_usd from vip_progress where user_id = ${userId} for no key update)
    select level, reward_usd as "rewardUsd" from vip_rewards
    where user_id = ${userId} and status = 'OWED' and threshold_usd <= (table progress) order by level for no key update`.execute(
    tx,
  );
  return rows;
}

async function pay(deps: VipDeps, tx: Tx, userId: number, { level, rewardUsd }: Owed): Promise<bigint> {
  const { currencies, cashGrants, siteConfig } = deps;
  const rate = currencies.freshRate(CURRENCY);
  const amount = usdToCurrencyDown(rewardUsd, rate, currencies.get(CURRENCY).decimals);
  const usdAmount = currencyToUsdDown(amount, rate);
  const { rewardTurnoverPercent } = siteConfig.get('COMMON').vip;
  const grantId = await cashGrants.pay(tx, {
    userId,
    currencyId: CURRENCY,
    amount,
    usdAmount,
    terms: { ...VIP_REWARD, wagerMultiplierE2: rewardTurnoverPercent },
    source: 'VIP',
    sourceKey: `vip:${userId}:${level}`,
  });
  if (grantId === undefined) throw new Error(`level ${level} of user ${userId} was paid before`);
  return grantId;
}

/** PAID with the grant that it was paid by, SKIPPED without one. */
const decide = (
  tx: Tx,
  { userId, level, grantId }: { userId: number; level: number; grantId: bigint | null },
) =>
  tx
    .updateTable('vip_rewards')
    .set({ status: grantId === null ? 'SKIPPED' : 'PAID', grant_id: grantId, decided_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('level', '=', level)
    .execute();
