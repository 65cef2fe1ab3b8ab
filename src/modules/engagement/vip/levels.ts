import { sql } from 'kysely';
import { z } from 'zod';
import { int2Array, int4Array, int8Array } from '../../../platform/database/arrays.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { currencyToUsdDown, type Units, units, usdToCurrencyDown } from '../../../platform/money.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import type { VipLevel } from '../../base/site-config/rewards/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { announceUserChange, getUser } from '../../base/users/service.ts';
import { type Gate, readRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { type createCashGrants, VIP_REWARD } from '../../money/bonus/cash.ts';
import type { Currencies } from '../../money/currencies/service.ts';

export const vipMessages = messages({
  'vip.level': message<{ level: number }>('VIP', {
    en: { title: 'New VIP level', body: (f) => `You have reached VIP level ${f.level}.` },
    de: { title: 'Neue VIP-Stufe', body: (f) => `Sie haben VIP-Stufe ${f.level} erreicht.` },
    es: { title: 'Nuevo nivel VIP', body: (f) => `Ha alcanzado el nivel VIP ${f.level}.` },
  }),
});

/** Changes to wagered totals, ordered by user id. A change may be negative. Each column is a PostgreSQL array as a string. */
type Wagered = Record<'users' | 'usd', string>;
/** A VIP level that a player has reached with a bet. */
type Crossed = { userId: number; level: number; thresholdUsd: Units; rewardUsd: Units };

/** Name of the task that pays a player's level rewards. */
export const PAY_LEVELS = 'vip-rewards';

/**
 * Adds wagered amounts, raises levels and stores the reward of each reached level. A task pays the rewards. Locks rows in the order users,
 * vip_progress, vip_rewards.
 */
export async function addWagered(tx: Tx, wagered: Wagered, crossed: readonly Crossed[]): Promise<void> {
  const raised = await raiseLevels(tx, crossed);
  await sql`
    insert into vip_progress as p (user_id, wagered_usd)
    select * from unnest(${wagered.users}::int4[], ${wagered.usd}::numeric[])
    on conflict (user_id) do update set wagered_usd = p.wagered_usd + excluded.wagered_usd`.execute(tx);
  if (crossed.length > 0) await insertRewards(tx, crossed);
  await queuePayments(tx, wagered);
  await announce(tx, raised);
}

type Raised = { userId: number; level: number; previousLevel: number };

/** Raises levels. Never lowers a level, because staff may have granted a higher level in the meantime. */
async function raiseLevels(tx: Tx, crossed: readonly Crossed[]): Promise<Raised[]> {
  if (crossed.length === 0) return [];
  const reached = new Map<number, Raised>();
  for (const { userId, level } of crossed) {
    const { previousLevel } = reached.get(userId) ?? { previousLevel: level - 1 };
    reached.set(userId, { userId, level, previousLevel });
  }
  const all = [...reached.values()];
  const { rows } = await sql<{ id: number }>`
    with locked as materialized (
      select id, vip_level from users where id = any(${int4Array(all.map(({ userId }) => userId))}::int4[])
      order by id for no key update)
    update users u set vip_level = v.level
    from unnest(${int4Array(all.map(({ userId }) => userId))}::int4[], ${int2Array(all.map(({ level }) => level))}::int2[]) v(id, level)
      join locked using (id)
    where u.id = v.id and locked.vip_level < v.level returning u.id`.execute(tx);
  const ids = new Set(rows.map(({ id }) => id));
  return all.filter(({ userId }) => ids.has(userId));
}

/** Stores the rewards of reached levels. If staff granted a level earlier, its row is kept. */
const insertRewards = (tx: Tx, crossed: readonly Crossed[]) =>
  sql`
  insert into vip_rewards (user_id, level, status, threshold_usd, reward_usd)
  select user_id, level, case when reward > 0 then 'OWED' else 'SKIPPED' end, threshold, reward
  from unnest(${int4Array(crossed.map(({ userId }) => userId))}::int4[], ${int2Array(crossed.map(({ level }) => level))}::int2[],
    ${int8Array(crossed.map(({ thresholdUsd }) => thresholdUsd))}::int8[], ${int8Array(crossed.map(({ rewardUsd }) => rewardUsd))}::int8[])
    v(user_id, level, threshold, reward)
  on conflict (user_id, level) do nothing`.execute(tx);

/** Queues payments of owed rewards. After a reversal, a reward waits until the player has again wagered enough to reach its threshold. */
async function queuePayments(tx: Tx, { users }: Wagered): Promise<void> {
  const { rows } = await sql<{ userId: number }>`
    select distinct user_id as "userId" from vip_rewards r join vip_progress p using (user_id)
    where r.status = 'OWED' and p.wagered_usd >= r.threshold_usd and user_id = any(${users}::int4[])`.execute(
    tx,
  );
  for (const { userId } of rows) await addJob(tx, PAY_LEVELS, { userId }, { key: `${PAY_LEVELS}:${userId}` });
}

/** Announces the new levels of players. Self-excluded players receive no event and no notification. */
async function announce(tx: Tx, raised: readonly Raised[]): Promise<void> {
  if (raised.length === 0) return;
  const at = await transactionTime(tx);
  const restrictions = await readRestrictions(
    tx,
    raised.map(({ userId }) => userId),
  );
  for (const { userId, level, previousLevel } of raised) {
    await announceUserChange(tx, userId);
    if ((restrictions.get(userId)?.excludedUntil ?? at) > at) continue;
    await emitEvent(tx, { event: baseEvents['vip.level'], userId, data: { level, previousLevel } });
    await notify(tx, userId, vipMessages['vip.level'], { level });
  }
}

export type VipDeps = {
  db: Db;
  gate: Gate;
  currencies: Currencies;
  siteConfig: Pick<SiteConfig, 'get'>;
  cashGrants: ReturnType<typeof createCashGrants>;
};

const CURRENCY = 'USDT';
const Payload = z.object({ userId: z.number().int() });

/**
 * The handler of the task `vip-rewards`. Throws JobHopeless for a payload without a player. If payLevels throws, the queue retries the
 * task.
 */
export function runPayLevels(deps: VipDeps, payload: unknown): Promise<void> {
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) throw new JobHopeless('names no player');
  return payLevels(deps, parsed.data.userId);
}

