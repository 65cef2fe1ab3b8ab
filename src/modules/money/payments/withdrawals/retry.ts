import type { StaffCall } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import { AppError } from '../../../../platform/errors.ts';
import { NotSent, Unanswered } from '../../../../platform/outbound.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { openClaimsOf } from '../../ledger/claims.ts';
import type { WithdrawalDeps } from '../deps.ts';
import type { PayoutState } from '../provider.ts';
import type { Applicants } from './applicant.ts';
import { assertNotStopped } from './blocks.ts';
import { withdrawalErrors } from './errors.ts';
import type { ApplyStatus } from './provider-status.ts';
import type { Changes, WithdrawalRow } from './queries.ts';
import { auditOf, decide, decideFreely, type FourEyes } from './review.ts';
import type { WithdrawalStatus } from './rules.ts';
import { lookUp, queueSending, repeatsSafely } from './send.ts';
import { getWithdrawal, move, updateWithdrawal } from './transition.ts';

type FetchDeps = WithdrawalDeps & { applyStatus: ApplyStatus };
type RetryDeps = FetchDeps & { isForTwo: FourEyes; applicants: Applicants };

/** What the provider knows of an attempt. `state` undefined: certainly nothing. */
type Found = { reference: string; state: PayoutState | undefined };

/** Statuses that staff may retry. */
const RETRIED: readonly WithdrawalStatus[] = ['FAILED', 'UNKNOWN_OUTCOME'];
/** Statuses in which the provider may know more than we do. */
const ASKED: readonly WithdrawalStatus[] = ['PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'];
/** A provider that could pay twice is not asked again while the first request may still be in flight. */
const SETTLED_MS = 600_000;
const NOT_THERE = 'the provider has never had it';

/** Throws 503 PROVIDER_SILENT. */
async function find(providers: FetchDeps['providers'], row: WithdrawalRow): Promise<Found> {
  try {
    return { reference: row.reference!, state: await lookUp(providers, row) };
  } catch (error) {
    const isGone = error instanceof AppError && error.code === webhookErrors.PROVIDER_NOT_FOUND.code;
    if (isGone || error instanceof NotSent || error instanceof Unanswered)
      throw withdrawalErrors.PROVIDER_SILENT();
    throw error;
  }
}

/**
 * Asks the provider about a withdrawal and applies its answer, if it says anything new. Throws 404
 * WITHDRAWAL_NOT_FOUND, 403 OWN_ACCOUNT, 503 PROVIDER_SILENT, and as freshActor does.
 */
export const createFetch =
  ({ db, providers, applyStatus }: FetchDeps) =>
  async (by: StaffCall, id: string) => {
    const row = await getWithdrawal(db, id);
    const found = ASKED.includes(row.status) ? await find(providers, row) : undefined;
    return decideFreely(db, by, id, async (tx, now) => {
      const next = found?.state
        ? await applyStatus(tx, now, { ...found.state, reference: found.reference })
        : now;
      await recordAudit(tx, by, { before: auditOf(now), after: auditOf(next) });
    });
  };

/**
 * Retries a failed withdrawal with a new hold and a new attempt, or one of unknown outcome once the provider certainly does not have
 * it: under the same reference where that cannot pay twice, else under a new one. One of unknown outcome whose player owes money fails
 * instead, and the debt takes what it can. The provider is asked first: where it has the payout, its answer is applied and nothing is
 * sent. Throws 409 WITHDRAWAL_NOT_RETRYABLE, 409 SECOND_PERSON_NEEDED, 400
 * INSUFFICIENT_BALANCE, 403 WITHDRAWAL_BLOCKED and KYC_REQUIRED, 503 PROVIDER_SILENT, and as `decide` does.
 */
export function createRetry({ db, providers, applyStatus, isForTwo, applicants }: RetryDeps) {
  const retryUnknown = async (
    tx: Tx,
    row: WithdrawalRow,
    { reference, state }: Found,
  ): Promise<WithdrawalRow> => {
    if (state) return applyStatus(tx, row, { ...state, reference });
    const owes = (await openClaimsOf(tx, row.user_id)).size > 0;
    if (!owes) await assertNotStopped(tx, row);
    if (!owes && repeatsSafely(providers, row)) return move(tx, row, { to: 'APPROVED' });
    const settledAt = new Date(Number(row.asked_at) + SETTLED_MS);
    if (settledAt > (await transactionTime(tx)))
      throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, retryAt: iso(settledAt) });
    // What was held pays the debt, or is the player's once more.
    if (owes) return move(tx, row, { to: 'FAILED', failed_reason: NOT_THERE, reason: NOT_THERE });
    return move(tx, row, { to: 'APPROVED', ...nextAttempt(row) });
  };
  const retryFailed = async (tx: Tx, row: WithdrawalRow, { reference, state }: Found, actorId: number) => {
    if (state && state.status !== 'FAILED') {
      // The money was given back, yet the provider reports a payment: this is logged, and not paid again.
      await applyStatus(tx, row, { ...state, reference });
      throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, provider: state.status });
    }
    await assertNotStopped(tx, row);
    await applicants.assertIdentified(tx, row);
    if (await isForTwo(tx, row)) {
      const approvers = approversOf(row);
      // It was approved automatically: this person counts as the first approver.
      if (approvers.length === 0) return updateWithdrawal(tx, row, { first_approved_by: actorId });
      if (!(await areTwoPeople(tx, [...approvers, actorId]))) throw withdrawalErrors.SECOND_PERSON_NEEDED();
    }
    return holdAgain(tx, row);
  };
  return async (by: StaffCall, id: string, key: string | undefined) => {
    const seen = await getWithdrawal(db, id);
    const found = RETRIED.includes(seen.status) ? await find(providers, seen) : undefined;
    return decide(db, by, { id, operation: 'withdraw.retry', key }, async (tx, row) => {
      if (!RETRIED.includes(row.status) || found?.reference !== row.reference)
        throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status });
      const next =
        row.status === 'FAILED'
          ? await retryFailed(tx, row, found!, by.user.id)
          : await retryUnknown(tx, row, found!);
      if (next.status === 'APPROVED') await queueSending(tx, id);
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });
  };
}

/** Who has approved it; nobody where it was approved automatically. */
const approversOf = ({ first_approved_by: first, confirmed_by: second }: WithdrawalRow): number[] =>
  [first, second].filter((id) => id !== null);

/** The money was given back: it is held again. Throws 400 INSUFFICIENT_BALANCE. */
const holdAgain = (tx: Tx, row: WithdrawalRow): Promise<WithdrawalRow> =>
  move(tx, row, {
    to: 'APPROVED',
    ...nextAttempt(row),
    failed_reason: null,
    tx_hash: null,
    confirmations: 0,
  });

/** A new reference, so that no report about the attempt before is applied to this one. */
const nextAttempt = ({ attempt }: WithdrawalRow): Changes => ({
  attempt: attempt + 1,
  reference: null,
  provider_id: null,
  external_id: null,
  asked_at: null,
  told_at: null,
});
