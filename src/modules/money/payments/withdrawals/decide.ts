import type { StaffCall } from '../../../../http/access.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { assertMayDecide } from '../../../base/access/connected.ts';
import { accessErrors } from '../../../base/access/errors.ts';
import { freshActor } from '../../../base/access/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { getUser } from '../../../base/users/service.ts';
import { withdrawalErrors } from '../errors.ts';
import { outgoingUsd, type WithdrawalRow } from './queries.ts';
import { FOUR_EYES_HOURS, needsFourEyes, plusUsd, type WithdrawalStatus } from './rules.ts';
import { Withdrawal } from './schemas.ts';
import type { WithdrawalDeps } from './service.ts';
import { getWithdrawal, lockWithdrawal } from './transition.ts';
import { type StaffView, viewOf } from './view.ts';

/** Route fields of all staff decisions about a withdrawal. */
export const staffDecision = {
  method: 'POST',
  tag: 'Admin Payments',
  access: { permission: 'withdraw.approve' },
  gate: 'staff',
  createsValue: 'returns',
  idempotent: true,
  response: Withdrawal,
} as const;

export const decisionErrors = [
  withdrawalErrors.WITHDRAWAL_NOT_FOUND,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
];

/** Statuses in which staff may approve or reject a withdrawal. */
export const REVIEWABLE: readonly WithdrawalStatus[] = ['WAITING_FOR_APPROVAL', 'ON_HOLD'];

type Decision = { id: string; operation: string; key: string | undefined; input?: object };
type Work = (tx: Tx, row: WithdrawalRow) => Promise<unknown>;

/**
 * Runs a decision once per idempotency key. Locks the staff member, the player and the withdrawal, and then checks the permissions again.
 * Returns the updated withdrawal. Throws `decisionErrors` and the errors of freshActor.
 */
export async function decide(db: Db, by: StaffCall, decision: Decision, work: Work): Promise<StaffView> {
  const { id, operation, key, input } = decision;
  const { user_id: playerId } = await getWithdrawal(db, id);
  const repeatable = { userId: by.user.id, key, operation, input: { id, ...input }, alsoLocks: [playerId] };
  return runIdempotently(db, repeatable, (tx) => decideIn(tx, by, id, work));
}

/** Like `decide`, but without an idempotency key, for decisions that are safe to repeat. */
export const decideRepeatably = (db: Db, by: StaffCall, id: string, work: Work): Promise<StaffView> =>
  transaction(db, (tx) => decideIn(tx, by, id, work));

async function decideIn(tx: Tx, by: StaffCall, id: string, work: Work): Promise<StaffView> {
  const row = await lockWithdrawal(tx, id, [by.user.id]);
  const actor = await freshActor(tx, by);
  await assertMayDecide(tx, actor, await getUser(tx, row.user_id));
  await work(tx, row);
  return viewOf(tx, by, id);
}

/**
 * Returns true if two staff members must approve this withdrawal. Two are needed if it reaches the threshold together with the player's
 * other withdrawals that are pending or were sent in the last 24 hours, or if one of these has no price. The lowest threshold of the last
 * 24 hours applies. A decision locks the player first.
 */
export async function needsTwoPeople(
  tx: DbOrTx,
  { siteConfig }: Pick<WithdrawalDeps, 'siteConfig'>,
  row: WithdrawalRow,
): Promise<boolean> {
  const others = await outgoingUsd(tx, { userId: row.user_id, hours: FOUR_EYES_HOURS, besides: row.id });
  const sum = plusUsd(others, row.is_priced ? row.usd_amount : null);
  return needsFourEyes(sum, await siteConfig.lowestOfDay(tx, 'fourEyesThresholdUsd'));
}

/** The columns of a withdrawal whose values before and after a decision are stored in the audit log. */
export const auditOf = (row: WithdrawalRow) => ({
  id: row.id,
  userId: row.user_id,
  status: row.status,
  attempt: row.attempt,
  firstApprovedBy: row.first_approved_by,
});
