import type { Tx } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import { MAX_UNITS, type Units } from '../../../../platform/money.ts';
import { getUser } from '../../../base/users/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { Credits } from '../credit.ts';
import type { DepositGate } from '../may-deposit.ts';
import type { DepositNotice } from '../provider.ts';
import { claimDeposit, type Owner, type Report } from './claim.ts';
import { tellOf } from './news.ts';
import { type DepositChanges, type DepositRow, updateDeposit } from './queries.ts';
import { type DepositStatus, differences, mayFollow, meantBy, objectionsTo } from './rules.ts';

export type ApplyDeps = {
  currencies: Currencies;
  credits: Credits;
  depositGate: DepositGate;
  metrics: Metrics;
  log: Log;
};

/** A locked deposit of a locked player, what is said of it, and the moment of the transaction. */
type Work = { row: DepositRow; owner: Owner; notice: DepositNotice; at: Date };
type Step = { status: DepositStatus; reasons?: readonly string[] } & DepositChanges;

/** Coins come in: each output of a transaction is credited once, whatever is said of it, in which order and how often. */
export function createApply(parts: ApplyDeps) {
  const { currencies, credits, depositGate } = parts;
  const networkOf = ({ currencyId, networkId }: DepositNotice) =>
    currencies.networksOf(currencyId).find(({ id }) => id === networkId);
  const usdOf = (notice: DepositNotice): Units => {
    const usd = networkOf(notice) ? currencies.toUsd(notice.currencyId, notice.amount) : 0n;
    return usd < MAX_UNITS ? usd : MAX_UNITS;
  };

  /** The reasons for a look that a deposit bears from now on; new ones are counted. */
  const reasonsOf = ({ id, review_reason }: DepositRow, reasons: readonly string[]): string | null => {
    const known = review_reason?.split(',') ?? [];
    const fresh = reasons.filter((reason) => !known.includes(reason));
    for (const reason of fresh) parts.metrics.depositFindings.inc({ reason });
    if (fresh.length > 0) parts.log.warn({ depositId: id, reasons: fresh }, 'a deposit needs a look');
    return [...known, ...fresh].join(',') || null;
  };

  const advance = (tx: Tx, { row, notice, at }: Work, { status, reasons = [], ...changes }: Step) => {
    const isStopped = status === 'UNDER_REVIEW' || status === 'ON_HOLD';
    return updateDeposit(tx, row.id, {
      ...changes,
      confirmations: Math.max(row.confirmations, notice.confirmations),
      noticed_at: notice.at > row.noticed_at ? notice.at : row.noticed_at,
      review_reason: reasonsOf(row, reasons),
      change: { status, at: at.toISOString(), reason: (isStopped && reasons[0]) || null },
    });
  };

  /** Keeps the status: what is said comes too late, or again. */
  const stay = (tx: Tx, { row, notice }: Work, reasons: readonly string[] = []) =>
    updateDeposit(tx, row.id, {
      confirmations: Math.max(row.confirmations, notice.confirmations),
      review_reason: reasonsOf(row, reasons),
    });

  const stop = (tx: Tx, work: Work, reasons: readonly string[]) =>
    mayFollow(work.row.status, 'UNDER_REVIEW')
      ? advance(tx, work, { status: 'UNDER_REVIEW', reasons })
      : stay(tx, work, reasons);

  /** Credits at the rate of now. A banned player's money is theirs, but waits: it stays ON_HOLD until they are not banned any more. */
  const complete = async (tx: Tx, work: Work): Promise<DepositRow> => {
    const { row, notice, at } = work;
    const { amount, currencyId } = notice;
    const usdAmount = usdOf(notice);
    const objections = objectionsTo(amount, { min: networkOf(notice)!.minDeposit, usd: usdAmount });
    if (objections.length > 0) return stop(tx, work, objections);
    const userId = row.user_id!;
    const reasons = await depositGate.findings(tx, { userId, usdAmount });
    const key = `deposit:${row.output_key}`;
    const { entryId } = await credits.credit(tx, {
      userId,
      currencyId,
      amount,
      usdAmount,
      key,
      kind: 'deposit',
      at,
    });
    const { affiliate_code } = await getUser(tx, userId);
    return advance(tx, work, {
      status: reasons.includes('USER_BANNED') ? 'ON_HOLD' : 'COMPLETED',
      reasons,
      amount,
      usd_amount: usdAmount,
      completed_at: at,
      affiliate_code,
      credit_key: key,
      entry_id: entryId,
    });
  };

  /** What was credited is taken back with what hangs on it; without a credit nothing moves. */
  const takeBack = async (tx: Tx, work: Work): Promise<DepositRow> => {
    const { row, notice, at } = work;
    // The same hash on another network is another transaction: it says nothing about these coins.
    if (notice.networkId !== row.network_id) return stay(tx, work, ['NETWORK_DIFFERS']);
    if (!mayFollow(row.status, 'REVERSED')) return stay(tx, work);
    if (row.credit_key !== null) await credits.reverse(tx, { key: row.credit_key, at });
    return advance(tx, work, { status: 'REVERSED', deposit_bonus: null, affiliate_amount: 0n });
  };

  const step = async (tx: Tx, work: Work): Promise<DepositRow> => {
    const { row, notice } = work;
    const meant = meantBy(notice, row.required_confirmations);
    if (meant === 'REVERSED') return takeBack(tx, work);
    const objections = [...(networkOf(notice) ? [] : ['METHOD_UNKNOWN']), ...objectionsOf(work)];
    if (objections.length > 0) return stop(tx, work, objections);
    const lacksHash = notice.status === 'COMPLETED' && notice.txHash === null;
    const reasons = lacksHash ? ['TRANSACTION_UNKNOWN'] : [];
    if (!mayFollow(row.status, meant)) {
      const isBack = row.status === 'REVERSED' && meant === 'COMPLETED' && notice.at > row.noticed_at;
      return stay(tx, work, isBack ? ['COMPLETED_AFTER_REVERSAL'] : reasons);
    }
    if (meant === 'COMPLETED') return complete(tx, work);
    if (meant === 'EXPIRED' || meant === 'FAILED') return advance(tx, work, { status: meant });
    const sums = { amount: notice.amount, usd_amount: usdOf(notice) };
    return advance(tx, work, { status: meant, reasons, ...sums });
  };

  /** Answers the deposit as it is now. Undefined: it is one of several of a payment, and the notice does not say which. */
  return async function apply(tx: Tx, report: Report): Promise<DepositRow | undefined> {
    const { notice } = report;
    const at = await transactionTime(tx);
    const requiredConfirmations = networkOf(notice)?.confirmations ?? 0;
    const claimed = await claimDeposit(tx, report, { usdAmount: usdOf(notice), requiredConfirmations, at });
    if (claimed) {
      const row = await step(tx, { ...(await adopt(tx, claimed)), notice, at });
      await tellOf(tx, claimed.isNew ? undefined : claimed.row, row);
      return row;
    }
    parts.metrics.depositFindings.inc({ reason: 'PAYMENT_AMBIGUOUS' });
    parts.log.warn(
      { externalId: notice.externalId },
      'a notice could be about several deposits of its payment',
    );
    return undefined;
  };
}

