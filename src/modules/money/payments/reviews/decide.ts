import { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { operation } from '../../../../http/operation.ts';
import { strictObject, text } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { countAgreed, staffValueErrors } from '../../../base/staff-value/service.ts';
import type { DepositRow } from '../deposits/queries.ts';
import type { DepositReviewDeps, PaymentDeps } from '../deps.ts';
import { reviewErrors } from '../errors.ts';
import { decisionErrors, getDeposit, lockForReview, playersOf, staffDecision } from './decision.ts';
import { execute } from './execute.ts';
import { assertPossible, excessOf, factsOf, thresholdsOf } from './facts.ts';
import { findOpen, lapseExpired, type ReviewRow, reviewsOf, updateReview } from './queries.ts';
import { auditOf, viewOf } from './view.ts';

export const approveReview = operation({
  ...staffDecision,
  path: '/admin/payments/deposit/{id}/review/approve',
  access: { permission: 'deposit.approve' },
  stepUp: true,
  summary: 'Approve a proposal for a deposit',
  description:
    'Carries out the proposal. The approver must not be the proposer or connected to the proposer, and the deposit must not have ' +
    'changed since the proposal. If the amount exceeds the coins that arrived, the difference counts towards ' +
    'WITHDRAWALS.staffValueLimitUsd of both people.',
  body: strictObject('DepositProposalId', { proposalId: z.uuid() }),
  errors: [...decisionErrors, reviewErrors.SECOND_PERSON_NEEDED, staffValueErrors.STAFF_VALUE_LIMIT],
  handler: (
    { payments }: DepositReviewDeps,
    { by, params: { id }, body: { proposalId }, idempotencyKey: key },
  ) =>
    decide(payments, by, { id, proposalId, key, operation: 'deposit.approve' }, async (tx, row, proposal) => {
      if (!(await areTwoPeople(tx, [proposal.proposed_by, by.user.id])))
        throw reviewErrors.SECOND_PERSON_NEEDED();
      assertPossible(proposal.action, factsOf(payments, row), await thresholdsOf(payments, tx));
      const people = { proposedBy: proposal.proposed_by, agreedBy: by.user.id };
      await countAgreed(tx, payments, excessOf(payments, row, proposal), people);
      const review = await updateReview(tx, proposal.id, { state: 'DONE', decided_by: by.user.id });
      return execute(tx, payments, { row, review });
    }),
});

export const rejectReview = operation({
  ...staffDecision,
  path: '/admin/payments/deposit/{id}/review/reject',
  access: { permission: 'deposit.approve' },
  summary: 'Reject a proposal for a deposit',
  description: 'The deposit stays under review.',
  body: strictObject('DepositProposalRejection', { proposalId: z.uuid(), reason: text(500).min(1) }),
  errors: decisionErrors,
  handler: ({ payments }: DepositReviewDeps, { by, params: { id }, body, idempotencyKey: key }) =>
    decide(payments, by, { id, ...body, key, operation: 'deposit.reject' }, async (tx, row, proposal) => {
      const decision = { decided_by: by.user.id, decision_reason: body.reason };
      await updateReview(tx, proposal.id, { state: 'REJECTED', ...decision });
      return row;
    }),
});

type Decision = {
  id: string;
  proposalId: string;
  key: string | undefined;
  operation: 'deposit.approve' | 'deposit.reject';
  reason?: string;
};
type Work = (tx: Tx, row: DepositRow, proposal: ReviewRow) => Promise<DepositRow>;

/** Runs a decision about a proposal once per idempotency key. Locks all staff and players involved, and the deposit. */
async function decide(
  deps: PaymentDeps,
  by: StaffCall,
  { id, proposalId, key, operation, reason }: Decision,
  work: Work,
) {
  const seen = await getDeposit(deps.db, id);
  const target = (await reviewsOf(deps.db, [seen.id])).find((one) => one.id === proposalId)?.user_id;
  const input = { id, proposalId, reason };
  const repeatable = { userId: by.user.id, key, operation, input, alsoLocks: playersOf(seen, target) };
  const outcome = await runIdempotently(deps.db, repeatable, async (tx) => {
    const row = await lockForReview(tx, by, { id, target });
    await lapseExpired(tx, row.id);
    const proposal = await findOpen(tx, row.id);
    if (proposal?.id !== proposalId) return { changed: true } as const;
    if (proposal.version !== row.version && operation === 'deposit.approve') {
      await updateReview(tx, proposal.id, { state: 'LAPSED' });
      return { changed: true } as const;
    }
    const next = await work(tx, row, proposal);
    const done = await viewOf(tx, deps, by, next);
    const facts = { proposalId, action: proposal.action, proposedBy: proposal.proposed_by };
    const after = { ...auditOf(next), ...facts, isApproved: operation === 'deposit.approve' };
    await recordAudit(tx, by, { before: auditOf(row), after, reason: reason ?? proposal.reason });
    return { done };
  });
  // An expired proposal must stay expired, so the error is thrown after the transaction commits.
  if ('changed' in outcome) throw reviewErrors.DEPOSIT_PROPOSAL_CHANGED({ proposalId });
  return outcome.done;
}
