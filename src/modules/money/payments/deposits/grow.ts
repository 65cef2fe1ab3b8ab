import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import type { DepositReport } from '../provider.ts';
import { readUnits } from '../providers/rules.ts';
import { stay, type Work } from './advance.ts';
import { objectionsOf } from './objections.ts';
import { type DepositRow, lockChildren } from './queries.ts';
import { statusOf } from './rules.ts';

/**
 * Credits the growth of a payment since its coins arrived as a separate deposit, because the provider reports the total of all transfers
 * under one id. A smaller total moves nothing and creates a finding. Undefined if the report is not about a payment that has arrived.
 */
export async function grow(
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

/** Returns the total of the transfers that have arrived, or undefined if the provider's digits could not be read. */
async function arrivedBefore(tx: Tx, row: DepositRow): Promise<Units | undefined> {
  const first = row.reported_amount === null ? row.amount : readUnits(row.reported_amount);
  if (first === undefined) return undefined;
  const children = await lockChildren(tx, row.id);
  return children.reduce((sum, child) => sum + child.amount, first);
}
