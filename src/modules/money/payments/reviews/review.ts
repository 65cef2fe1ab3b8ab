import { type Insertable, sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { operation } from '../../../../http/operation.ts';
import { Amount, line, text } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../../platform/database/errors.ts';
import type { DepositReviews } from '../../../../platform/database/tables.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { lockPeople, sumOfPerson } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { UserId } from '../../../base/users/schemas.ts';
import type { DepositRow } from '../deposits/queries.ts';
import type { DepositReviewDeps, PaymentDeps } from '../deps.ts';
import { paymentErrors, reviewErrors, withdrawalErrors } from '../errors.ts';
import { decisionErrors, getDeposit, lockForReview, playersOf, staffDecision } from './decision.ts';
import { assertReturnable, execute } from './execute.ts';
import { amountOf, assertPossible, coinsOf, creditUsd, factsOf, thresholdsOf } from './facts.ts';
import { findOpen, lapseExpired, type ReviewRow, updateReview } from './queries.ts';
import { type Action, needsSecondPerson } from './rules.ts';
import { auditOf, ReviewAction, viewOf } from './view.ts';

/** For each field, the actions that accept it. */
const ALLOWED_WITH = {
  userId: ['ASSIGN'],
  address: ['RETURN'],
  memo: ['RETURN'],
  amount: ['CREDIT', 'ASSIGN', 'RETURN'],
} as const satisfies Record<string, readonly Action[]>;
const REQUIRED = new Set(['userId', 'address']);

/** A staff decision about a deposit, or a proposal that a second person must approve. */
const ReviewRequest = z
  .strictObject({
    action: ReviewAction,
    userId: UserId.optional().meta({ description: 'For ASSIGN: the player to credit.' }),
    amount: Amount.optional().meta({
      description: 'For CREDIT, ASSIGN and RETURN: the amount, if it differs from the reported amount.',
    }),
    address: line(200).optional().meta({ description: 'For RETURN: the recipient address.' }),
    memo: line(100).optional(),
    reason: text(500).min(1),
  })
  .superRefine((input, context) => {
    for (const [path, actions] of Object.entries(ALLOWED_WITH)) {
      const isGiven = input[path as keyof typeof ALLOWED_WITH] !== undefined;
      const isAllowed = (actions as readonly Action[]).includes(input.action);
      const isWrong = isGiven ? !isAllowed : isAllowed && REQUIRED.has(path);
      const message = `${isGiven ? 'must be absent' : 'is required'} with ${input.action}`;
      if (isWrong) context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .meta({ id: 'DepositReviewRequest' });
type ReviewRequest = z.output<typeof ReviewRequest>;

export const reviewDeposit = operation({
  ...staffDecision,
  path: '/admin/payments/deposit/{id}/review',
  access: { permission: 'deposit.review' },
  stepUp: true,
  summary: 'Resolve a deposit under review',
  description:
    'CREDIT credits the owner. ASSIGN credits the player given in the request. RETURN pays the coins out to an address. WRITE_OFF ' +
    'books them to the fees account. ACKNOWLEDGE closes a finding when no money needs to move. A second person has to approve ' +
    'everything except ACKNOWLEDGE and a CREDIT of the reported amount below WITHDRAWALS.depositReviewApprovalUsd. Amounts that ' +
    'the caller has credited alone within 24 hours count towards this threshold. If approval is needed, the request stores a ' +
    'proposal and returns 409 APPROVAL_NEEDED with its id.',
  body: ReviewRequest,
  errors: [
    ...decisionErrors,
    reviewErrors.APPROVAL_NEEDED,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    withdrawalErrors.RECIPIENT_ADDRESS_INVALID,
    withdrawalErrors.RECIPIENT_MEMO_INVALID,
    paymentErrors.PAYMENT_METHOD_NOT_FOUND,
  ],
  handler: async ({ payments }: DepositReviewDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const { userId: target } = body;
    const seen = await getDeposit(payments.db, id);
    const input = { id, ...body };
    const alsoLocks = playersOf(seen, target);
    const repeatable = { userId: by.user.id, key, operation: 'deposit.review', input, alsoLocks };
    const outcome = await runIdempotently(payments.db, repeatable, async (tx) => {
      const row = await lockForReview(tx, by, { id, target });
      return review(tx, payments, by, { row, input: body });
    }).catch((error: unknown) => refuseOutOfRange(error, { currencyId: seen.currency_id }));
    // The proposal must be stored, so the error is thrown after the transaction commits.
    if ('waiting' in outcome) throw reviewErrors.APPROVAL_NEEDED(outcome.waiting);
    return outcome.done;
  },
});

async function review(
  tx: Tx,
  deps: PaymentDeps,
  by: StaffCall,
  { row, input }: { row: DepositRow; input: ReviewRequest },
) {
  await lapseExpired(tx, row.id);
  const open = await findOpen(tx, row.id);
  if (open) return { waiting: waitingOf(open) };
  const { action } = input;
  assertPossible(action, factsOf(deps, row), await thresholdsOf(deps, tx));
  const figures = await figuresOf(tx, deps, { row, input, actorId: by.user.id });
  const { isForTwo, ...amounts } = figures;
  const made = await insertReview(tx, {
    id: newId(),
    deposit_id: row.id,
    action,
    state: 'PROPOSED',
    version: row.version,
    user_id: input.userId ?? null,
    ...amounts,
    address: input.address ?? null,
    memo: input.memo ?? null,
    reason: input.reason,
    proposed_by: by.user.id,
  });
  if (isForTwo) {
    const call = { ...by, status: reviewErrors.APPROVAL_NEEDED.status };
    await recordAudit(tx, call, {
      before: auditOf(row),
      after: { proposed: waitingOf(made) },
      reason: input.reason,
    });
    return { waiting: waitingOf(made) };
  }
  const done = await updateReview(tx, made.id, { state: 'DONE', decided_by: by.user.id });
  const next = await execute(tx, deps, { row, review: done });
  const view = await viewOf(tx, deps, by, next);
  await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next), reason: input.reason });
  return { done: view };
}

type Decided = { row: DepositRow; input: ReviewRequest; actorId: number };

/** Returns the amounts of a decision, and whether a second person must approve it. */
async function figuresOf(
  tx: Tx,
  deps: PaymentDeps,
  { row, input, actorId }: Decided,
): Promise<{ amount: Units | null; usd_amount: Units | null; isForTwo: boolean }> {
  const { action } = input;
  const coins = coinsOf(row);
  if (action === 'RETURN') {
    const amount = await assertReturnable(tx, deps, row, input);
    return { amount, usd_amount: null, isForTwo: true };
  }
  if (action !== 'CREDIT' && action !== 'ASSIGN')
    return { amount: null, usd_amount: null, isForTwo: action === 'WRITE_OFF' };
  const amount = amountOf(coins, input.amount);
  const usdAmount = creditUsd(deps, { ...coins, amount });
  const isOtherAmount = row.reported_currency !== null || amount !== row.amount;
  await lockPeople(tx, [actorId]);
  const aloneUsd = await sumOfPerson(tx, actorId, await creditedAlone(tx));
  const thresholds = await thresholdsOf(deps, tx);
  const isForTwo = needsSecondPerson(action, { isOtherAmount, usdAmount, aloneUsd }, thresholds);
  return { amount, usd_amount: usdAmount, isForTwo };
}

/** The proposal as it is shown to its author in the error details. */
const waitingOf = (row: ReviewRow) => ({
  proposalId: row.id,
  action: row.action,
  amount: row.amount === null ? null : formatUnits(row.amount),
  expiresAt: iso(row.expires_at),
});

const insertReview = async (tx: Tx, review: Insertable<DepositReviews>): Promise<ReviewRow> =>
  (await tx
    .insertInto('deposit_reviews')
    .values(review)
    .returningAll()
    .executeTakeFirstOrThrow()) as ReviewRow;

/** Returns the USD value that each staff member credited in the last 24 hours without a second approver. */
async function creditedAlone(tx: Tx): Promise<{ id: number; usd: Units }[]> {
  const { rows } = await sql<{ id: number; usd: string }>`
    select proposed_by as id, coalesce(sum(usd_amount), 0)::text as usd from deposit_reviews
    where proposed_by = decided_by and state = 'DONE' and action = 'CREDIT' and decided_at > now() - interval '24 hours'
    group by proposed_by`.execute(tx);
  return rows.map(({ id, usd }) => ({ id, usd: BigInt(usd) }));
}
