import { operation } from '../../../../http/operation.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { AppError, commonErrors } from '../../../../platform/errors.ts';
import { NotSent, Unanswered } from '../../../../platform/net/outbound.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { webhookErrors } from '../../../base/webhooks/schemas.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { openClaimsOf } from '../../ledger/claims.ts';
import { ledgerErrors } from '../../ledger/errors.ts';
import { withdrawalErrors } from '../errors.ts';
import type { PayoutState } from '../provider.ts';
import { assertIdentified } from './applicant.ts';
import {
  auditOf,
  decide,
  decideRepeatably,
  decisionErrors,
  needsTwoPeople,
  staffDecision,
} from './decide.ts';
import type { Changes, WithdrawalRow } from './queries.ts';
import { NEVER_RECEIVED, type WithdrawalStatus } from './rules.ts';
import { Withdrawal, WithdrawalId, WithdrawalPath } from './schemas.ts';
import { lookUp, queueSending, repeatsSafely } from './send.ts';
import type { WithdrawalDeps } from './service.ts';
import { assertNotStopped } from './stopped.ts';
import { getWithdrawal, move, updateWithdrawal } from './transition.ts';

/** The state of an attempt at the provider. `state` is undefined if the provider definitely has no such payout. */
type Inquiry = { reference: string; state: PayoutState | undefined };

const RETRYABLE: readonly WithdrawalStatus[] = ['FAILED', 'UNKNOWN_OUTCOME'];
/** Statuses in which the provider may have newer information. */
const FETCHABLE: readonly WithdrawalStatus[] = ['PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'];
/** A provider that could pay twice is sent no second request while the first one may still be in transit. */
const SETTLED_MS = 600_000;

/**
 * Retries a failed withdrawal with a new hold and a new attempt. A withdrawal with an unknown outcome is retried once the provider
 * definitely has no payout for it. The retry uses the same reference if that cannot pay twice, and a new one otherwise. If the player owes
 * money, the withdrawal fails instead, and its amount pays the debt.
 */
export const retryWithdrawal = operation({
  ...staffDecision,
  path: '/admin/payments/withdraw/retry',
  stepUp: true,
  summary: 'Retry a failed or lost withdrawal',
  description:
    "Queries the provider first. If the outcome was unknown and the provider has the payout, the provider's state is applied and " +
    'nothing is sent. A failed withdrawal is not sent again if the provider reports it as paid.',
  body: WithdrawalId,
  errors: [
    ...decisionErrors,
    withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE,
    withdrawalErrors.SECOND_PERSON_NEEDED,
    gateErrors.WITHDRAWAL_BLOCKED,
    gateErrors.KYC_REQUIRED,
    ledgerErrors.CLAIMS_OPEN,
    commonErrors.INSUFFICIENT_BALANCE,
    withdrawalErrors.PROVIDER_SILENT,
  ],
  handler: async (deps: WithdrawalDeps, { by, body: { id }, idempotencyKey: key }) => {
    const seen = await getWithdrawal(deps.db, id);
    const inquiry = RETRYABLE.includes(seen.status) ? await inquire(deps, seen) : undefined;
    return decide(deps.db, by, { id, operation: 'withdraw.retry', key }, async (tx, row) => {
      if (!RETRYABLE.includes(row.status) || inquiry?.reference !== row.reference)
        throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status });
      const next =
        row.status === 'FAILED'
          ? await retryFailed(tx, deps, row, { ...inquiry!, actorId: by.user.id })
          : await retryUnknown(tx, deps, row, inquiry!);
      if (next.status === 'APPROVED') await queueSending(tx, id);
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });
  },
});

export const fetchWithdrawal = operation({
  method: 'GET',
  path: '/admin/payments/withdraw/fetch/{id}',
  tag: 'Admin Payments',
  access: { permission: 'withdraw.approve' },
  hasSideEffect: true,
  createsValue: 'returns',
  summary: "Refresh a withdrawal's status from its payment provider",
  description:
    "Queries the provider about a withdrawal, applies the provider's state, and returns the withdrawal.",
  params: WithdrawalPath,
  response: Withdrawal,
  errors: [...decisionErrors, withdrawalErrors.PROVIDER_SILENT],
  handler: async (deps: WithdrawalDeps, { by, params: { id } }) => {
    const row = await getWithdrawal(deps.db, id);
    const inquiry = FETCHABLE.includes(row.status) ? await inquire(deps, row) : undefined;
    return decideRepeatably(deps.db, by, id, async (tx, current) => {
      const next = inquiry?.state ? await applyState(tx, deps, current, inquiry) : current;
      await recordAudit(tx, by, { before: auditOf(current), after: auditOf(next) });
    });
  },
});

