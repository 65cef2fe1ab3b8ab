import type { Tx } from '../../../../platform/db.ts';
import { formatUnits, MAX_UNITS, type Units } from '../../../../platform/money.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { getUser } from '../../../base/users/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { PaymentDeps } from '../deps.ts';
import type { DepositReport } from '../provider.ts';
import { withReasons } from '../reasons.ts';
import { claimDeposit, type Incoming, type Owner } from './claim.ts';
import { type DepositChanges, type DepositRow, updateDeposit } from './queries.ts';
import { canTransition, type DepositStatus, differences, objectionsTo, statusOf } from './rules.ts';

/** A locked deposit of a locked player, what is reported about it, and the moment of the transaction. */
type Work = { deps: PaymentDeps; row: DepositRow; owner: Owner; report: DepositReport; at: Date };
type Step = { status: DepositStatus; reasons?: readonly string[] } & DepositChanges;

/**
 * Applies a report about coins that come in: each output of a transaction is credited once, in whatever order reports arrive and however
 * often. Answers the deposit after it. Undefined: the report could be about several deposits of its payment.
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
  if (claimed) {
    const row = await step(tx, { ...(await adopt(tx, claimed)), deps, report, at });
    await publishChange(tx, claimed.isNew ? undefined : claimed.row, row);
    return row;
  }
  deps.metrics.depositFindings.inc({ reason: 'PAYMENT_AMBIGUOUS' });
  const { externalId } = report;
  deps.log.warn({ externalId }, 'a webhook could be about several deposits of its payment');
  return undefined;
}

const networkOf = ({ currencies }: PaymentDeps, { currencyId, networkId }: DepositReport) =>
  currencies.networksOf(currencyId).find(({ id }) => id === networkId);

function usdOf(deps: PaymentDeps, report: DepositReport): Units {
  const usd = networkOf(deps, report) ? deps.currencies.toUsd(report.currencyId, report.amount) : 0n;
  return usd < MAX_UNITS ? usd : MAX_UNITS;
}

const UNKNOWN = 'ADDRESS_UNKNOWN';

/** A deposit to an address that nobody had becomes that of the player it turns out to belong to, and starts again as CREATED. */
async function adopt(tx: Tx, { row, owner }: { row: DepositRow; owner: Owner }) {
  if (row.user_id !== null || !owner || row.status === 'REVERSED') return { row, owner };
  const isFree = row.status === 'UNDER_REVIEW' && row.review_reason === UNKNOWN;
  const review_reason = isFree ? null : row.review_reason;
  const owned = await updateDeposit(tx, row.id, { user_id: owner.userId, review_reason });
  return { row: isFree ? { ...owned, status: 'CREATED' as const } : owned, owner };
}

async function step(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, report } = work;
  const status = statusOf(report, row.required_confirmations);
  if (status === 'REVERSED') return takeBack(tx, work);
  const objections = [...(networkOf(deps, report) ? [] : ['METHOD_UNKNOWN']), ...objectionsOf(work)];
  if (objections.length > 0) return stop(tx, work, objections);
  const lacksHash = report.status === 'COMPLETED' && report.txHash === null;
  const reasons = lacksHash ? ['TRANSACTION_UNKNOWN'] : [];
  if (!canTransition(row.status, status)) {
    const isCompletedAgain =
      row.status === 'REVERSED' && status === 'COMPLETED' && report.at > row.noticed_at;
    return stay(tx, work, isCompletedAgain ? ['COMPLETED_AFTER_REVERSAL'] : reasons);
  }
  if (status === 'COMPLETED') return complete(tx, work);
  if (status === 'EXPIRED' || status === 'FAILED') return advance(tx, work, { status });
  return advance(tx, work, { status, reasons, amount: report.amount, usd_amount: usdOf(deps, report) });
}

