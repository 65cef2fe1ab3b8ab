import { type Insertable, sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import type { DepositReturns } from '../../../../platform/database/tables.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { addJob } from '../../../../platform/queue/queue.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import {
  creditDeposit,
  enterSuspense,
  networkOf,
  publishChange,
  reasonsOn,
  writeOff,
} from '../deposits/advance.ts';
import { type DepositChanges, type DepositRow, updateDeposit } from '../deposits/queries.ts';
import type { DepositStatus } from '../deposits/rules.ts';
import type { PaymentDeps } from '../deps.ts';
import { reviewErrors } from '../errors.ts';
import { methodOf, recipientOf } from '../recipient.ts';
import { amountOf, coinsOf, creditUsd } from './facts.ts';
import { type ReviewRow, updateReview } from './queries.ts';
import { returnReference } from './rules.ts';

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

/** Credits the owner with the same key as an automatic credit would, so an output is never credited twice. Throws 409 RATE_STALE. */
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

/** Records the amount that arrived if staff credit a different amount, because later reports are compared with the amount that arrived. */
const reportedOf = (row: DepositRow, amount: Units): DepositChanges =>
  row.reported_amount === null && row.amount !== amount ? { reported_amount: formatUnits(row.amount) } : {};

async function writeOffDeposit(tx: Tx, { row, review, at }: Order): Promise<DepositRow> {
  await writeOff(tx, row);
  if (row.suspense_amount > 0n) await updateReview(tx, review.id, { amount: row.suspense_amount });
  return end(tx, row, 'WRITTEN_OFF', at, { suspense_amount: 0n, has_finding: false });
}

const end = (tx: Tx, row: DepositRow, status: DepositStatus, at: Date, changes: DepositChanges) =>
  updateDeposit(tx, row.id, { ...changes, change: { status, at: at.toISOString(), reason: null } });

/** The job that pays out a returned deposit and then polls the payout until it is final. */
export const RETURN = 'deposit.return';

/** Queues the next step of a payout. The step runs immediately if `runAt` is undefined. */
export const queueReturn = (tx: Tx, reference: string, runAt?: Date): Promise<void> =>
  addJob(tx, RETURN, { reference }, { key: `${RETURN}:${reference}`, ...(runAt && { runAt }) });

type ReturnTo = { address?: string | undefined; memo?: string | undefined; amount?: string | undefined };

/** Returns the amount to return, including its fee. Throws 409 DEPOSIT_NOT_REVIEWABLE if the fee exceeds the amount. */
export async function assertReturnable(
  tx: Tx,
  { currencies }: Pick<PaymentDeps, 'currencies'>,
  row: DepositRow,
  { address, memo, amount: given }: ReturnTo,
): Promise<Units> {
  const coins = coinsOf(row);
  const method = methodOf(currencies, coins.currencyId, coins.networkId);
  await recipientOf(tx, method, { recipientAddress: address!, recipientMemo: memo });
  const suspended = row.suspense_amount;
  const amount = suspended > 0n && given === undefined ? suspended : amountOf(coins, given);
  // The suspended coins are exactly the coins that arrived, so no other amount can be returned.
  if (suspended > 0n && amount !== suspended)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({
      currencyId: coins.currencyId,
      available: formatUnits(suspended),
    });
  if (amount <= method.network.withdrawFee)
    throw reviewErrors.DEPOSIT_NOT_REVIEWABLE({ action: 'RETURN', status: row.status, reason: 'FEE' });
  return amount;
}

/** Moves a deposit to RETURNING and queues its payout. The coins stay in suspense until the provider has sent them. */
async function startReturn(tx: Tx, deps: PaymentDeps, { row, review, at }: Order): Promise<DepositRow> {
  const amount = review.amount!;
  if (row.suspense_amount === 0n) await enterSuspense(tx, row, amount);
  const attempt = await nextAttempt(tx, row.id);
  const reference = returnReference(row.id, attempt);
  await insertReturn(tx, {
    reference,
    deposit_id: row.id,
    review_id: review.id,
    attempt,
    status: 'QUEUED',
    currency_id: row.currency_id,
    network_id: row.network_id,
    address: review.address!,
    memo: review.memo,
    amount,
    fee: networkOf(deps, coinsOf(row))!.withdrawFee,
  });
  await queueReturn(tx, reference);
  const change = { status: 'RETURNING', at: at.toISOString(), reason: null } as const;
  return updateDeposit(tx, row.id, { change, suspense_amount: amount, has_finding: false });
}

const insertReturn = async (tx: Tx, row: Insertable<DepositReturns>): Promise<void> =>
  void (await tx.insertInto('deposit_returns').values(row).execute());

async function nextAttempt(tx: Tx, depositId: string): Promise<number> {
  const row = await tx
    .selectFrom('deposit_returns')
    .select(sql<number>`coalesce(max(attempt), 0) + 1`.as('next'))
    .where('deposit_id', '=', depositId)
    .executeTakeFirstOrThrow();
  return row.next;
}
