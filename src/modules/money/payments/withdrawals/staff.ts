import type { StaffCall } from '../../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { assertMayDecide } from '../../../base/access/connected.ts';
import type { Actor } from '../../../base/access/rules.ts';
import { freshActor } from '../../../base/access/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { openClaimsOf } from '../../ledger/claims.ts';
import { toPublicBlock } from './blocks.ts';
import { withdrawalErrors } from './errors.ts';
import { findBlock, type WithdrawalRow } from './queries.ts';
import { type StaffView, viewOf } from './staff-view.ts';
import { getWithdrawal, lockWithdrawal } from './transition.ts';

/** A decision of staff about one withdrawal: what, about which, under which key. */
export type Decision = { id: string; operation: string; key: string | undefined; input?: object };
export type Decide = (tx: Tx, row: WithdrawalRow, actor: Actor) => Promise<unknown>;

/**
 * Runs a decision once per key, under the locks of whoever decides, the player and the row, by the rights of that moment; answers
 * the withdrawal as it is then. Throws 404 WITHDRAWAL_NOT_FOUND, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as
 * freshActor does.
 */
export async function decide(db: Db, by: StaffCall, decision: Decision, work: Decide): Promise<StaffView> {
  const { id, operation, key, input } = decision;
  const { user_id: playerId } = await getWithdrawal(db, id);
  const actorId = by.user.id;
  const repeatable = { userId: actorId, key, operation, input: { id, ...input }, alsoLocks: [playerId] };
  return runIdempotently(db, repeatable, async (tx) => {
    const row = await lockWithdrawal(tx, id, [actorId]);
    await work(tx, row, await managerOf(tx, by, row));
    return viewOf(tx, by, id);
  });
}

/** The same without a key, for what may be repeated as often as one likes. */
export const decideFreely = (db: Db, by: StaffCall, id: string, work: Decide): Promise<StaffView> =>
  transaction(db, async (tx) => {
    const row = await lockWithdrawal(tx, id, [by.user.id]);
    await work(tx, row, await managerOf(tx, by, row));
    return viewOf(tx, by, id);
  });

async function managerOf(tx: Tx, by: StaffCall, row: WithdrawalRow): Promise<Actor> {
  const actor = await freshActor(tx, by);
  await assertMayDecide(tx, actor, await getUser(tx, row.user_id));
  return actor;
}

/** Whether something has come up about a player since his withdrawal was approved: a ban, a block, or what he owes. */
export async function isStopped(tx: Tx, { user_id }: WithdrawalRow): Promise<boolean> {
  const { banned_at } = await getUser(tx, user_id);
  if (banned_at || (await findBlock(tx, user_id))) return true;
  return (await openClaimsOf(tx, user_id)).size > 0;
}

/** Nothing goes out to whom somebody has blocked since, or who owes. Throws 403 WITHDRAWAL_BLOCKED, 409 CLAIMS_OPEN. */
export async function assertMayLeave(tx: Tx, { user_id }: WithdrawalRow): Promise<void> {
  const block = await findBlock(tx, user_id);
  if (block) throw gateErrors.WITHDRAWAL_BLOCKED(toPublicBlock(block));
  const claims = await openClaimsOf(tx, user_id);
  if (claims.size === 0) return;
  const owed = [...claims].map(([currencyId, amount]) => ({ currencyId, amount: formatUnits(amount) }));
  throw withdrawalErrors.CLAIMS_OPEN({ owed });
}
