import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { units } from '../../../../platform/money.ts';
import { areTwoPeople, assertMayDecide } from '../../../base/access/connected.ts';
import { freshActor } from '../../../base/access/service.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { getUser } from '../../../base/users/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { WithdrawalDeps } from '../deps.ts';
import { assertNotStopped } from './blocks.ts';
import { withdrawalErrors } from './errors.ts';
import { outgoingUsd, type WithdrawalRow } from './queries.ts';
import { FOUR_EYES_HOURS, needsFourEyes, plusUsd, type WithdrawalStatus } from './rules.ts';
import type { Rejection } from './schemas.ts';
import { queueSending } from './send.ts';
import { getWithdrawal, lockWithdrawal, move, updateWithdrawal } from './transition.ts';
import { type StaffView, viewOf } from './view.ts';

/** Statuses that staff may approve or reject. */
const UNDECIDED: readonly WithdrawalStatus[] = ['WAITING_FOR_APPROVAL', 'ON_HOLD'];

type ApproveDeps = WithdrawalDeps & { isForTwo: FourEyes };

/**
 * Approves a withdrawal for sending. Where two people have to (`createFourEyes`), the first approval is recorded and the second one, by
 * another person, decides; each proves their second factor. Throws 403 MFA_REQUIRED, 409 WITHDRAWAL_NOT_APPROVABLE, 409
 * SECOND_PERSON_NEEDED, 403 WITHDRAWAL_BLOCKED, 409 CLAIMS_OPEN, and as `decide` does.
 */
export const createApprove =
  ({ db, isForTwo, mfa }: ApproveDeps) =>
  (by: StaffCall, id: string, key: string | undefined) =>
    decide(db, by, { id, operation: 'withdraw.approve', key }, async (tx, row) => {
      const actorId = by.user.id;
      if (!UNDECIDED.includes(row.status))
        throw withdrawalErrors.WITHDRAWAL_NOT_APPROVABLE({ status: row.status });
      await assertNotStopped(tx, row);
      const isTwo = await isForTwo(tx, row);
      const first = row.first_approved_by;
      if (isTwo && first !== null && !(await areTwoPeople(tx, [first, actorId])))
        throw withdrawalErrors.SECOND_PERSON_NEEDED();
      if (isTwo) await mfa.stepUp.within(tx, by);
      const isFirstOfTwo = isTwo && first === null;
      const next = isFirstOfTwo
        ? await updateWithdrawal(tx, row, { first_approved_by: actorId })
        : await move(tx, row, {
            to: 'APPROVED',
            confirmed_by: actorId,
            confirmed_at: await transactionTime(tx),
            hold_reason: null,
          });
      if (!isFirstOfTwo) await queueSending(tx, id);
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });

/** Gives the money back, with a reason for the player: hold → cash. Throws 409 WITHDRAWAL_NOT_REJECTABLE, and as `decide` does. */
export const createReject =
  ({ db }: WithdrawalDeps) =>
  (by: StaffCall, { id, rejectReason }: z.output<typeof Rejection>, key: string | undefined) =>
    decide(db, by, { id, operation: 'withdraw.reject', key, input: { rejectReason } }, async (tx, row) => {
      if (!UNDECIDED.includes(row.status))
        throw withdrawalErrors.WITHDRAWAL_NOT_REJECTABLE({ status: row.status });
      const next = await move(tx, row, {
        to: 'REJECTED',
        reason: rejectReason,
        reject_reason: rejectReason,
        hold_reason: null,
        confirmed_by: by.user.id,
        confirmed_at: await transactionTime(tx),
      });
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next), reason: rejectReason });
    });

export type FourEyes = ReturnType<typeof createFourEyes>;

/**
 * Whether two of the staff have to approve this withdrawal: together with the player's other withdrawals that have left within a day
 * or may still leave it reaches the threshold, or one of them has no price. The player must be locked.
 */
export const createFourEyes =
  ({ siteConfig }: WithdrawalDeps) =>
  async (tx: Tx, row: WithdrawalRow): Promise<boolean> => {
    const others = await outgoingUsd(tx, { userId: row.user_id, hours: FOUR_EYES_HOURS, besides: row.id });
    const sum = plusUsd(others, row.is_priced ? row.usd_amount : null);
    return needsFourEyes(sum, units(siteConfig.get('WITHDRAWALS').fourEyesThresholdUsd));
  };

/** A decision of staff about one withdrawal, with its idempotency key. */
type Decision = { id: string; operation: string; key: string | undefined; input?: object };
type Decide = (tx: Tx, row: WithdrawalRow) => Promise<unknown>;

/**
 * Runs a decision once per key, under the locks of the member of staff, the player and the row, with rights read again under them.
 * Answers the withdrawal after it. Throws 404 WITHDRAWAL_NOT_FOUND, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as freshActor does.
 */
export async function decide(db: Db, by: StaffCall, decision: Decision, work: Decide): Promise<StaffView> {
  const { id, operation, key, input } = decision;
  const { user_id: playerId } = await getWithdrawal(db, id);
  const repeatable = { userId: by.user.id, key, operation, input: { id, ...input }, alsoLocks: [playerId] };
  return runIdempotently(db, repeatable, (tx) => decideIn(tx, by, id, work));
}

/** The same without a key, for decisions that may safely be repeated. */
export const decideFreely = (db: Db, by: StaffCall, id: string, work: Decide): Promise<StaffView> =>
  transaction(db, (tx) => decideIn(tx, by, id, work));

async function decideIn(tx: Tx, by: StaffCall, id: string, work: Decide): Promise<StaffView> {
  const row = await lockWithdrawal(tx, id, [by.user.id]);
  const actor = await freshActor(tx, by);
  await assertMayDecide(tx, actor, await getUser(tx, row.user_id));
  await work(tx, row);
  return viewOf(tx, by, id);
}

/** What the audit keeps of a withdrawal before and after a decision. */
export const auditOf = (row: WithdrawalRow) => ({
  id: row.id,
  userId: row.user_id,
  status: row.status,
  attempt: row.attempt,
  firstApprovedBy: row.first_approved_by,
});