/**
 * Pays the level rewards that a player is owed and has wagered enough for. If the gate refuses the player at this moment, the player loses
 * these rewards permanently. Throws 409 RATE_STALE.
 */
export const payLevels = (deps: VipDeps, userId: number): Promise<void> =>
  transaction(deps.db, async (tx) => {
    const { country_code: country } = await getUser(tx, userId);
    const refusals = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
    for (const reward of await lockOwed(tx, userId)) {
      const grantId = refusals.length > 0 ? null : await pay(tx, deps, userId, reward);
      await setDecided(tx, { userId, level: reward.level, grantId });
    }
  });

type Owed = { level: number; rewardUsd: Units };

/** Locks the owed rewards and the wagered total, which cannot change until the transaction ends. */
async function lockOwed(tx: Tx, userId: number): Promise<Owed[]> {
  const { rows } = await sql<Owed>`
    with progress as materialized (select wagered_usd from vip_progress where user_id = ${userId} for no key update)
    select level, reward_usd as "rewardUsd" from vip_rewards
    where user_id = ${userId} and status = 'OWED' and threshold_usd <= (table progress) order by level for no key update`.execute(
    tx,
  );
  return rows;
}

/** Pays the reward of a level as a grant. Returns the id of the grant. */
async function pay(tx: Tx, deps: VipDeps, userId: number, { level, rewardUsd }: Owed): Promise<bigint> {
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

/** Marks a reward as PAID by this grant, or as SKIPPED if there is no grant. */
const setDecided = (
  tx: Tx,
  { userId, level, grantId }: { userId: number; level: number; grantId: bigint | null },
) =>
  tx
    .updateTable('vip_rewards')
    .set({ status: grantId === null ? 'SKIPPED' : 'PAID', grant_id: grantId, decided_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('level', '=', level)
    .execute();

/**
 * Marks the rewards of levels that staff granted as skipped, so that they are never paid. Rewards that the player is already owed are kept.
 * The user's row must be locked.
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