/** Credits at the current rate. A banned player's money is theirs, but the deposit stays ON_HOLD until the ban is lifted. */
async function complete(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, report, at } = work;
  const { amount, currencyId } = report;
  const usdAmount = usdOf(deps, report);
  const { minDeposit: min } = networkOf(deps, report)!;
  const objections = objectionsTo(amount, { min, usd: usdAmount });
  if (objections.length > 0) return stop(tx, work, objections);
  const userId = row.user_id!;
  const reasons = await deps.depositGate.findings(tx, { userId, usdAmount });
  const key = `deposit:${row.output_key}`;
  const credit = { userId, currencyId, amount, usdAmount, key, kind: 'deposit', at } as const;
  const { entryId, bonus = null, affiliateUsd } = await deps.credits.credit(tx, credit);
  const { affiliate_code } = await getUser(tx, userId);
  return advance(tx, work, {
    status: reasons.includes('USER_BANNED') ? 'ON_HOLD' : 'COMPLETED',
    reasons,
    amount,
    usd_amount: usdAmount,
    deposit_bonus: bonus,
    completed_at: at,
    affiliate_code,
    affiliate_amount: affiliateUsd,
    credit_key: key,
    entry_id: entryId,
  });
}

/** Takes back what was credited, with all that followed from it; without a credit no money moves. */
async function takeBack(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, report, at } = work;
  // The same hash on another network is another transaction: it says nothing about these coins.
  if (report.networkId !== row.network_id) return stay(tx, work, ['NETWORK_DIFFERS']);
  if (!canTransition(row.status, 'REVERSED')) return stay(tx, work);
  if (row.credit_key !== null) await deps.credits.reverse(tx, { key: row.credit_key, at });
  return advance(tx, work, { status: 'REVERSED', deposit_bonus: null, affiliate_amount: 0n });
}

const stop = (tx: Tx, work: Work, reasons: readonly string[]) =>
  canTransition(work.row.status, 'UNDER_REVIEW')
    ? advance(tx, work, { status: 'UNDER_REVIEW', reasons })
    : stay(tx, work, reasons);

function advance(tx: Tx, work: Work, { status, reasons = [], ...changes }: Step) {
  const { deps, row, report, at } = work;
  const isStopped = status === 'UNDER_REVIEW' || status === 'ON_HOLD';
  return updateDeposit(tx, row.id, {
    ...changes,
    confirmations: Math.max(row.confirmations, report.confirmations),
    noticed_at: report.at > row.noticed_at ? report.at : row.noticed_at,
    review_reason: withReasons(deps, row, reasons),
    change: { status, at: at.toISOString(), reason: (isStopped && reasons[0]) || null },
  });
}

/** Keeps the status: the report comes too late, or again. */
const stay = (tx: Tx, { deps, row, report }: Work, reasons: readonly string[] = []) =>
  updateDeposit(tx, row.id, {
    confirmations: Math.max(row.confirmations, report.confirmations),
    review_reason: withReasons(deps, row, reasons),
  });

/** What speaks against a report: an address of nobody, another currency than is paid in there, or another one than was reported before. */
function objectionsOf({ row, owner, report }: Work): string[] {
  const before = {
    userId: row.user_id,
    amount: row.amount,
    status: row.status,
    currencyId: row.currency_id,
    networkId: row.network_id,
  };
  const found = [
    ...(owner ? [] : [UNKNOWN]),
    ...(owner && owner.currencyId !== report.currencyId ? ['CURRENCY_DIFFERS'] : []),
    ...(owner && owner.networkId !== report.networkId ? ['NETWORK_DIFFERS'] : []),
    ...differences(before, { ...report, userId: owner?.userId ?? null }),
  ];
  return [...new Set(found)];
}

/** Statuses that the player is notified of. */
const MESSAGES = {
  COMPLETED: 'deposit.completed',
  ON_HOLD: 'deposit.held',
  UNDER_REVIEW: 'deposit.held',
  REVERSED: 'deposit.reversed',
} as const satisfies Partial<Record<DepositStatus, string>>;

/** Emits the new status to the player and notifies them, and alerts staff of a review. `before` undefined: there was no deposit. */
export async function publishChange(tx: Tx, before: DepositRow | undefined, row: DepositRow): Promise<void> {
  const { id, status, user_id: userId, currency_id: currencyId } = row;
  if (status === 'UNDER_REVIEW' && before?.status !== status)
    await emitEvent(tx, { event: 'admin.alert', data: { kind: 'DEPOSIT_UNDER_REVIEW', id } });
  const isKnown = before?.status === status && before.user_id === userId;
  if (userId === null || isKnown) return;
  const data = { depositId: id, currencyId, amount: formatUnits(row.amount) };
  await emitEvent(tx, { event: 'deposit.status', userId, data: { ...data, status } });
  if (Object.hasOwn(MESSAGES, status))
    await notify(tx, userId, MESSAGES[status as keyof typeof MESSAGES], data);
}
