import { sql } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { lockPlayers } from '../players/service.ts';
import { getUser } from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { type Actor, assertMayManage, type Target } from './rules.ts';
import { freshActor } from './service.ts';

/**
 * Returns true if two accounts are the same, or if one of them opened the other, directly or through other accounts. The person who opened
 * an account may know its credentials, so decisions about money treat both accounts as one person. `opened_by` never changes, so no lock is
 * needed.
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
 * Asserts that a staff member may decide about a player's money. Staff may not decide about their own money or that of a connected account.
 * Throws the errors of assertMayManage, and 403 ACCOUNT_CONNECTED.
 */
export async function assertMayDecide(tx: Tx, actor: Actor, owner: Target): Promise<void> {
  assertMayManage(actor, owner);
  if (await areConnected(tx, actor.id, owner.id)) throw accessErrors.ACCOUNT_CONNECTED();
}

/** Returns true if at least two of the accounts are not connected with each other, so that they belong to at least two people. */
export async function areTwoPeople(tx: Tx, ids: readonly number[]): Promise<boolean> {
  for (const [i, a] of ids.entries())
    for (const b of ids.slice(i + 1)) if (!(await areConnected(tx, a, b))) return true;
  return false;
}

/**
 * Locks both the staff member and the player of a staff decision, and asserts that the staff member may decide. Because of the lock, a
 * concurrent ban of the staff member either has been committed already or waits. Returns the caller's current record. Throws 404
 * USER_NOT_FOUND, and the errors of freshActor and assertMayDecide.
 */
export async function lockForDecision(tx: Tx, by: StaffCall, userId: number): Promise<Actor> {
  await lockPlayers(tx, [by.user.id, userId]);
  const actor = await freshActor(tx, by);
  await assertMayDecide(tx, actor, await getUser(tx, userId));
  return actor;
}

/**
 * Locks people until the transaction ends, so that totals over connected accounts cannot change after they are read. Connected accounts
 * share the same root in the `opened_by` chain, so one lock on the root covers all of them. Lock players first.
 */
export async function lockPeople(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`
    with recursive opener (id, up) as (
      select id, opened_by from users where id = any(${ids}::int4[])
      union
      select u.id, u.opened_by from opener o join users u on u.id = o.up
    ), tops as materialized (select distinct id from opener where up is null order by id)
    select pg_advisory_xact_lock(hashtextextended('person ' || id, 0)) from tops`.execute(tx);
}

/**
 * Returns the total amount that an account and its connected accounts have moved, given the totals per account. The person must be locked
 * first (lockPeople).
 */
export async function sumOfPerson(
  tx: Tx,
  id: number,
  sums: readonly { id: number; usd: Units }[],
): Promise<Units> {
  let all = 0n;
  for (const sum of sums) if (await areConnected(tx, id, sum.id)) all += sum.usd;
  return all;
}
