import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, type Units } from '../../../platform/money.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { post } from '../../money/ledger/post.ts';

export type PlayMoney = readonly { currencyId: string; amount: Units }[];

/** Throws 404 CURRENCY_NOT_FOUND or 400 AMOUNT_OUT_OF_RANGE. */
export const readPlayMoney = (
  currencies: Pick<Currencies, 'get'>,
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
  if (postings.length > 0)
    await post(tx, [{ key: `debug:${randomUUID()}`, kind: 'debug.credit', mustFit: true, postings }]);
}
