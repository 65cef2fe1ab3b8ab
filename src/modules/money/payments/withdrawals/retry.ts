import type { StaffCall } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { AppError } from '../../../../platform/errors.ts';
import { NotSent, Unanswered } from '../../../../platform/outbound.ts';
import { addJob } from '../../../../platform/queue.ts';
import { areTwoPeople } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import type { PayoutState } from '../provider.ts';
import type { Applicants } from './applicant.ts';
import { auditOf } from './approve.ts';
import type { Ask } from './ask.ts';
import { withdrawalErrors } from './errors.ts';
import type { FourEyes } from './outgoing.ts';
import type { Progress } from './progress.ts';
import { type Changes, nowOf, updateWithdrawal, type WithdrawalRow } from './queries.ts';
import type { WithdrawalStatus } from './rules.ts';
import { SEND } from './send.ts';
import { assertMayLeave, decide, decideFreely } from './staff.ts';
import { getWithdrawal, move } from './transition.ts';

type Deps = { db: Db; ask: Ask; progress: Progress; isForTwo: FourEyes; applicants: Applicants };

/** What the provider knows of an attempt. `state` undefined: certainly nothing. */
type Found = { reference: string; state: PayoutState | undefined };

/** What may be tried again. */
const RETRIED: readonly WithdrawalStatus[] = ['FAILED', 'UNKNOWN_OUTCOME'];
/** States in which the provider may know more than we do. */
const ASKED: readonly WithdrawalStatus[] = ['PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'];
/** A provider that could pay twice is not asked again while the first question may still be on its way. */
const SETTLED_MS = 600_000;

/** Throws 503 PROVIDER_SILENT. */
async function lookUp(ask: Ask, row: WithdrawalRow): Promise<Found> {
  try {
    return { reference: row.reference!, state: await ask.lookUp(row) };
  } catch (error) {
    const isGone = error instanceof AppError && error.code === webhookErrors.PROVIDER_NOT_FOUND.code;
    if (isGone || error instanceof NotSent || error instanceof Unanswered)
      throw withdrawalErrors.PROVIDER_SILENT();
    throw error;
  }
}

/**
 * Asks the provider what became of a withdrawal and takes it in; changes nothing where it knows nothing new. Throws 404
 * WITHDRAWAL_NOT_FOUND, 403 OWN_ACCOUNT, 503 PROVIDER_SILENT, and as freshActor does.
 */
export const createFetch =
  ({ db, ask, progress }: Pick<Deps, 'db' | 'ask' | 'progress'>) =>
  async (by: StaffCall, id: string) => {
    const row = await getWithdrawal(db, id);
    const found = ASKED.includes(row.status) ? await lookUp(ask, row) : undefined;
    return decideFreely(db, by, id, async (tx, now) => {
      const next = found?.state
        ? await progress(tx, now, { ...found.state, reference: found.reference })
        : now;
      await recordAudit(tx, by, { before: auditOf(now), after: auditOf(next) });
    });
  };

/**
 * Tries again what has failed, with a new hold under a new attempt, or what nobody knows the outcome of once the provider certainly
 * knows nothing of it: under the same name where it cannot pay twice, else under a new one. The provider is asked first: where it
 * has the payout, what it says is taken in and nothing is sent. Throws 409 WITHDRAWAL_NOT_RETRYABLE, 409 SECOND_PERSON_NEEDED, 400
 * INSUFFICIENT_BALANCE, 403 WITHDRAWAL_BLOCKED and KYC_REQUIRED, 503 PROVIDER_SILENT, and as `decide` does.
 */
export function createRetry({ db, ask, progress, isForTwo, applicants }: Deps) {
  const resolve = async (tx: Tx, row: WithdrawalRow, { reference, state }: Found): Promise<WithdrawalRow> => {
    if (state) return progress(tx, row, { ...state, reference });
    await assertMayLeave(tx, row);
    if (ask.repeatsSafely(row)) return move(tx, row, { to: 'APPROVED' });
    const settledAt = new Date(Number(row.asked_at) + SETTLED_MS);
    if (settledAt > (await nowOf(tx)))
      throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, retryAt: iso(settledAt) });
    return move(tx, row, { to: 'APPROVED', ...nextAttempt(row) });
  };
  const anew = async (tx: Tx, row: WithdrawalRow, { reference, state }: Found, actorId: number) => {
    if (state && state.status !== 'FAILED') {
      // The money was given back and yet it is said to be paid: that is logged, and never paid again.
      await progress(tx, row, { ...state, reference });
      throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, provider: state.status });
    }
    await assertMayLeave(tx, row);
    await applicants.assertIdentified(tx, row);
    if (await isForTwo(tx, row)) {
      const approvers = approversOf(row);
      // A rule approved it: the first person is noted, as with an approval.
      if (approvers.length === 0) return updateWithdrawal(tx, row, { first_approved_by: actorId });
      if (!(await areTwoPeople(tx, [...approvers, actorId]))) throw withdrawalErrors.SECOND_PERSON_NEEDED();
    }
    return holdAgain(tx, row);
  };
  return async (by: StaffCall, id: string, key: string | undefined) => {
    const seen = await getWithdrawal(db, id);
    const found = RETRIED.includes(seen.status) ? await lookUp(ask, seen) : undefined;
    return decide(db, by, { id, operation: 'withdraw.retry', key }, async (tx, row, { id: actorId }) => {
      if (!RETRIED.includes(row.status) || found?.reference !== row.reference)
        throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status });
      const next =
        row.status === 'FAILED' ? await anew(tx, row, found!, actorId) : await resolve(tx, row, found!);
      if (next.status === 'APPROVED') await addJob(tx, SEND, { id }, { key: `${SEND}:${id}` });
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });
  };
}

/** Who has approved it; nobody where a rule did. */
const approversOf = ({ first_approved_by: first, confirmed_by: second }: WithdrawalRow): number[] =>
  [first, second].filter((id) => id !== null);

/** The money went back: it is held anew. Throws 400 INSUFFICIENT_BALANCE. */
const holdAgain = (tx: Tx, row: WithdrawalRow): Promise<WithdrawalRow> =>
  move(tx, row, {
    to: 'APPROVED',
    ...nextAttempt(row),
    failed_reason: null,
    tx_hash: null,
    confirmations: 0,
  });

/** A name of its own, so that nothing said of the attempt before is taken for it. */
const nextAttempt = ({ attempt }: WithdrawalRow): Changes => ({
  attempt: attempt + 1,
  reference: null,
  provider_id: null,
  external_id: null,
  asked_at: null,
  told_at: null,
});
