import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Id, strictObject } from '../../../../http/schemas.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { ledgerErrors } from '../../ledger/errors.ts';
import { withdrawalErrors } from '../errors.ts';
import { auditOf, decide, decisionErrors, needsTwoPeople, REVIEWABLE, staffDecision } from './decide.ts';
import { WithdrawalId } from './schemas.ts';
import { queueSending } from './send.ts';
import type { WithdrawalDeps } from './service.ts';
import { assertNotStopped } from './stopped.ts';
import { move, updateWithdrawal } from './transition.ts';

/** Approves a withdrawal so that it is sent. If two people must approve, the first approval is only recorded. */
export const approveWithdrawal = operation({
  ...staffDecision,
  path: '/admin/payments/withdraw/approve',
  stepUp: 'conditional',
  summary: 'Approve a withdrawal',
  description:
    "Sends the withdrawal immediately. Two people must approve, each with a second factor, if this withdrawal and the player's " +
    'other withdrawals that are pending or were sent within 24 hours together reach `WITHDRAWALS.fourEyesThresholdUsd`. The ' +
    'response to the first approval still shows the withdrawal as waiting. No one may approve a withdrawal of an account ' +
    'connected with their own, and the accounts of the two approvers must not be connected.',
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

export const rejectWithdrawal = operation({
  ...staffDecision,
  path: '/admin/payments/withdraw/reject',
  summary: 'Reject a withdrawal',
  description: "Returns the amount to the player's balance. The player sees `rejectReason`.",
  body: strictObject('WithdrawalRejection', {
    id: Id,
    rejectReason: z.string().trim().min(1).max(500),
  }),
  errors: [...decisionErrors, withdrawalErrors.WITHDRAWAL_NOT_REJECTABLE],
  handler: ({ db }: WithdrawalDeps, { by, body: { id, rejectReason }, idempotencyKey: key }) => {
    const decision = { id, operation: 'withdraw.reject', key, input: { rejectReason } };
    return decide(db, by, decision, async (tx, row) => {
      if (!REVIEWABLE.includes(row.status))
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
  },
});
