import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { openClaimsOf } from '../ledger/claims.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Change, SkinDepositRow } from './queries.ts';
import { isAdvanceWithin, movementAt, type Risk, type SkinStatus } from './rules.ts';

/** Changes to the row, and reasons why staff should review it. */
type Booked = Change & { reasons?: readonly string[] };

/**
 * Moves the money that a deposit's new status requires and returns the changes to its row. A deposit is credited once, in advance or at
 * its success, and reversed at most once. `reportedUsd` is the reported value of the items. The player must be locked.
 */
export async function book(
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
  // Nor does a player who owes money: the advance would pay the debt with money that may never arrive.
  if ((await openClaimsOf(tx, userId)).size > 0) return false;
  const outstandingUsd = await outstandingAdvances(tx, userId);
  return isAdvanceWithin(risk as Risk | null, { outstandingUsd, usdAmount });
}

/** Throws 503 SERVICE_UNAVAILABLE without a fresh rate, so that the webhook is retried. */
async function credit(tx: Tx, deps: PaymentDeps, deposit: SkinDepositRow): Promise<Booked> {
  const { id, user_id: userId, currency_id: currencyId, usd_amount: worthUsd } = deposit;
  if (worthUsd === null) {
    const fields = [{ path: 'usdAmount', message: 'is required; no webhook contained it' }];
    throw commonErrors.VALIDATION_FAILED({ fields });
  }
  const { rate, stale } = deps.currencies.rateOf(currencyId);
  if (stale) throw commonErrors.SERVICE_UNAVAILABLE();
  const amount = usdToCurrencyDown(worthUsd, rate, await decimalsOf(tx, currencyId));
  // Statistics and limits count the credited value, not that of the items.
  const usdAmount = currencyToUsdDown(amount, rate);
  // The items have been received, so they are paid even if the gate refuses; staff review the deposit.
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

/** Returns the US dollars that a player was credited in advance for items still on hold. The player must be locked. */
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

/** Returns the decimals of a currency, even of a disabled one, because sold items must be paid. */
async function decimalsOf(db: DbOrTx, currencyId: string): Promise<number> {
  const { decimals } = await db
    .selectFrom('currencies')
    .select('decimals')
    .where('id', '=', currencyId)
    .executeTakeFirstOrThrow();
  return decimals;
}
