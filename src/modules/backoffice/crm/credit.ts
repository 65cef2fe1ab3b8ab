import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import type { Notice } from '../../../http/route.ts';
import type { Config } from '../../../platform/config.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, ONE, parseUnits, type Units } from '../../../platform/money.ts';
import { inputHash } from '../../base/idempotency/rules.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { promoErrors } from '../../engagement/promo/errors.ts';
import { idOf } from '../../engagement/promo/grant.ts';
import type { Promo } from '../../engagement/promo/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { userNamed } from './details.ts';
import { crmErrors } from './errors.ts';
import { findCredit, insertCredit, takeFunds } from './queries.ts';
import { hashOf, type Trigger, triggerIn } from './rules.ts';
import { BonusCredit, FundsCredit, type TriggerHeaders } from './schemas.ts';

export type CreditDeps = {
  db: Db;
  config: Pick<Config, 'CRM_FUNDS_PLAYER_USD' | 'CRM_FUNDS_TOTAL_USD'>;
  gate: Pick<Gate, 'assertMay'>;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  promo: Pick<Promo, 'grantTo' | 'moneyFor'>;
};

/** A call as it came. */
export type CreditCall = {
  notice: Pick<Notice, 'raw'>;
  headers: z.output<typeof TriggerHeaders>;
  key: string | undefined;
};

/**
 * Grants a player a promotion, once for a trigger: it answers the first grant again, whatever has become of the promotion since. Throws
 * 404 USER_NOT_FOUND, CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, 409 CRM_TRIGGER_REUSED for other content, and what `grantTo` throws.
 */
export async function creditBonus(deps: CreditDeps, call: CreditCall): Promise<{ user_bonus_id: string }> {
  const wanted = readBody(call.notice.raw, BonusCredit);
  const { amount, currency: currencyId, bonus_code: code } = wanted;
  if (amount === undefined && currencyId !== undefined)
    throw invalidField('amount', 'is needed with currency');
  const units = amount === undefined ? undefined : parseUnits(amount);
  if (amount !== undefined && !units) throw commonErrors.AMOUNT_OUT_OF_RANGE();
  if (currencyId !== undefined) deps.currencies.get(currencyId);
  const content = { of: 'BONUS', code, amount: units && formatUnits(units), currencyId };
  const id = await once(deps, call, { user_id: wanted.user_id, content }, async (tx, { user, hash }) => {
    const promoId = idOf(code);
    if (promoId === undefined) throw promoErrors.PROMO_NOT_FOUND();
    const given = await deps.promo.moneyFor(tx, promoId, { amount, currencyId });
    const sourceKey = `${promoId}:crm:${hash.toString('hex')}`;
    const order = { userId: user.id, source: 'CRM', sourceKey, given } as const;
    return { grantId: (await deps.promo.grantTo(tx, promoId, order)).grantId };
  });
  return { user_bonus_id: id };
}

/**
 * Pays a player cash from promo, once for a trigger, within what the CRM may credit on a day. Throws 404 USER_NOT_FOUND,
 * CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, 409 RATE_STALE, CRM_LIMIT_REACHED, CRM_TRIGGER_REUSED for other content, and as the gate does.
 */
export async function creditFunds(deps: CreditDeps, call: CreditCall): Promise<{ transaction_id: string }> {
  const { user_id, amount: text, currency: currencyId, reason } = readBody(call.notice.raw, FundsCredit);
  const { decimals } = deps.currencies.get(currencyId);
  const amount = parseUnits(text, decimals);
  if (!amount) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  const content = { of: 'FUNDS', amount: formatUnits(amount), currencyId };
  const id = await once(deps, call, { user_id, content }, async (tx, { user, hash }) => {
    await deps.gate.assertMay(tx, { action: 'bonus', userId: user.id, country: user.country_code });
    const usdAmount = currencyToUsdDown(amount, deps.currencies.freshRate(currencyId));
    await assertWithin(tx, deps, { userId: user.id, usdAmount });
    const key = `crm:${hash.toString('hex')}`;
    const given = { userId: user.id, currencyId, amount, usdAmount };
    const paid = await payReward(tx, { ...given, kind: 'crm.funds', from: 'promo', key, memo: reason });
    await notify(tx, user.id, 'crm.funds', { amount: formatUnits(amount), currencyId });
    return { entryId: paid.entryId };
  });
  return { transaction_id: id };
}

/** Reads the body; what it does not know is for a later version of the contract: 501 NOT_SUPPORTED. Throws 400 VALIDATION_FAILED. */
function readBody<S extends z.ZodObject>(raw: Buffer, schema: S): z.output<S> {
  const names = Object.keys(readNotice(raw, z.looseObject({})));
  const unknown = names.filter((name) => !Object.hasOwn(schema.shape, name)).slice(0, 20);
  if (unknown.length === 0) return readNotice(raw, schema);
  const fields = unknown.map((path) => ({ path: path.slice(0, 200), message: 'is not supported here' }));
  throw crmErrors.NOT_SUPPORTED({ fields });
}

const OPERATION = 'crm.credit';

type Asked = { user_id: string; content: object };
type Work = (
  tx: Tx,
  about: { user: UserRow; hash: Buffer },
) => Promise<{ grantId: bigint } | { entryId: bigint }>;

/** Credits something under the lock of the player, or answers what the same trigger has credited before. */
async function once(deps: CreditDeps, call: CreditCall, asked: Asked, work: Work): Promise<string> {
  const { db } = deps;
  const trigger: Trigger = triggerIn(call.headers);
  const user = await userNamed(db, asked.user_id);
  const hash = hashOf(trigger, user.id);
  if (!hash) throw invalidField('x-fasttrack-triggerhash', 'or x-fasttrack-id is needed');
  const content = inputHash(OPERATION, asked.content);
  // The player's own keys are others.
  const key = call.key === undefined ? undefined : `crm ${call.key}`;
  const input = { hash: hash.toString('hex'), content: content.toString('hex') };
  return runIdempotently(db, { userId: user.id, key, operation: OPERATION, input }, async (tx) => {
    await lockPlayers(tx, [user.id]);
    const known = await findCredit(tx, hash);
    if (known && !known.content.equals(content)) throw crmErrors.CRM_TRIGGER_REUSED();
    if (known) return String(known.grant_id ?? known.entry_id);
    const credited = await work(tx, { user, hash });
    await insertCredit(tx, { hash, userId: user.id, content, trigger, ...credited });
    return String('grantId' in credited ? credited.grantId : credited.entryId);
  });
}

/** Throws 409 CRM_LIMIT_REACHED. The row that all share comes last: nobody waits for it longer than a payment takes. */
async function assertWithin(
  tx: Tx,
  { config }: CreditDeps,
  { userId, usdAmount }: { userId: number; usdAmount: Units },
): Promise<void> {
  const limits = [
    { limit: 'PLAYER', userId, dollars: config.CRM_FUNDS_PLAYER_USD },
    { limit: 'TOTAL', userId: 0, dollars: config.CRM_FUNDS_TOTAL_USD },
  ];
  for (const { limit, userId: whose, dollars } of limits) {
    const most = BigInt(dollars) * ONE;
    if (!(await takeFunds(tx, { userId: whose, usdAmount, most })))
      throw crmErrors.CRM_LIMIT_REACHED({ limit, limitUsd: String(dollars) });
  }
}
