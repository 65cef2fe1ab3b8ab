import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { commonErrors, errors } from '../../../platform/errors.ts';
import { parseUnits, type Units } from '../../../platform/money.ts';
import { isSameSecret } from '../../../platform/secrets/encryption.ts';
import type { Passwords } from '../../accounts/auth/password/passwords.ts';
import type { Sessions } from '../../accounts/auth/sessions/sessions.ts';
import type { SignUps } from '../../accounts/auth/sign-in/open-account.ts';
import { toUserDto, type UserRow, vipProgressOf } from '../../base/users/service.ts';
import type { Affiliates } from '../../engagement/affiliates/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { post } from '../../money/ledger/post.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';

export type DebugDeps = {
  db: Db;
  config: Config;
  broker: Pick<Broker, 'publish' | 'request'>;
  signUps: SignUps;
  sessions: Sessions;
  passwords: Passwords;
  currencies: Currencies;
  affiliates: Pick<Affiliates, 'onApproved'>;
  deposits: Deposits;
};

export const debugErrors = errors({
  DEBUG_TOKEN_WRONG: [
    403,
    'Wrong debug token. Send DEBUG_TOKEN in the query parameter debug_token or the header x-debug-token.',
  ],
});

/** The header that contains the environment's DEBUG_TOKEN. It is required to create staff and to sign in as staff. */
export const TokenHeaders = z.object({ 'x-debug-token': z.string().max(200).optional() });

/** Throws 403 DEBUG_TOKEN_WRONG if the token is wrong or the environment has no DEBUG_TOKEN. */
export function assertToken({ DEBUG_TOKEN }: Config, token = ''): void {
  if (!DEBUG_TOKEN || !isSameSecret(token, DEBUG_TOKEN)) throw debugErrors.DEBUG_TOKEN_WRONG();
}

export const testEmailOf = (username: string) => `${username.toLowerCase()}@test.example`;

/** The response includes personal data, because the caller is the developer who created the test user. */
export const toTestUser = async (db: DbOrTx, user: UserRow) =>
  toUserDto(user, { showsPii: true }, (await vipProgressOf(db, [user.id]))(user.id));

type PlayMoney = readonly { currencyId: string; amount: Units }[];

/** Parses an amount of play money. Throws 404 CURRENCY_NOT_FOUND or 400 AMOUNT_OUT_OF_RANGE. */
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
