import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { NotSent, Unanswered } from '../../../platform/outbound.ts';
import { addJob } from '../../../platform/queue.ts';
import { recordAudit } from '../../audit/service.ts';
import type { PayoutState } from '../provider.ts';
import { auditOf } from './approve.ts';
import type { Ask } from './ask.ts';
import { withdrawalErrors } from './errors.ts';
import type { Progress } from './progress.ts';
import { type Changes, nowOf, type WithdrawalRow } from './queries.ts';
import type { WithdrawalStatus } from './rules.ts';
import { SEND } from './send.ts';
import { assertMayLeave, decide, decideFreely } from './staff.ts';
import { getWithdrawal, move } from './transition.ts';

type Needs = { db: Db; ask: Ask; progress: Progress };

/** What the provider knows of an attempt. `state` undefined: certainly nothing. */
type Found = { reference: string; state: PayoutState | undefined };

/** States in which the provider may know more than we do. */
const ASKED: readonly WithdrawalStatus[] = ['PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'];
/** A provider that could pay twice is not asked again while the first question may still be on its way. */
const SETTLED_MS = 600_000;

/** Throws 503 PROVIDER_SILENT. */
async function lookUp(ask: Ask, row: WithdrawalRow): Promise<Found> {
  try {
    return { reference: row.reference!, state: await ask.lookUp(row) };
  } catch (error) {
    if (error instanceof NotSent || error instanceof Unanswered) throw withdrawalErrors.PROVIDER_SILENT();
    throw error;
  }
}

/**
 * Asks the provider what became of a withdrawal and takes it in; changes nothing where it knows nothing new. Throws 404
 * WITHDRAWAL_NOT_FOUND, 403 OWN_ACCOUNT, 503 PROVIDER_SILENT, and as freshActor does.
 */
export const createFetch =
  ({ db, ask, progress }: Needs) =>
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
 * knows nothing of it: under the same name where it cannot pay twice, else under a new one. Where the look-up finds the
 * payout, what it says is taken in and nothing is sent. Throws 409 WITHDRAWAL_NOT_RETRYABLE, 400 INSUFFICIENT_BALANCE, 403
 * WITHDRAWAL_BLOCKED, 503 PROVIDER_SILENT, and as `decide` does.
 */
export function createRetry({ db, ask, progress }: Needs) {
  const resolve = async (tx: Tx, row: WithdrawalRow, { reference, state }: Found): Promise<WithdrawalRow> => {
    if (state) return progress(tx, row, { ...state, reference });
    await assertMayLeave(tx, row);
    if (ask.repeatsSafely(row)) return move(tx, row, { to: 'APPROVED' });
    const settledAt = new Date(Number(row.asked_at) + SETTLED_MS);
    if (settledAt > (await nowOf(tx)))
      throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status, retryAt: iso(settledAt) });
    return move(tx, row, { to: 'APPROVED', ...nextAttempt(row) });
  };
  return async (by: StaffCall, id: string, key: string | undefined) => {
    const seen = await getWithdrawal(db, id);
    const found = seen.status === 'UNKNOWN_OUTCOME' ? await lookUp(ask, seen) : undefined;
    return decide(db, by, { id, operation: 'withdraw.retry', key }, async (tx, row) => {
      const isFound = row.status === 'UNKNOWN_OUTCOME' && found?.reference === row.reference;
      if (row.status !== 'FAILED' && !isFound)
        throw withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE({ status: row.status });
      const next = isFound ? await resolve(tx, row, found!) : await anew(tx, row);
      if (next.status === 'APPROVED') await addJob(tx, SEND, { id }, { key: `${SEND}:${id}` });
      await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next) });
    });
  };
}

/** The money went back: it is held anew. Throws 400 INSUFFICIENT_BALANCE. */
async function anew(tx: Tx, row: WithdrawalRow): Promise<WithdrawalRow> {
  await assertMayLeave(tx, row);
  return move(tx, row, {
    to: 'APPROVED',
    ...nextAttempt(row),
    failed_reason: null,
    tx_hash: null,
    confirmations: 0,
  });
}

/** A name of its own, so that nothing said of the attempt before is taken for it. */
const nextAttempt = ({ attempt }: WithdrawalRow): Changes => ({
  ...{ attempt: attempt + 1, reference: null, provider_id: null, external_id: null },
  ...{ asked_at: null, told_at: null },
});
