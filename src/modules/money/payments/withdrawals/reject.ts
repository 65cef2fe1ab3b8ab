import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Id, strictObject } from '../../../../http/schemas.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { auditOf, decide, decisionErrors, REVIEWABLE, staffDecision } from './decide.ts';
import type { WithdrawalDeps } from './deps.ts';
import { withdrawalErrors } from './errors.ts';
import { move } from './transition.ts';

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
