import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits, MAX_UNITS, type Units } from '../../../../platform/money.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { PaymentDeps } from '../deps.ts';
import type { DepositReport } from '../provider.ts';
import { readUnits } from '../providers/rules.ts';
import {
  advance,
  creditDeposit,
  leaveSuspense,
  networkOf,
  publishChange,
  stay,
  stop,
  suspend,
  undoWriteOff,
  type Work,
} from './advance.ts';
import { claimDeposit, type Incoming, type Owner } from './claim.ts';
import { type DepositRow, lockChildren, updateDeposit } from './queries.ts';
import { ADDRESS_UNKNOWN, canTransition, differences, objectionsTo, statusOf } from './rules.ts';

/**
 * Applies a report about incoming coins. Each output of a transaction is credited once, regardless of the order and number of reports.
 * Returns the updated deposit, or undefined if the payment has several deposits and the report does not identify one.
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

/**
 * Assigns a deposit to the player who owns its address, if the owner was unknown until now. A deposit that was under review only for this
 * reason restarts as CREATED.
 */
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
  // If a payment's amount increases later, the minimum applies only to its first deposit.
  const min = row.parent_id === null ? networkOf(deps, report)!.minDeposit : 0n;
  const objections = objectionsTo(amount, { min, usd: usdAmount });
  if (objections.length > 0) return stop(tx, work, objections);
  const credit = { userId: row.user_id!, currencyId, amount, usdAmount, at };
  return advance(tx, work, await creditDeposit(tx, deps, row, credit));
}

/**
 * Credits the increase of a payment whose first coins have arrived, as a separate deposit. This is needed because the provider reports the
 * total of all transfers under one id. A smaller total moves no money and creates a finding. Returns undefined if the report is not about a
 * payment whose coins have arrived.
 */
async function grow(
  tx: Tx,
  work: Work,
  applyChild: (report: DepositReport) => Promise<unknown>,
): Promise<DepositRow | undefined> {
  const { row, report } = work;
  const isOpen = row.status === 'CREATED' || row.status === 'REVERSED';
  const hasArrived = (row.completed_at ?? row.confirmed_at) !== null && !isOpen;
  if (!report.isCumulative || report.status === 'REVERSED' || !hasArrived) return undefined;
  const before = await arrivedBefore(tx, row);
  const objections = objectionsOf({ ...work, report: { ...report, amount: row.amount } });
  if (before === undefined || objections.length > 0) {
    const isOther = before !== report.amount && report.amount !== row.amount;
    return stay(tx, work, [...objections, ...(isOther ? ['AMOUNT_DIFFERS'] : [])]);
  }
  const isFinal = statusOf(report, row.required_confirmations) === 'COMPLETED';
  if (!isFinal || report.amount === before) return stay(tx, work, report.flaws);
  if (report.amount < before) return stay(tx, work, report.at < row.noticed_at ? [] : ['AMOUNT_SHRANK']);
  await applyChild({
    ...report,
    amount: report.amount - before,
    txHash: `${report.txHash}+${formatUnits(report.amount)}`,
    isCumulative: false,
  });
  return stay(tx, work);
}

/** Returns the total of the transfers that have arrived, or undefined if the amount reported by the provider could not be read. */
async function arrivedBefore(tx: Tx, row: DepositRow): Promise<Units | undefined> {
  const first = row.reported_amount === null ? row.amount : readUnits(row.reported_amount);
  if (first === undefined) return undefined;
  const children = await lockChildren(tx, row.id);
  return children.reduce((sum, child) => sum + child.amount, first);
}

/**
 * Returns the reasons why staff must review a report before it is credited: it could not be understood, its address is unknown, or its
 * currency, network, player or amount differs from the previous report.
 */
