import { randomUUID } from 'node:crypto';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, roundDown, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { post } from '../../money/ledger/post.ts';

export type PlayMoney = readonly { currencyId: string; amount: Units }[];

/** Play money: dollars, credited in USDT. */
export async function giveMoney(
  db: Db,
  currencies: Currencies,
  userId: number,
  dollars: number,
): Promise<void> {
  const { decimals } = currencies.get('USDT');
  // The query is a number by contract; its shortest decimal form is what was typed.
  const usd = parseUnits(String(dollars), 8);
  if (usd === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: 'USDT' });
  const amount = usdToCurrencyDown(roundDown(usd, decimals), currencies.rateOf('USDT').rate, decimals);
  await transaction(db, (tx) => creditPlayMoney(tx, userId, [{ currencyId: 'USDT', amount }]));
}

export const readPlayMoney = (
  currencies: Currencies,
  balances: readonly { currencyId: string; amount: string }[],
): PlayMoney =>
  balances.map(({ currencyId, amount }) => {
    const parsed = parseUnits(amount, currencies.get(currencyId).decimals);
    if (parsed === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId });
    return { currencyId, amount: parsed };
  });

export async function creditPlayMoney(tx: Tx, userId: number, money: PlayMoney): Promise<void> {
  const postings = money
    .filter((m) => m.amount > 0n)
    .map((m) => ({ userId, kind: 'debug.credit', debit: 'promo', credit: 'cash', ...m }) as const);
  if (postings.length > 0) await post(tx, [{ key: `debug:${randomUUID()}`, kind: 'debug.credit', postings }]);
}
