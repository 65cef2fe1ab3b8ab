import type { Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { openClaimsOf } from '../ledger/claims.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { type Change, decimalsOf, outstandingAdvances, type SkinDepositRow } from './queries.ts';
import { isAdvanceWithin, movementAt, type Risk, type SkinStatus } from './rules.ts';

/** What changes in the row, and why staff should review it. */
type Booked = Change & { reasons?: readonly string[] };

/**
 * Moves the money that a deposit in its new status asks for, and answers what changes in its row: it is credited once, in advance or at
 * its success, and taken back at most once. `reportedUsd` is the value of the items in the report. The player must be locked.
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
  if (movement === 'takeBack') return takeBack(tx, deps, deposit);
  const isOther = isCredited && reportedUsd !== null && reportedUsd !== deposit.usd_amount;
  return isOther ? { reasons: ['AMOUNT_CHANGED'] } : {};
}

async function mayAdvance(tx: Tx, { depositGate }: PaymentDeps, deposit: SkinDepositRow): Promise<boolean> {
  const { user_id: userId, risk, usd_amount: usdAmount } = deposit;
  if (usdAmount === null) return false;
  // A player who may not deposit gets no advance.
  if ((await depositGate.findings(tx, { userId, usdAmount })).length > 0) return false;
  // Nor does one who owes money: the advance would pay the debt with money that is not there yet, or be a second one beside it.
  if ((await openClaimsOf(tx, userId)).size > 0) return false;
  const outstandingUsd = await outstandingAdvances(tx, userId);
  return isAdvanceWithin(risk as Risk | null, { outstandingUsd, usdAmount });
}

/** Throws 503 SERVICE_UNAVAILABLE while there is no fresh rate: the webhook is tried again. */
async function credit(tx: Tx, deps: PaymentDeps, deposit: SkinDepositRow): Promise<Booked> {
  const { id, user_id: userId, currency_id: currencyId, usd_amount: worthUsd } = deposit;
  if (worthUsd === null) {
    const fields = [{ path: 'usdAmount', message: 'is needed: no webhook has named it' }];
    throw commonErrors.VALIDATION_FAILED({ fields });
  }
  const { rate, stale } = deps.currencies.rateOf(currencyId);
  if (stale) throw commonErrors.SERVICE_UNAVAILABLE();
  const amount = usdToCurrencyDown(worthUsd, rate, await decimalsOf(tx, currencyId));
  // Statistics and limits take the value of what is credited, not that of the items.
  const usdAmount = currencyToUsdDown(amount, rate);
  // Items that were received are paid, whatever the gate says: staff reviews the deposit.
  const reasons = await deps.depositGate.findings(tx, { userId, usdAmount });
  const at = await transactionTime(tx);
  const kind = 'skins.deposit';
  // Less than the currency can express is nothing, which the ledger does not move.
  if (amount > 0n)
    await deps.credits.credit(tx, { userId, currencyId, amount, usdAmount, key: keyOf(id), kind, at });
  return { credited_amount: amount, credited_usd_amount: usdAmount, credited_at: at, reasons };
}

async function takeBack(
  tx: Tx,
  { credits }: PaymentDeps,
  { id, credited_amount }: SkinDepositRow,
): Promise<Change> {
  const at = await transactionTime(tx);
  if (credited_amount !== 0n) await credits.reverse(tx, { key: keyOf(id), at });
  return { returned_at: at };
}

/** Its credit in the ledger. */
const keyOf = (id: string): string => `skins:${id}`;
