import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, roundDown, usdToCurrencyDown } from '../../../platform/money.ts';
import type { DebugDeps } from './deps.ts';
import { creditPlayMoney } from './play-money.ts';

export const giveMoney = operation({
  method: 'GET',
  path: '/debug/me/give-money',
  tag: 'Debug',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Receive play money: US dollars, credited in USDT',
  query: z.strictObject({ amount: z.number().positive().max(1_000_000) }),
  errors: [commonErrors.AMOUNT_OUT_OF_RANGE],
  handler: async ({ db, currencies }: DebugDeps, { user, query }) => {
    const { decimals } = currencies.get('USDT');
    // The shortest decimal form of the number is the text that the caller typed.
    const usd = parseUnits(String(query.amount), 8);
    if (usd === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: 'USDT' });
    const amount = usdToCurrencyDown(roundDown(usd, decimals), currencies.rateOf('USDT').rate, decimals);
    await transaction(db, (tx) => creditPlayMoney(tx, user.id, [{ currencyId: 'USDT', amount }]));
  },
});
