import { operation } from '../../../../http/operation.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { ledgerErrors } from '../../ledger/errors.ts';
import { auditOf, decide, decisionErrors, needsTwoPeople, REVIEWABLE, staffDecision } from './decide.ts';
import type { WithdrawalDeps } from './deps.ts';
import { withdrawalErrors } from './errors.ts';
import { WithdrawalId } from './schemas.ts';
import { queueSending } from './send.ts';
import { assertNotStopped } from './stopped.ts';
import { move, updateWithdrawal } from './transition.ts';

/** Approves a withdrawal for sending. If two people must approve, the first approval is only recorded. */
export const approveWithdrawal = operation({
  ...staffDecision,
  path: '/admin/payments/withdraw/approve',
  stepUp: 'conditional',
  summary: 'Approve a withdrawal',
  description:
    'Sends the withdrawal immediately. Two people must approve, each with a second factor, if the withdrawal and the other withdrawals of the ' +
    'player that were sent within 24 hours or are pending reach `WITHDRAWALS.fourEyesThresholdUsd`. The response to the first approval still ' +
    "shows the withdrawal as waiting. Nobody may approve a withdrawal of an account connected with their own, and the two people's accounts " +
    'must not be connected.',
  body: WithdrawalId,
  errors: [
    ...decisionErrors,
    withdrawalErrors.WITHDRAWAL_NOT_APPROVABLE,
    withdrawalErrors.SECOND_PERSON_NEEDED,
    gateErrors.WITHDRAWAL_BLOCKED,
    ledgerErrors.CLAIMS_OPEN,
  ],
  handler: (deps: WithdrawalDeps, { by, body: { id }, idempotencyKey: key }) =>
    decide(deps.db, by, { id, operation: 'withdraw.approve', key }, async (tx, row) => {
      const actorId = by.user.id;
      if (!REVIEWABLE.includes(row.status))
        throw withdrawalErrors.WITHDRAWAL_NOT_APPROVABLE({ status: row.status });
      await assertNotStopped(tx, row);
      const needsTwo = await needsTwoPeople(tx, deps, row);
      const first = row.first_approved_by;
      if (needsTwo && first !== null && !(await areTwoPeople(tx, [first, actorId])))
        throw withdrawalErrors.SECOND_PERSON_NEEDED();
      if (needsTwo) await deps.mfa.stepUp.within(tx, by);
      const isFirstOfTwo = needsTwo && first === null;
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
    }),
});
