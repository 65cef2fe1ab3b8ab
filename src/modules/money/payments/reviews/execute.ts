import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { publishChange, reasonsOn } from '../deposits/advance.ts';
import { creditDeposit } from '../deposits/credit.ts';
import { type DepositChanges, type DepositRow, updateDeposit } from '../deposits/queries.ts';
import type { DepositStatus } from '../deposits/rules.ts';
import { writeOff } from '../deposits/suspense.ts';
import type { PaymentDeps } from '../deps.ts';
import { amountOf, coinsOf, creditUsd } from './facts.ts';
import { type ReviewRow, updateReview } from './queries.ts';
import { startReturn } from './returns.ts';

type Order = { row: DepositRow; review: ReviewRow; at: Date };

/** Carries out a decision about a deposit and returns the updated deposit. The deposit and its players must be locked. */
export async function execute(
  tx: Tx,
  deps: PaymentDeps,
  { row, review }: Omit<Order, 'at'>,
): Promise<DepositRow> {
  const order = { row, review, at: await transactionTime(tx) };
  const next = await carryOut(tx, deps, order);
  await publishChange(tx, row, next);
  return next;
}

function carryOut(tx: Tx, deps: PaymentDeps, order: Order): Promise<DepositRow> {
  switch (order.review.action) {
    case 'CREDIT':
    case 'ASSIGN':
      return credit(tx, deps, order);
    case 'RETURN':
      return startReturn(tx, deps, order);
    case 'WRITE_OFF':
      return writeOffDeposit(tx, order);
    case 'ACKNOWLEDGE':
      return updateDeposit(tx, order.row.id, { has_finding: false });
  }
}

/** Credits the owner under the key of the automatic credit, so an output is never credited twice. Throws 409 RATE_STALE. */
async function credit(tx: Tx, deps: PaymentDeps, { row, review, at }: Order): Promise<DepositRow> {
  const coins = coinsOf(row);
  const amount = review.amount ?? amountOf(coins, undefined);
  const userId = review.user_id ?? row.user_id!;
  const usdAmount = creditUsd(deps, { ...coins, amount });
  const { currencyId, networkId } = coins;
  const {
    status,
    reasons = [],
    ...changes
  } = await creditDeposit(tx, deps, row, {
    userId,
    currencyId,
    amount,
    usdAmount,
    at,
  });
  const isFinding = reasons.length > 0;
  return end(tx, row, status, at, {
    ...changes,
    ...reasonsOn(deps, row, reasons),
    has_finding: isFinding,
    user_id: userId,
    currency_id: currencyId,
    network_id: networkId,
    ...reportedOf(row, amount),
  });
}

/** Records the amount that arrived when staff credit a different one, because later reports are compared with it. */
const reportedOf = (row: DepositRow, amount: Units): DepositChanges =>
  row.reported_amount === null && row.amount !== amount ? { reported_amount: formatUnits(row.amount) } : {};

async function writeOffDeposit(tx: Tx, { row, review, at }: Order): Promise<DepositRow> {
  await writeOff(tx, row);
  if (row.suspense_amount > 0n) await updateReview(tx, review.id, { amount: row.suspense_amount });
  return end(tx, row, 'WRITTEN_OFF', at, { suspense_amount: 0n, has_finding: false });
}

const end = (tx: Tx, row: DepositRow, status: DepositStatus, at: Date, changes: DepositChanges) =>
  updateDeposit(tx, row.id, { ...changes, change: { status, at: at.toISOString(), reason: null } });
