import type { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { withReasons } from '../payments/reasons.ts';
import { book } from './booking.ts';
import type { SkinDepositRow } from './queries.ts';
import * as queries from './queries.ts';
import { holdEnd, isContradiction, nextStatus, riskOf, type SkinStatus } from './rules.ts';
import { type Session, SkinWebhook } from './schemas.ts';

/** What a webhook reports about a trade. */
type SkinReport = Omit<z.output<typeof SkinWebhook>, 'usdAmount'> & { usdAmount: Units | null };

/** Nobody sells more than this in one go: ten million dollars. */
const HIGHEST = parseUnits('10000000')!;

/** Throws 400 VALIDATION_FAILED, AMOUNT_OUT_OF_RANGE. */
export function readReport(raw: Buffer): SkinReport {
  const report = readNotice(raw, SkinWebhook);
  for (const { priceUsd } of report.items ?? []) amountOf(priceUsd);
  return { ...report, usdAmount: report.usdAmount == null ? null : amountOf(report.usdAmount) };
}

function amountOf(text: string): Units {
  const amount = parseUnits(text);
  if (amount === undefined || amount > HIGHEST) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}

/** Applies a webhook; one about a transaction that is not known yet is stored until it is. */
export async function processWebhook(tx: Tx, deps: PaymentDeps, { raw }: { raw: Buffer }): Promise<void> {
  const report = readReport(raw);
  const { transactionId } = report;
  let owner = await queries.findOwner(tx, transactionId);
  if (!owner) {
    await queries.lockTransaction(tx, transactionId);
    owner = await queries.findOwner(tx, transactionId);
  }
  if (owner) return apply(tx, deps, owner, report);
  deps.metrics.depositFindings.inc({ reason: 'TRANSACTION_UNKNOWN' });
  deps.log.warn({ transactionId }, 'a webhook about skins names a transaction that is not known yet');
  await queries.storeWebhook(tx, transactionId, raw);
}

/** Stores the session that the marketplace has opened for a deposit, and applies the webhooks that came before it. */
export const storeSession = (
  deps: PaymentDeps,
  { id, user_id }: SkinDepositRow,
  session: z.output<typeof Session>,
): Promise<SkinDepositRow> =>
  transaction(deps.db, async (tx) => {
    await lockPlayers(tx, [user_id]);
    const deposit = await queries.lockDeposit(tx, id);
    // A duplicate request was faster.
    if (deposit.url !== null) return deposit;
    const { transactionId, url, expiresAt } = session;
    await queries.lockTransaction(tx, transactionId);
    if (await queries.findOwner(tx, transactionId)) {
      deps.log.error({ depositId: id, transactionId }, 'the skin marketplace has used a transaction twice');
      throw commonErrors.SERVICE_UNAVAILABLE();
    }
    const change = { transaction_id: transactionId, url, expires_at: new Date(expiresAt) };
    const stored = await queries.updateDeposit(tx, id, change);
    const early = (await queries.deleteStoredWebhooks(tx, transactionId)).map(readReport);
    early.sort((a, b) => a.occurredAt.localeCompare(b.occurredAt));
    for (const report of early)
      await apply(tx, deps, stored, report).catch(async (error: unknown) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        await flag(tx, deps, stored, 'NOTICE_UNUSABLE');
      });
    return stored;
  });

async function apply(
  tx: Tx,
  deps: PaymentDeps,
  owner: { id: string; user_id: number },
  report: SkinReport,
): Promise<void> {
  await lockPlayers(tx, [owner.user_id]);
  const deposit = await queries.lockDeposit(tx, owner.id);
  const status = nextStatus(deposit.status as SkinStatus, report.status);
  if (status) {
    const next = { ...deposit, ...learntFrom(deposit, report), status };
    const { reasons = [], ...moved } = await book(tx, deps, next, report.usdAmount);
    const { items, usd_amount, risk, hold_until, fail_reason } = next;
    const learnt = { status, items: JSON.stringify(items), usd_amount, risk, hold_until, fail_reason };
    const review_reason = withReasons(deps, deposit, reasons);
    await publishChange(
      tx,
      deposit,
      await queries.updateDeposit(tx, deposit.id, { ...learnt, ...moved, review_reason }),
    );
  } else if (isContradiction(deposit.status as SkinStatus, report.status)) {
    await flag(tx, deps, deposit, `CONTRADICTED_BY_${report.status}`);
  }
}

/** Marks a deposit for review. */
const flag = (tx: Tx, deps: PaymentDeps, deposit: SkinDepositRow, reason: string) =>
  queries.updateDeposit(tx, deposit.id, { review_reason: withReasons(deps, deposit, [reason]) });

/** What is known of a deposit after a report. Once it is credited the amount stays. */
function learntFrom(deposit: SkinDepositRow, report: SkinReport) {
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

/** Emits the status of a deposit to its player, and notifies them of its credit and of its reversal. `before` undefined: it is new. */
export async function publishChange(
  tx: Tx,
  before: SkinDepositRow | undefined,
  deposit: SkinDepositRow,
): Promise<void> {
  const { id: depositId, user_id: userId, currency_id: currencyId, credited_amount, returned_at } = deposit;
  const amount = credited_amount === null ? null : formatUnits(credited_amount);
  const status = deposit.status as SkinStatus;
  await emitEvent(tx, { event: 'deposit.status', userId, data: { depositId, status, currencyId, amount } });
  // Less than the currency can express was credited: nothing to notify of.
  if (amount === null || credited_amount === 0n) return;
  const about = { depositId, currencyId, amount };
  if (!before?.credited_at) await notify(tx, userId, 'deposit.completed', about);
  if (returned_at && !before?.returned_at) await notify(tx, userId, 'deposit.reversed', about);
}
