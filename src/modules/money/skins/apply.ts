import { type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { SkinDeposits } from '../../../platform/database/tables.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { openClaimsOf } from '../ledger/claims.ts';
import { depositEvents } from '../payments/deposits/schemas.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { withReasons } from '../payments/may-deposit.ts';
import { paymentMessages } from '../payments/messages.ts';
import type { SkinReport } from './marketplace.ts';
import {
  holdEnd,
  isAdvanceWithin,
  isContradiction,
  movementAt,
  nextStatus,
  type Risk,
  riskOf,
  type SkinStatus,
} from './rules.ts';

/**
 * Applies a report. A new status may credit or reverse the deposit. A report that contradicts a final status marks the deposit for review.
 */
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

/** Returns the fields of a deposit after a report. The amount cannot change once the deposit is credited. */
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

/**
 * Emits the status of a deposit to its player, and notifies the player when it is credited or reversed. `before` is undefined for a new
 * deposit.
 */
export async function publishChange(
  tx: Tx,
  before: SkinDepositRow | undefined,
  deposit: SkinDepositRow,
): Promise<void> {
  const { id: depositId, user_id: userId, currency_id: currencyId, credited_amount, returned_at } = deposit;
  const amount = credited_amount === null ? null : formatUnits(credited_amount);
  const status = deposit.status as SkinStatus;
  await emitEvent(tx, {
    event: depositEvents['deposit.status'],
    userId,
    data: { depositId, status, currencyId, amount },
  });
  // A value below the smallest unit of the currency was rounded down to 0 when it was credited.
  if (amount === null || credited_amount === 0n) return;
  const about = { depositId, currencyId, amount };
  if (!before?.credited_at) await notify(tx, userId, paymentMessages['deposit.completed'], about);
  if (returned_at && !before?.returned_at)
    await notify(tx, userId, paymentMessages['deposit.reversed'], about);
}

/** Changes to the row, and reasons why staff should review it. */
type Booked = Change & { reasons?: readonly string[] };

/**
 * Posts the credit or reversal that a deposit's new status requires and returns the changes to its row. A deposit is credited once, in
 * advance or when it succeeds, and reversed at most once. `reportedUsd` is the reported value of the items. The player must be locked.
 */
async function book(
  tx: Tx,
  deps: PaymentDeps,
  deposit: SkinDepositRow,
  reportedUsd: Units | null,
): Promise<Booked> {
  const isCredited = deposit.credited_at !== null;
  const status = deposit.status as SkinStatus;
  const isAdvance = status === 'HOLD_APPROVED' && !isCredited && (await mayAdvance(tx, deps, deposit));
  const movement = movementAt(status, { isCredited, mayAdvance: isAdvance });
  if (movement === 'credit') return credit(tx, deps, deposit);
  if (movement === 'reverse') return reverse(tx, deps, deposit);
  const isOther = isCredited && reportedUsd !== null && reportedUsd !== deposit.usd_amount;
  return isOther ? { reasons: ['AMOUNT_CHANGED'] } : {};
}

async function mayAdvance(tx: Tx, { depositGate }: PaymentDeps, deposit: SkinDepositRow): Promise<boolean> {
  const { user_id: userId, risk, usd_amount: usdAmount } = deposit;
  if (usdAmount === null) return false;
  // A player who may not deposit gets no advance.
  if ((await depositGate.findings(tx, { userId, usdAmount })).length > 0) return false;
  // A player who owes money gets no advance either. The advance would pay the debt with money that may never arrive.
  if ((await openClaimsOf(tx, userId)).size > 0) return false;
  const outstandingUsd = await outstandingAdvances(tx, userId);
  return isAdvanceWithin(risk as Risk | null, { outstandingUsd, usdAmount });
}

/** Throws 503 SERVICE_UNAVAILABLE if there is no fresh rate, so that the webhook is retried. */
async function credit(tx: Tx, deps: PaymentDeps, deposit: SkinDepositRow): Promise<Booked> {
  const { id, user_id: userId, currency_id: currencyId, usd_amount: worthUsd } = deposit;
  if (worthUsd === null) {
    const fields = [{ path: 'usdAmount', message: 'is required; no webhook contained it' }];
    throw commonErrors.VALIDATION_FAILED({ fields });
  }
  const { rate, stale } = deps.currencies.rateOf(currencyId);
  if (stale) throw commonErrors.SERVICE_UNAVAILABLE();
  const amount = usdToCurrencyDown(worthUsd, rate, await decimalsOf(tx, currencyId));
  // Statistics and limits use the credited value, not the value of the items.
  const usdAmount = currencyToUsdDown(amount, rate);
  // The items have been received, so the player is paid even if the gate refuses. Staff then review the deposit.
  const reasons = await deps.depositGate.findings(tx, { userId, usdAmount });
  const at = await transactionTime(tx);
  const kind = 'skins.deposit';
  // A value below the smallest unit of the currency rounds down to 0, which the ledger cannot post.
  if (amount > 0n)
    await deps.credits.credit(tx, { userId, currencyId, amount, usdAmount, key: keyOf(id), kind, at });
  return { credited_amount: amount, credited_usd_amount: usdAmount, credited_at: at, reasons };
}

async function reverse(
  tx: Tx,
  { credits }: PaymentDeps,
  { id, credited_amount }: SkinDepositRow,
): Promise<Change> {
  const at = await transactionTime(tx);
  if (credited_amount !== 0n) await credits.reverse(tx, { key: keyOf(id), at });
  return { returned_at: at };
}

/** The ledger key of a deposit's credit. */
const keyOf = (id: string): string => `skins:${id}`;

/** Returns the US dollars that were credited to a player in advance for items that are still on hold. The player must be locked. */
async function outstandingAdvances(tx: Tx, userId: number): Promise<Units> {
  const { sum } = await tx
    .selectFrom('skin_deposits')
    .select(sql<string>`coalesce(sum(credited_usd_amount), 0)`.as('sum'))
    .where('user_id', '=', userId)
    .where('status', '=', 'HOLD_APPROVED')
    .where('credited_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return BigInt(sum);
}

/** Returns the decimals of a currency, even of a disabled one, because sold items must be paid for. */
async function decimalsOf(db: DbOrTx, currencyId: string): Promise<number> {
  const { decimals } = await db
    .selectFrom('currencies')
    .select('decimals')
    .where('id', '=', currencyId)
    .executeTakeFirstOrThrow();
  return decimals;
}

export type SkinDepositRow = Selectable<SkinDeposits>;
type Change = Omit<Updateable<SkinDeposits>, 'id' | 'user_id' | 'currency_id' | 'created_at'>;

export const findDeposit = (db: DbOrTx, id: string): Promise<SkinDepositRow | undefined> =>
  db.selectFrom('skin_deposits').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks a skin deposit. The player must already be locked. */
export const lockDeposit = (tx: Tx, id: string): Promise<SkinDepositRow> =>
  tx.selectFrom('skin_deposits').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();

export const findOwner = (db: DbOrTx, transactionId: string) =>
  db
    .selectFrom('skin_deposits')
    .select(['id', 'user_id'])
    .where('transaction_id', '=', transactionId)
    .executeTakeFirst();

export const updateDeposit = (tx: Tx, id: string, change: Change): Promise<SkinDepositRow> =>
  tx
    .updateTable('skin_deposits')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Locks a marketplace's transaction id, so that storing it with a session and applying webhooks about it never run concurrently. */
export async function lockTransaction(tx: Tx, transactionId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`skins:${transactionId}`}, 0))`.execute(tx);
}
