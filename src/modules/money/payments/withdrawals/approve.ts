import type { StaffCall } from '../../../../http/access.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { addJob } from '../../../../platform/queue.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { withdrawalErrors } from './errors.ts';
import type { FourEyes } from './outgoing.ts';
import { nowOf, updateWithdrawal, type WithdrawalRow } from './queries.ts';
import { SEND } from './send.ts';
import { assertMayLeave, decide } from './staff.ts';
import { move } from './transition.ts';

type Deps = {
  db: Db;
  isForTwo: FourEyes;
  /** Throws 403 MFA_REQUIRED unless the second factor of the call is proven. */
  stepUp: (tx: Tx, by: StaffCall) => Promise<void>;
};

/**
 * Lets a withdrawal go out. Where two have to (`createFourEyes`), the first approval is noted and a second person's counts, each with their
 * second factor. Throws 403 MFA_REQUIRED, 409 WITHDRAWAL_NOT_APPROVABLE, 409 SECOND_PERSON_NEEDED, 403 WITHDRAWAL_BLOCKED, 409 CLAIMS_OPEN, and as `decide` does.
 */
export const createApprove =
  ({ db, isForTwo, stepUp }: Deps) =>
  (by: StaffCall, id: string, key: string | undefined) =>
    decide(db, by, { id, operation: 'withdraw.approve', key }, async (tx, row, { id: actorId }) => {
      if (!['WAITING_FOR_APPROVAL', 'ON_HOLD'].includes(row.status))
        throw withdrawalErrors.WITHDRAWAL_NOT_APPROVABLE({ status: row.status });
      await assertMayLeave(tx, row);
      const isTwo = await isForTwo(tx, row);
      const first = row.first_approved_by;
      if (isTwo && first !== null && !(await areTwoPeople(tx, [first, actorId])))
        throw withdrawalErrors.SECOND_PERSON_NEEDED();
      if (isTwo) await stepUp(tx, by);
      const isFirstOfTwo = isTwo && first === null;
      const next = isFirstOfTwo
        ? await updateWithdrawal(tx, row, { first_approved_by: actorId })
        : await move(tx, row, {
            to: 'APPROVED',
            confirmed_by: actorId,
            confirmed_at: await nowOf(tx),
            hold_reason: null,
          });
      if (!isFirstOfTwo) await addJob(tx, SEND, { id }, { key: `${SEND}:${id}` });
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });

/** What the audit keeps of a withdrawal that somebody decides about. */
export const auditOf = (row: WithdrawalRow) => ({
  id: row.id,
  userId: row.user_id,
  status: row.status,
  attempt: row.attempt,
  firstApprovedBy: row.first_approved_by,
});
