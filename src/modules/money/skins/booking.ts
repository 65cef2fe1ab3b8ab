import type { Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, type Rate, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { Currencies } from '../currencies/service.ts';
import { openClaimsOf } from '../ledger/claims.ts';
import type { Credits } from '../payments/credit.ts';
import type { DepositGate } from '../payments/may-deposit.ts';
import { type Change, decimalsOf, outstandingAdvances, type SkinDepositRow } from './queries.ts';
import { isAdvanceWithin, movementAt, type Risk, type SkinStatus } from './rules.ts';

/** What changes in the row, and why staff should look at it. */
type Booked = Change & { reasons?: readonly string[] };
export type Booking = ReturnType<typeof createBooking>;
type Deps = { currencies: Currencies; depositGate: DepositGate; credits: Credits };

/** The money of a deposit by skins: credited once, in advance or at its success, and taken back at most once. */
export function createBooking({ currencies, depositGate, credits }: Deps) {
  const mayAdvance = async (tx: Tx, deposit: SkinDepositRow): Promise<boolean> => {
    const { user_id: userId, risk, usd_amount: usdAmount } = deposit;
    if (usdAmount === null) return false;
    // Whoever may not pay in gets nothing ahead of time.
    if ((await depositGate.findings(tx, { userId, usdAmount })).length > 0) return false;
    // Nor does who owes: an advance would pay their debt with money that is not there yet, or be a second one beside it.
    if ((await openClaimsOf(tx, userId)).size > 0) return false;
    const outstandingUsd = await outstandingAdvances(tx, userId);
    return isAdvanceWithin(risk as Risk | null, { outstandingUsd, usdAmount });
  };

  const credit = async (tx: Tx, deposit: SkinDepositRow): Promise<Booked> => {
    const { id, user_id: userId, currency_id: currencyId, usd_amount: worthUsd } = deposit;
    if (worthUsd === null) {
      const fields = [{ path: 'usdAmount', message: 'is needed: no notice has named it' }];
      throw commonErrors.VALIDATION_FAILED({ fields });
    }
    const rate = rateOf(currencyId);
    const amount = usdToCurrencyDown(worthUsd, rate, await decimalsOf(tx, currencyId));
    // What counts is what is credited, not what the items were said to be worth.
    const usdAmount = currencyToUsdDown(amount, rate);
    // Items that are there are paid whatever speaks against them: staff looks at it.
    const findings = await depositGate.findings(tx, { userId, usdAmount });
    const at = await transactionTime(tx);
    const kind = 'skins.deposit';
    // Less than the currency can express is nothing, which the ledger does not move.
    if (amount > 0n)
      await credits.credit(tx, { userId, currencyId, amount, usdAmount, key: keyOf(id), kind, at });
    return { credited_amount: amount, credited_usd_amount: usdAmount, credited_at: at, reasons: findings };
  };

  /** The rate of now. Throws 503 while there is none to believe: the notice is tried again. */
  const rateOf = (currencyId: string): Rate => {
    const { rate, stale } = currencies.rateOf(currencyId);
    if (stale) throw commonErrors.SERVICE_UNAVAILABLE();
    return rate;
  };

  const takeBack = async (tx: Tx, { id, credited_amount }: SkinDepositRow): Promise<Change> => {
    const at = await transactionTime(tx);
    if (credited_amount !== 0n) await credits.reverse(tx, { key: keyOf(id), at });
    return { returned_at: at };
  };

  /**
   * Moves what a deposit in its new status asks for, and answers what changes in its row. Its player is locked; `saidUsd` is what
   * the notice says that the items are worth.
   */
  return async function book(tx: Tx, deposit: SkinDepositRow, saidUsd: Units | null): Promise<Booked> {
    const isCredited = deposit.credited_at !== null;
    const status = deposit.status as SkinStatus;
    const isAdvance = status === 'HOLD_APPROVED' && !isCredited && (await mayAdvance(tx, deposit));
    const movement = movementAt(status, { isCredited, mayAdvance: isAdvance });
    if (movement === 'credit') return credit(tx, deposit);
    if (movement === 'takeBack') return takeBack(tx, deposit);
    const isOther = isCredited && saidUsd !== null && saidUsd !== deposit.usd_amount;
    return isOther ? { reasons: ['AMOUNT_CHANGED'] } : {};
  };
}

/** Its credit in the ledger. */
const keyOf = (id: string): string => `skins:${id}`;
