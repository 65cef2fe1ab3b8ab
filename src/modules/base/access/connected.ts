import { sql } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/db.ts';
import { lockPlayers } from '../players/service.ts';
import { getUser } from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { type Actor, assertMayManage, type Target } from './rules.ts';
import { freshActor } from './service.ts';

/**
 * Whether one of two accounts opened the other, itself or through accounts that it opened, or both are one. Whoever opens an account
 * may know how to get into it, so the two count as one person where money is decided about. Who opened an account never
 * changes: no lock is needed.
 */
export async function areConnected(tx: Tx, a: number, b: number): Promise<boolean> {
  if (a === b) return true;
  const { rows } = await sql<{ connected: boolean }>`
    with recursive opener (of, id) as (
      values (${a}::int4, ${a}::int4), (${b}::int4, ${b}::int4)
      union
      select o.of, u.opened_by from opener o join users u on u.id = o.id where u.opened_by is not null
    )
    select exists (select from opener
      where (of = ${a} and id = ${b}) or (of = ${b} and id = ${a})) as connected`.execute(tx);
  return rows[0]!.connected;
}

/**
 * What lets money go or come is decided by nobody for themselves, nor for an account that is connected with theirs. Throws as
 * assertMayManage does, and 403 ACCOUNT_CONNECTED.
 */
export async function assertMayDecide(tx: Tx, actor: Actor, owner: Target): Promise<void> {
  assertMayManage(actor, owner);
  if (await areConnected(tx, actor.id, owner.id)) throw accessErrors.ACCOUNT_CONNECTED();
}

/** Whether there are two among these that are not connected: what needs two people needs them. */
export async function areTwoPeople(tx: Tx, ids: readonly number[]): Promise<boolean> {
  for (const [i, a] of ids.entries())
    for (const b of ids.slice(i + 1)) if (!(await areConnected(tx, a, b))) return true;
  return false;
}

/**
 * For a decision of staff about a player: locks both, so that a ban of the member of staff has either happened before or waits, and
 * asserts that they may decide. Answers the caller as they are now. Throws 404 USER_NOT_FOUND, and as freshActor and assertMayDecide do.
 */
export async function lockForDecision(tx: Tx, by: StaffCall, userId: number): Promise<Actor> {
  await lockPlayers(tx, [by.user.id, userId]);
  const actor = await freshActor(tx, by);
  await assertMayDecide(tx, actor, await getUser(tx, userId));
  return actor;
}
