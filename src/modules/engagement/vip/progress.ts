import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { int2Array, int4Array, int8Array } from '../../../platform/pg-arrays.ts';
import { addJob } from '../../../platform/queue.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { readRestrictions, transactionTime } from '../../compliance/gate/service.ts';

/** What players have wagered more, or less, in the order of their ids; each column an array as text. */
type Wagered = Record<'users' | 'usd', string>;
/** A level that a player has crossed by a bet, and what it is worth. */
type Crossed = { userId: number; level: number; thresholdUsd: Units; rewardUsd: Units };

/** Pays what a player is owed for levels. */
export const PAY_LEVELS = 'vip-rewards';

/**
 * Adds what was wagered, raises levels, and writes down what is owed for each that was crossed; it is paid by a job. Rows are locked in the
 * order of users, vip_progress, vip_rewards.
 */
export async function addWagered(tx: Tx, wagered: Wagered, crossed: readonly Crossed[]): Promise<void> {
  const raised = await raiseLevels(tx, crossed);
  await sql`
    insert into vip_progress as p (user_id, wagered_usd)
    select * from unnest(${wagered.users}::int4[], ${wagered.usd}::numeric[])
    on conflict (user_id) do update set wagered_usd = p.wagered_usd + excluded.wagered_usd`.execute(tx);
  if (crossed.length > 0) await owe(tx, crossed);
  await queuePayments(tx, wagered);
  await announce(tx, raised);
}

type Raised = { userId: number; level: number; previousLevel: number };

/** Levels never fall: staff may have granted a higher one meanwhile. */
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

/** A level that was granted before it was crossed keeps its row. */
const owe = (tx: Tx, crossed: readonly Crossed[]) =>
  sql`
  insert into vip_rewards (user_id, level, status, threshold_usd, reward_usd)
  select user_id, level, case when reward > 0 then 'OWED' else 'SKIPPED' end, threshold, reward
  from unnest(${int4Array(crossed.map(({ userId }) => userId))}::int4[], ${int2Array(crossed.map(({ level }) => level))}::int2[],
    ${int8Array(crossed.map(({ thresholdUsd }) => thresholdUsd))}::int8[], ${int8Array(crossed.map(({ rewardUsd }) => rewardUsd))}::int8[])
    v(user_id, level, threshold, reward)
  on conflict (user_id, level) do nothing`.execute(tx);

/** What is owed to somebody who has fallen below its threshold waits until they have wagered as much again. */
async function queuePayments(tx: Tx, { users }: Wagered): Promise<void> {
  const { rows } = await sql<{ userId: number }>`
    select distinct user_id as "userId" from vip_rewards r join vip_progress p using (user_id)
    where r.status = 'OWED' and p.wagered_usd >= r.threshold_usd and user_id = any(${users}::int4[])`.execute(
    tx,
  );
  for (const { userId } of rows) await addJob(tx, PAY_LEVELS, { userId }, { key: `${PAY_LEVELS}:${userId}` });
}

/** Not to those who have excluded themselves. */
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
    await emitEvent(tx, { event: 'vip.level', userId, data: { level, previousLevel } });
    await notify(tx, userId, 'vip.level', { level });
  }
}