function objectionsOf({ deps, row, owner, report }: Work): string[] {
  const flaws = (report.flaws ?? []).filter((flaw) => flaw !== 'STATUS_UNKNOWN');
  if (flaws.includes('REPORT_UNREADABLE') || flaws.includes('PAYOUT_REPORT_UNREADABLE')) return flaws;
  const isCoinKnown = !flaws.includes('CURRENCY_UNKNOWN');
  const before = {
    userId: row.user_id,
    amount: row.amount,
    status: row.status,
    currencyId: row.currency_id,
    networkId: row.network_id,
  };
  // The total of a payment increases with each transfer and never decreases.
  const amount = report.isCumulative && report.amount > row.amount ? row.amount : report.amount;
  const found = [
    ...flaws,
    ...(isCoinKnown && !networkOf(deps, report) ? ['METHOD_UNKNOWN'] : []),
    ...(owner ? [] : [ADDRESS_UNKNOWN]),
    ...(isCoinKnown && owner && owner.currencyId !== report.currencyId ? ['CURRENCY_DIFFERS'] : []),
    ...(isCoinKnown && owner && owner.networkId !== report.networkId ? ['NETWORK_DIFFERS'] : []),
    ...differences(before, { ...report, amount, userId: owner?.userId ?? null }),
  ];
  return [...new Set(found)];
}

/**
 * The reason that is recorded on a deposit whose coins disappeared from the chain while they were being returned. The deposit is reversed
 * if the payout fails.
 */
export const REVERSED_WHILE_RETURNING = 'REVERSED_WHILE_RETURNING';

/** Reverses a deposit and every later deposit of the same payment. */
async function reverse(tx: Tx, work: Work): Promise<DepositRow> {
  const { row, report } = work;
  // The same hash on another network is a different transaction, so the report is not about these coins.
  if (report.networkId !== row.network_id) return stay(tx, work, ['NETWORK_DIFFERS']);
  for (const child of report.isCumulative ? await lockChildren(tx, row.id) : [])
    await publishChange(tx, child, await reverseOne(tx, { ...work, row: child }));
  return reverseOne(tx, work);
}

/** Reverses a credit and all its consequences. Coins in suspense go back to the treasury, and open proposals end. */
async function reverseOne(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, at } = work;
  if (row.status === 'RETURNING') {
    if (!(await cancelQueuedReturn(tx, row.id))) return stay(tx, work, [REVERSED_WHILE_RETURNING]);
  } else if (!canTransition(row.status, 'REVERSED')) {
    return stay(tx, work, row.status === 'RETURNED' ? ['REVERSED_AFTER_RETURN'] : []);
  }
  if (row.credit_key !== null) await deps.credits.reverse(tx, { key: row.credit_key, at });
  if (row.status === 'WRITTEN_OFF') await undoWriteOff(tx, row, await writtenOffAmount(tx, row.id));
  await leaveSuspense(tx, row);
  await lapseProposals(tx, row.id);
  const taken = { deposit_bonus: null, affiliate_amount: 0n, suspense_amount: 0n };
  return advance(tx, work, { status: 'REVERSED', ...taken });
}

/** Ends the open proposal about a deposit so that it can no longer be approved. */
async function lapseProposals(tx: Tx, depositId: string): Promise<void> {
  await tx
    .updateTable('deposit_reviews')
    .set({ state: 'LAPSED', decided_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('state', '=', 'PROPOSED')
    .execute();
}

/** Cancels the payout of a deposit that is being returned. Returns false if the provider may already have received the request. */
async function cancelQueuedReturn(tx: Tx, depositId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deposit_returns')
    .set({ status: 'FAILED', failed_reason: 'the deposit was reversed', updated_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('status', '=', 'QUEUED')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the amount that staff have written off, or 0 if no coins in suspense were written off. */
async function writtenOffAmount(tx: Tx, depositId: string): Promise<Units> {
  const row = await tx
    .selectFrom('deposit_reviews')
    .select('amount')
    .where('deposit_id', '=', depositId)
    .where('action', '=', 'WRITE_OFF')
    .where('state', '=', 'DONE')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.amount ?? 0n;
}
