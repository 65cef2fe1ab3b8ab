import { sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { baseEvents } from '../../../base/events/schemas.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { Kind } from '../../ledger/kinds.ts';
import { post } from '../../ledger/post.ts';
import type { Posting } from '../../ledger/rules.ts';
import type { PayoutDeps } from '../deps.ts';
import { withdrawalErrors } from '../errors.ts';
import { paymentMessages } from '../messages.ts';
import type { PayoutState } from '../provider.ts';
import { recordPayment } from '../stats.ts';
import { type Changes, findWithdrawal, lockRow, type WithdrawalRow } from './queries.ts';
import {
  canTransition,
  checkAfterSeconds,
  type Leg,
  legsOf,
  nextStatus,
  playerStatusOf,
  WAITING,
  type WithdrawalStatus,
} from './rules.ts';
import { withdrawalEvents } from './schemas.ts';

type Transition = Changes & { to: WithdrawalStatus; reason?: string | null };

/**
 * The only function that changes the status of a withdrawal. Posts to the ledger, updates the row and its history, records statistics and
 * notifies, all in the caller's transaction. The player and the row must be locked (`lockWithdrawal`). Throws 400 INSUFFICIENT_BALANCE if
 * the amount must be held again but the balance is too low. Also throws if the transition is not allowed, which is a bug in the caller.
 */
export async function move(
  tx: Tx,
  row: WithdrawalRow,
  { to, ...change }: Transition,
): Promise<WithdrawalRow> {
  if (!canTransition(row.status, to))
    throw new Error(`withdrawal ${row.id} cannot go from ${row.status} to ${to}`);
  const attempt = change.attempt ?? row.attempt;
  for (const leg of legsOf(row.status, to)) await postLeg(tx, { ...row, attempt }, leg);
  // PROCESSING and APPROVED may alternate, so the number of checks is not reset and the delay keeps increasing.
  const checks = change.checks ?? (to === 'PROCESSING' ? row.checks : 0);
  const next = await updateWithdrawal(tx, row, {
    check_at: await checkAt(tx, to, checks),
    checks,
    ...change,
    status: to,
  });
  if (to === 'COMPLETED')
    await recordPayment(tx, {
      userId: row.user_id,
      kind: 'WITHDRAW',
      usdAmount: row.usd_amount,
      at: next.updated_at,
    });
  await publishChange(tx, row.status, next);
  return next;
}

/** Updates a withdrawal. A new status is added to the history with its reason. */
export async function updateWithdrawal(
  tx: Tx,
  row: WithdrawalRow,
  change: Changes & { status?: WithdrawalStatus; reason?: string | null },
): Promise<WithdrawalRow> {
  const { status, reason = null, ...changes } = change;
  const at = await transactionTime(tx);
  const step = status && [{ status, at: iso(at), reason }];
  const next = step && {
    status,
    status_history: sql<string>`status_history || ${JSON.stringify(step)}::jsonb`,
  };
  const updated = await tx
    .updateTable('withdrawals')
    .set({ ...changes, ...next, updated_at: at })
    .where('id', '=', row.id)
    .where('status', '=', row.status)
    .returningAll()
    .executeTakeFirstOrThrow();
  return updated as WithdrawalRow;
}

/** Emits the new status to the player, notifies them of important statuses, and alerts staff when the withdrawal waits for them. */
export async function publishChange(
  tx: Tx,
  before: WithdrawalStatus | undefined,
  row: WithdrawalRow,
): Promise<void> {
  const { id, user_id: userId, currency_id: currencyId, amount } = row;
  const status = playerStatusOf(row.status);
  const isVisible = before === undefined || playerStatusOf(before) !== status;
  const about = { withdrawalId: id, currencyId, amount: formatUnits(amount) };
  const alert = { event: baseEvents['admin.alert'], data: { kind: 'WITHDRAWAL_WAITING', id } } as const;
  const change = { event: withdrawalEvents['withdraw.status'], userId, data: { ...about, status } } as const;
  await emitEvent(tx, ...(isWaiting(row) ? [alert] : []), ...(isVisible ? [change] : []));
  if (!isVisible) return;
  const received = { ...about, amount: formatUnits(amount - row.fee) };
  if (status === 'SENT') await notify(tx, userId, paymentMessages['withdraw.sent'], received);
  if (status === 'COMPLETED') await notify(tx, userId, paymentMessages['withdraw.completed'], received);
  if (status === 'FAILED') await notify(tx, userId, paymentMessages['withdraw.failed'], about);
  if (status === 'REJECTED')
    await notify(tx, userId, paymentMessages['withdraw.rejected'], {
      ...about,
      reason: row.reject_reason ?? '',
    });
}

/** Returns true if a withdrawal waits for staff now. A hold with an end time is released automatically. */
const isWaiting = ({ status, check_at }: WithdrawalRow): boolean =>
  WAITING.includes(status) && (status !== 'ON_HOLD' || check_at === null);

/** Returns when the worker next checks a withdrawal that changes to this status now, or null if it never does. */
export async function checkAt(tx: Tx, status: WithdrawalStatus, checks: number): Promise<Date | null> {
  const seconds = checkAfterSeconds(status, checks);
  return seconds === undefined ? null : new Date(Number(await transactionTime(tx)) + seconds * 1000);
}

type Held = Pick<WithdrawalRow, 'id' | 'user_id' | 'currency_id' | 'amount' | 'fee' | 'attempt'>;

/** Posts one leg, at most once per attempt. Throws 400 INSUFFICIENT_BALANCE. */
export async function postLeg(tx: Tx, held: Held, leg: Leg): Promise<void> {
  const { id, user_id: userId, currency_id: currencyId, amount, fee, attempt } = held;
  const posting = (kind: Kind, debit: Posting['debit'], credit: Posting['credit'], of: bigint): Posting[] =>
    of > 0n ? [{ userId, currencyId, kind, debit, credit, amount: of }] : [];
  const received = amount - fee;
  const postings: Record<Leg, Posting[]> = {
    hold: posting('withdraw.hold', 'cash', 'hold', amount),
    release: posting('withdraw.release', 'hold', 'cash', amount),
    sent: [
      ...posting('withdraw.sent', 'hold', 'treasury', received),
      ...posting('withdraw.fee', 'hold', 'fees', fee),
    ],
    return: [
      ...posting('withdraw.return', 'treasury', 'hold', received),
      ...posting('withdraw.fee.return', 'fees', 'hold', fee),
    ],
  };
  const key = `withdrawal:${id}:${leg}:${attempt}`;
  await post(tx, [{ key, kind: `withdraw.${leg}`, mustFit: leg === 'hold', postings: postings[leg] }]);
}

/** Locks the player of a withdrawal and `alsoPlayers`, then its row. Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function lockWithdrawal(
  tx: Tx,
  id: string,
  alsoPlayers: readonly number[] = [],
): Promise<WithdrawalRow> {
  const { user_id } = await getWithdrawal(tx, id);
  await lockPlayers(tx, [user_id, ...alsoPlayers]);
  return (await lockRow(tx, id))!;
}

/** Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function getWithdrawal(
  db: Parameters<typeof findWithdrawal>[0],
  id: string,
): Promise<WithdrawalRow> {
  const row = isUuid(id) ? await findWithdrawal(db, id) : undefined;
  if (!row) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
  return row;
}

const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

export type ApplyStatus = ReturnType<typeof createApplyStatus>;

/** A provider's report about an attempt. `at` is undefined if the report is the response to our own request. */
type Reported = PayoutState & { reference: string; at?: Date };

/** Applies a provider's report about a payout, from a webhook or from a response. */
export function createApplyStatus({ currencies, log, referred }: PayoutDeps) {
  /**
   * Applies one report under the locks of `lockWithdrawal` and returns the row. The status only moves forward. Repeated reports and reports
   * about earlier attempts have no effect.
   */
  return async (tx: Tx, row: WithdrawalRow, reported: Reported): Promise<WithdrawalRow> => {
    const facts = {
      withdrawalId: row.id,
      status: row.status,
      reference: reported.reference,
      reported: reported.status,
    };
    const claimsPayment = reported.status === 'SENT' || reported.status === 'COMPLETED';
    if (row.reference !== reported.reference) {
      const message = 'report about another withdrawal attempt ignored';
      // The player may have been paid twice, so staff must investigate.
      if (claimsPayment) log.error(facts, message);
      else log.warn(facts, message);
      return row;
    }
    const at = reported.at ?? (await transactionTime(tx));
    // Webhooks may arrive out of order. This failure is older than the latest report, so it is ignored.
    if (row.status === 'SENT' && reported.status === 'FAILED' && row.told_at && at < row.told_at) return row;
    const to = nextStatus(row.status, reported, requiredOf(currencies, row));
    if (to === 'contradiction') {
      log.error(facts, 'provider report contradicts an earlier one and was ignored');
      return row;
    }
    const updates = updatesFrom(row, reported, at);
    if (to === undefined) return hasChanges(row, updates) ? updateWithdrawal(tx, row, updates) : row;
    const reason = to === 'FAILED' ? (reported.failedReason ?? 'rejected by the provider') : null;
    if (row.status === 'SENT' && to === 'FAILED') log.warn(facts, 'sent withdrawal failed');
    const next = await move(tx, row, { ...updates, ...(reason && { failed_reason: reason }), to, reason });
    if (to === 'COMPLETED')
      await referred.withdrawn(tx, { userId: row.user_id, usdAmount: row.usd_amount, at: next.updated_at });
    return next;
  };
}

/** Returns the changes from a report. A report never overwrites a stored value with an empty one. */
function updatesFrom(row: WithdrawalRow, reported: Reported, at: Date): Changes {
  return {
    external_id: reported.externalId ?? row.external_id,
    tx_hash: reported.txHash ?? row.tx_hash,
    confirmations: Math.max(reported.confirmations, row.confirmations),
    told_at: row.told_at && row.told_at > at ? row.told_at : at,
  };
}

const hasChanges = (row: WithdrawalRow, updates: Changes): boolean =>
  row.told_at === null ||
  (['external_id', 'tx_hash', 'confirmations'] as const).some((field) => updates[field] !== row[field]);

const requiredOf = (currencies: PayoutDeps['currencies'], row: WithdrawalRow): number =>
  currencies.find(row.currency_id)?.networks.find(({ id }) => id === row.network_id)?.confirmations ??
  Number.MAX_SAFE_INTEGER;