const UNKNOWN = 'ADDRESS_UNKNOWN';

/** A deposit whose address was nobody's becomes that of whom it turns out to belong to, and begins anew. */
async function adopt(tx: Tx, { row, owner }: { row: DepositRow; owner: Owner }) {
  if (row.user_id !== null || !owner || row.status === 'REVERSED') return { row, owner };
  const isFree = row.status === 'UNDER_REVIEW' && row.review_reason === UNKNOWN;
  const review_reason = isFree ? null : row.review_reason;
  const owned = await updateDeposit(tx, row.id, { user_id: owner.userId, review_reason });
  return { row: isFree ? { ...owned, status: 'CREATED' as const } : owned, owner };
}

/** What speaks against believing a notice: nobody's address, another currency than is paid in there, or another than announced. */
function objectionsOf({ row, owner, notice }: Work): string[] {
  const { currencyId, networkId, amount, status } = notice;
  const announced = {
    userId: row.user_id,
    amount: row.amount,
    status: row.status,
    currencyId: row.currency_id,
    networkId: row.network_id,
  };
  const found = [
    ...(owner ? [] : [UNKNOWN]),
    ...(owner && owner.currencyId !== currencyId ? ['CURRENCY_DIFFERS'] : []),
    ...(owner && owner.networkId !== networkId ? ['NETWORK_DIFFERS'] : []),
    ...differences(announced, { userId: owner?.userId ?? null, currencyId, networkId, amount, status }),
  ];
  return [...new Set(found)];
}
