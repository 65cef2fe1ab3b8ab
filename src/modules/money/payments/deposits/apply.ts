import type { Tx } from '../../../../platform/database/db.ts';
import { MAX_UNITS, type Units } from '../../../../platform/money.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { PaymentDeps } from '../deps.ts';
import type { DepositReport } from '../provider.ts';
import { advance, networkOf, publishChange, stay, stop, suspend, type Work } from './advance.ts';
import { claimDeposit, type Incoming, type Owner } from './claim.ts';
import { creditDeposit } from './credit-deposit.ts';
import { grow } from './grow.ts';
import { objectionsOf } from './objections.ts';
import { type DepositRow, updateDeposit } from './queries.ts';
import { reverse } from './reverse.ts';
import { ADDRESS_UNKNOWN, canTransition, objectionsTo, statusOf } from './rules.ts';

/**
 * Applies a report about incoming coins. Each output of a transaction is credited once, whatever the order and number of reports. Returns
 * the updated deposit, or undefined if the report could belong to several deposits of its payment.
 */
export async function applyReport(
  tx: Tx,
  deps: PaymentDeps,
  incoming: Incoming,
): Promise<DepositRow | undefined> {
  const { report } = incoming;
  const at = await transactionTime(tx);
  const requiredConfirmations = networkOf(deps, report)?.confirmations ?? 0;
  const usdAmount = usdOf(deps, report);
  const claimed = await claimDeposit(tx, incoming, { usdAmount, requiredConfirmations, at });
  if (!claimed) {
    deps.metrics.depositFindings.inc({ reason: 'PAYMENT_AMBIGUOUS' });
    const { externalId } = report;
    deps.log.warn({ externalId }, 'ambiguous webhook about several deposits of a payment');
    return undefined;
  }
  const work = { ...(await adopt(tx, claimed)), deps, report, at };
  const applyChild = (child: DepositReport) =>
    applyReport(tx, deps, { ...incoming, report: child, parentId: work.row.id });
  const row = (await grow(tx, work, applyChild)) ?? (await step(tx, work));
  await publishChange(tx, claimed.isNew ? undefined : claimed.row, row);
  return row;
}

function usdOf(deps: PaymentDeps, report: DepositReport): Units {
  const usd = networkOf(deps, report) ? deps.currencies.toUsd(report.currencyId, report.amount) : 0n;
  return usd < MAX_UNITS ? usd : MAX_UNITS;
}

/** Assigns a deposit to a formerly unknown address to the player it belongs to, and restarts it as CREATED. */
async function adopt(tx: Tx, { row, owner }: { row: DepositRow; owner: Owner }) {
  const isEnded = ['REVERSED', 'RETURNING', 'RETURNED', 'WRITTEN_OFF'].includes(row.status);
  if (row.user_id !== null || !owner || isEnded) return { row, owner };
  const isFree = row.status === 'UNDER_REVIEW' && row.review_reason === ADDRESS_UNKNOWN;
  const review_reason = isFree ? null : row.review_reason;
  const owned = await updateDeposit(tx, row.id, { user_id: owner.userId, review_reason });
  return { row: isFree ? { ...owned, status: 'CREATED' as const } : owned, owner };
}

async function step(tx: Tx, work: Work): Promise<DepositRow> {
  const { row, report } = work;
  const status = statusOf(report, row.required_confirmations);
  if (status === 'REVERSED') return reverse(tx, work);
  const isBack = row.status === 'WRITTEN_OFF' && row.confirmed_at === null && status === 'COMPLETED';
  if (isBack) {
    const reasons = ['CONFIRMED_AFTER_WRITE_OFF'];
    return advance(tx, work, { status: 'UNDER_REVIEW', reasons, ...(await suspend(tx, work)) });
  }
  const objections = objectionsOf(work);
  if (objections.length > 0) return stop(tx, work, objections);
  const lacksHash = report.status === 'COMPLETED' && report.txHash === null;
  const reasons = [...(lacksHash ? ['TRANSACTION_UNKNOWN'] : []), ...(report.flaws ?? [])];
  if (!canTransition(row.status, status)) {
    const isCompletedAgain =
      row.status === 'REVERSED' && status === 'COMPLETED' && report.at > row.noticed_at;
    return stay(tx, work, isCompletedAgain ? ['COMPLETED_AFTER_REVERSAL'] : reasons);
  }
  if (status === 'COMPLETED') return complete(tx, work);
  if (status === 'EXPIRED' || status === 'FAILED') return advance(tx, work, { status });
  const usd_amount = usdOf(work.deps, report);
  return advance(tx, work, { status, reasons, amount: report.amount, usd_amount });
}

/** Credits at the current rate unless the amount needs a review first. */
async function complete(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, report, at } = work;
  const { currencyId, amount } = report;
  const usdAmount = usdOf(deps, report);
  // A payment that has grown meets the minimum as a whole.
  const min = row.parent_id === null ? networkOf(deps, report)!.minDeposit : 0n;
  const objections = objectionsTo(amount, { min, usd: usdAmount });
  if (objections.length > 0) return stop(tx, work, objections);
  const credit = { userId: row.user_id!, currencyId, amount, usdAmount, at };
  return advance(tx, work, await creditDeposit(tx, deps, row, credit));
}
