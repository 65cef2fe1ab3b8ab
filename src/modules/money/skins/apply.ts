import type { Tx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { withReasons } from '../payments/reasons.ts';
import { book } from './booking.ts';
import { lockDeposit, type SkinDepositRow, updateDeposit } from './queries.ts';
import type { SkinReport } from './report.ts';
import { holdEnd, isContradiction, nextStatus, riskOf, type SkinStatus } from './rules.ts';

/** Applies a report: a new status moves money where due, and a contradiction of a final status is marked for review. */
export async function applyReport(
  tx: Tx,
  deps: PaymentDeps,
  owner: { id: string; user_id: number },
  report: SkinReport,
): Promise<void> {
  await lockPlayers(tx, [owner.user_id]);
  const deposit = await lockDeposit(tx, owner.id);
  const status = nextStatus(deposit.status as SkinStatus, report.status);
  if (status) {
    const next = { ...deposit, ...changesFrom(deposit, report), status };
    const { reasons = [], ...moved } = await book(tx, deps, next, report.usdAmount);
    const { items, usd_amount, risk, hold_until, fail_reason } = next;
    const reported = { status, items: JSON.stringify(items), usd_amount, risk, hold_until, fail_reason };
    const review_reason = withReasons(deps, deposit, reasons);
    await publishChange(
      tx,
      deposit,
      await updateDeposit(tx, deposit.id, { ...reported, ...moved, review_reason }),
    );
  } else if (isContradiction(deposit.status as SkinStatus, report.status)) {
    await flag(tx, deps, deposit, `CONTRADICTED_BY_${report.status}`);
  }
}

/** Marks a deposit for review. */
export const flag = (tx: Tx, deps: PaymentDeps, deposit: SkinDepositRow, reason: string) =>
  updateDeposit(tx, deposit.id, { review_reason: withReasons(deps, deposit, [reason]) });

/** The fields of a deposit after a report. The amount no longer changes once the deposit is credited. */
function changesFrom(deposit: SkinDepositRow, report: SkinReport) {
  const { items, usdAmount, userRisk, holdUntil, failReason, status } = report;
  const end = holdUntil
    ? new Date(holdUntil)
    : status === 'IN_HOLD'
      ? holdEnd(new Date(report.occurredAt))
      : null;
  return {
    items: items ?? deposit.items,
    usd_amount: deposit.credited_at ? deposit.usd_amount : (usdAmount ?? deposit.usd_amount),
    risk: userRisk ? riskOf(userRisk) : deposit.risk,
    hold_until: end ?? deposit.hold_until,
    fail_reason: failReason ?? deposit.fail_reason,
  };
}

/** Emits the status of a deposit to its player, and notifies them of its credit and of its reversal. `before` is undefined for a new deposit. */
export async function publishChange(
  tx: Tx,
  before: SkinDepositRow | undefined,
  deposit: SkinDepositRow,
): Promise<void> {
  const { id: depositId, user_id: userId, currency_id: currencyId, credited_amount, returned_at } = deposit;
  const amount = credited_amount === null ? null : formatUnits(credited_amount);
  const status = deposit.status as SkinStatus;
  await emitEvent(tx, { event: 'deposit.status', userId, data: { depositId, status, currencyId, amount } });
  // A value below the smallest unit of the currency was credited as 0.
  if (amount === null || credited_amount === 0n) return;
  const about = { depositId, currencyId, amount };
  if (!before?.credited_at) await notify(tx, userId, 'deposit.completed', about);
  if (returned_at && !before?.returned_at) await notify(tx, userId, 'deposit.reversed', about);
}