const applyState = (
  tx: Tx,
  { withdrawals }: WithdrawalDeps,
  row: WithdrawalRow,
  { reference, state }: Inquiry,
) => withdrawals.applyStatus(tx, row, { ...state!, reference });

/** Throws 503 PROVIDER_SILENT if the provider does not respond. */
async function inquire({ providers }: WithdrawalDeps, row: WithdrawalRow): Promise<Inquiry> {
  try {
    return { reference: row.reference!, state: await lookUp(providers, row) };
  } catch (error) {
    const isGone = error instanceof AppError && error.code === webhookErrors.PROVIDER_NOT_FOUND.code;
    if (isGone || error instanceof NotSent || error instanceof Unanswered)
      throw withdrawalErrors.PROVIDER_SILENT();
    throw error;
  }
}

async function retryUnknown(
  tx: Tx,
  deps: WithdrawalDeps,
  row: WithdrawalRow,
  inquiry: Inquiry,
): Promise<WithdrawalRow> {
  if (inquiry.state) return applyState(tx, deps, row, inquiry);
  const owes = (await openClaimsOf(tx, row.user_id)).size > 0;
  if (!owes) await assertNotStopped(tx, row);
  if (!owes && repeatsSafely(deps.providers, row)) return move(tx, row, { to: 'APPROVED' });
  const settledAt = new Date(Number(row.asked_at) + SETTLED_MS);
  if (settledAt > (await transactionTime(tx)))
    throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, retryAt: iso(settledAt) });
  // The held amount returns to the player's cash, where it first pays open claims.
  if (owes) return move(tx, row, { to: 'FAILED', failed_reason: NEVER_RECEIVED, reason: NEVER_RECEIVED });
  return move(tx, row, { to: 'APPROVED', ...nextAttempt(row) });
}

async function retryFailed(
  tx: Tx,
  deps: WithdrawalDeps,
  row: WithdrawalRow,
  { actorId, ...inquiry }: Inquiry & { actorId: number },
): Promise<WithdrawalRow> {
  const { state } = inquiry;
  if (state && state.status !== 'FAILED') {
    // The amount was returned to the player, but the provider reports that it was paid. This is logged, and nothing is paid again.
    await applyState(tx, deps, row, inquiry);
    throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, provider: state.status });
  }
  await assertNotStopped(tx, row);
  await assertIdentified(tx, deps, row);
  if (await needsTwoPeople(tx, deps, row)) {
    const approvers = approversOf(row);
    // The withdrawal was approved automatically, so this person counts as the first approver.
    if (approvers.length === 0) return updateWithdrawal(tx, row, { first_approved_by: actorId });
    if (!(await areTwoPeople(tx, [...approvers, actorId]))) throw withdrawalErrors.SECOND_PERSON_NEEDED();
  }
  return holdAgain(tx, row);
}

/** Returns the staff members who approved a withdrawal, or an empty array if it was approved automatically. */
const approversOf = ({ first_approved_by: first, confirmed_by: second }: WithdrawalRow): number[] =>
  [first, second].filter((id) => id !== null);

/** Holds the amount again after it was returned to the player. Throws 400 INSUFFICIENT_BALANCE. */
const holdAgain = (tx: Tx, row: WithdrawalRow): Promise<WithdrawalRow> =>
  move(tx, row, {
    to: 'APPROVED',
    ...nextAttempt(row),
    failed_reason: null,
    tx_hash: null,
    confirmations: 0,
  });

/** Starts a new attempt with a new reference, so that reports about the previous attempt do not affect it. */
const nextAttempt = ({ attempt }: WithdrawalRow): Changes => ({
  attempt: attempt + 1,
  reference: null,
  provider_id: null,
  external_id: null,
  asked_at: null,
  told_at: null,
});
