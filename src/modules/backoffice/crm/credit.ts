import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { operation } from '../../../http/operation.ts';
import type { Notice } from '../../../http/route.ts';
import { Amount, CurrencyId, text } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, ONE, parseUnits, type Units } from '../../../platform/money.ts';
import { inputHash, runIdempotently } from '../../base/idempotency/service.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import type { UserRow } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { promoErrors } from '../../engagement/promo/errors.ts';
import { idOf } from '../../engagement/promo/grant.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { crmErrors } from './errors.ts';
import { type CrmDeps, getCrmUser, KeyHeaders, keyed, UserId } from './key.ts';
import { addToDay, findCredit, insertCredit } from './queries.ts';
import { hashOf, triggerIn } from './rules.ts';

/** `amount` is an exact decimal string. */
type Facts = { amount: string; currencyId: string };

const money = ({ amount, currencyId }: Facts) => `${amount} ${currencyId}`;

export const crmMessages = messages({
  'crm.funds': message<Facts>('PROMO', {
    en: { title: 'A gift for you', body: (f) => `${money(f)} have been added to your balance.` },
    de: { title: 'Ein Geschenk für Sie', body: (f) => `${money(f)} wurden Ihrem Guthaben gutgeschrieben.` },
    es: { title: 'Un regalo para usted', body: (f) => `Se han añadido ${money(f)} a su saldo.` },
  }),
});

const Reference = text(200).min(1).optional();

/** Identifies the event that triggered a call, by activity and action and by the trigger's hash or id. */
const TriggerHeaders = KeyHeaders.extend({
  'x-fasttrack-activityid': Reference,
  'x-fasttrack-actionid': Reference,
  'x-fasttrack-actiongroupid': Reference,
  'x-fasttrack-triggerhash': Reference.meta({
    description: 'Identifies the trigger. Send either this header or x-fasttrack-id.',
  }),
  'x-fasttrack-id': Reference,
});

const BonusCredit = z.strictObject({
  user_id: UserId,
  bonus_code: text(64).min(1).meta({ description: 'A `value` returned by GET /marketing/bonus/list.' }),
  amount: Amount.optional().meta({ description: "Replaces the promotion's own amount." }),
  currency: CurrencyId.optional().meta({
    description: "The currency of `amount`; by default the promotion's currency.",
  }),
});

const FundsCredit = z.strictObject({
  user_id: UserId,
  amount: Amount,
  currency: CurrencyId,
  reason: text(200).trim().min(1),
});

const errors = [
  commonErrors.API_KEY_INVALID,
  gateErrors.USER_BANNED,
  gateErrors.SELF_EXCLUDED,
  gateErrors.AUTH_GEO_BLOCKED,
  userErrors.USER_NOT_FOUND,
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  currencyErrors.RATE_STALE,
  crmErrors.CRM_TRIGGER_REUSED,
  crmErrors.NOT_SUPPORTED,
];

const credit = {
  ...keyed,
  method: 'POST',
  headers: TriggerHeaders,
  gate: 'bonus',
  idempotent: true,
  isRaw: true,
  status: 200,
  description:
    'Credits once for each combination of activity, action, user and trigger. Repeating the request returns the same id. A ' +
    'request for the same combination with different content returns 409.',
} as const;

export const listBonuses = operation({
  ...keyed,
  method: 'GET',
  path: '/marketing/bonus/list',
  summary: 'List promotions that can be credited now',
  response: z.array(z.object({ text: z.string(), value: z.string() })),
  errors: [commonErrors.API_KEY_INVALID],
  handler: async ({ promo }: CrmDeps) => {
    const promos = await promo.grantable();
    return promos.map(({ id, name }) => ({ text: name, value: String(id) }));
  },
});

/** Grants a promotion. A repeated trigger returns its first grant, even if the promotion has since ended. */
export const creditBonus = operation({
  ...credit,
  path: '/marketing/bonus/credit',
  summary: 'Grant a promotion to a user',
  body: BonusCredit,
  response: z.object({ user_bonus_id: z.string() }),
  errors: [
    ...errors,
    promoErrors.PROMO_NOT_FOUND,
    promoErrors.PROMO_NOT_ACTIVE,
    promoErrors.PROMO_ALREADY_USED,
    promoErrors.PROMO_NOT_ELIGIBLE,
    promoErrors.PROMO_EXHAUSTED,
  ],
  handler: async (deps: CrmDeps, { notice, headers, idempotencyKey: key }) => {
    const body = readBody(notice!, BonusCredit);
    const { amount, currency: currencyId, bonus_code: code } = body;
    if (amount === undefined && currencyId !== undefined)
      throw invalidField('amount', 'is needed with currency');
    const units = amount === undefined ? undefined : parseUnits(amount);
    if (amount !== undefined && !units) throw commonErrors.AMOUNT_OUT_OF_RANGE();
    if (currencyId !== undefined) deps.currencies.get(currencyId);
    const content = { of: 'BONUS', code, amount: units && formatUnits(units), currencyId };
    const request = { headers, key, userId: body.user_id, content };
    const id = await creditOnce(deps, request, async (tx, { user, hash }) => {
      const promoId = idOf(code);
      if (promoId === undefined) throw promoErrors.PROMO_NOT_FOUND();
      const given = await deps.promo.moneyFor(tx, promoId, { amount, currencyId });
      const sourceKey = `${promoId}:crm:${hash.toString('hex')}`;
      const order = { userId: user.id, source: 'CRM', sourceKey, given } as const;
      return { grantId: (await deps.promo.grantTo(tx, promoId, order)).grantId };
    });
    return { user_bonus_id: id };
  },
});

/** Pays from the promo account, within the daily limits of CRM_FUNDS_PLAYER_USD and CRM_FUNDS_TOTAL_USD. */
export const creditFunds = operation({
  ...credit,
  path: '/marketing/bonus/credit/funds',
  summary: 'Credit cash to a user',
  body: FundsCredit,
  response: z.object({ transaction_id: z.string() }),
  errors: [...errors, crmErrors.CRM_LIMIT_REACHED],
  handler: async (deps: CrmDeps, { notice, headers, idempotencyKey: key }) => {
    const body = readBody(notice!, FundsCredit);
    const { amount: text, currency: currencyId, reason } = body;
    const { decimals } = deps.currencies.get(currencyId);
    const amount = parseUnits(text, decimals);
    if (!amount) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
    const content = { of: 'FUNDS', amount: formatUnits(amount), currencyId };
    const request = { headers, key, userId: body.user_id, content };
    const id = await creditOnce(deps, request, async (tx, { user, hash }) => {
      await deps.gate.assertMay(tx, { action: 'bonus', userId: user.id, country: user.country_code });
      const usdAmount = currencyToUsdDown(amount, deps.currencies.freshRate(currencyId));
      await assertWithinLimits(tx, deps, { userId: user.id, usdAmount });
      const paid = await payReward(tx, {
        userId: user.id,
        currencyId,
        amount,
        usdAmount,
        kind: 'crm.funds',
        from: 'promo',
        key: `crm:${hash.toString('hex')}`,
        memo: reason,
      });
      await notify(tx, user.id, crmMessages['crm.funds'], { amount: formatUnits(amount), currencyId });
      return { entryId: paid.entryId };
    });
    return { transaction_id: id };
  },
});

/**
 * Parses the body. Throws 501 NOT_SUPPORTED for unknown fields, which may come from a later version of the contract. Throws 400
 * VALIDATION_FAILED.
 */
function readBody<S extends z.ZodObject>({ raw }: Notice, schema: S): z.output<S> {
  const names = Object.keys(readNotice(raw, z.looseObject({})));
  const unknown = names.filter((name) => !Object.hasOwn(schema.shape, name)).slice(0, 20);
  if (unknown.length === 0) return readNotice(raw, schema);
  const fields = unknown.map((path) => ({ path: path.slice(0, 200), message: 'is not supported here' }));
  throw crmErrors.NOT_SUPPORTED({ fields });
}

const OPERATION = 'crm.credit';

type CreditRequest = {
  headers: z.output<typeof TriggerHeaders>;
  /** The header Idempotency-Key. */
  key: string | undefined;
  /** The user id as the CRM sent it. */
  userId: string;
  content: object;
};
type Work = (
  tx: Tx,
  about: { user: UserRow; hash: Buffer },
) => Promise<{ grantId: bigint } | { entryId: bigint }>;

/** Locks the player, runs `work` and returns its id. If the trigger was already credited, returns the id of that credit. */
async function creditOnce({ db }: CrmDeps, request: CreditRequest, work: Work): Promise<string> {
  const trigger = triggerIn(request.headers);
  const user = await getCrmUser(db, request.userId);
  const hash = hashOf(trigger, user.id);
  if (!hash) throw invalidField('x-fasttrack-triggerhash', 'or x-fasttrack-id is needed');
  const content = inputHash(OPERATION, request.content);
  // The prefix keeps the CRM's keys separate from the player's own keys.
  const key = request.key === undefined ? undefined : `crm ${request.key}`;
  const input = { hash: hash.toString('hex'), content: content.toString('hex') };
  return runIdempotently(db, { userId: user.id, key, operation: OPERATION, input }, async (tx) => {
    await lockPlayers(tx, [user.id]);
    const earlier = await findCredit(tx, hash);
    if (earlier && !earlier.content.equals(content)) throw crmErrors.CRM_TRIGGER_REUSED();
    if (earlier) return String(earlier.grant_id ?? earlier.entry_id);
    const credited = await work(tx, { user, hash });
    await insertCredit(tx, { hash, userId: user.id, content, trigger, ...credited });
    return String('grantId' in credited ? credited.grantId : credited.entryId);
  });
}

/**
 * Asserts that a credit stays within the daily limits. Throws 409 CRM_LIMIT_REACHED. Locks the shared row last, so that other credits wait
 * for it only briefly.
 */
async function assertWithinLimits(
  tx: Tx,
  { config }: CrmDeps,
  { userId, usdAmount }: { userId: number; usdAmount: Units },
): Promise<void> {
  const limits = [
    { limit: 'PLAYER', userId, dollars: config.CRM_FUNDS_PLAYER_USD },
    { limit: 'TOTAL', userId: 0, dollars: config.CRM_FUNDS_TOTAL_USD },
  ];
  for (const { limit, userId: id, dollars } of limits) {
    const most = BigInt(dollars) * ONE;
    if (!(await addToDay(tx, { userId: id, usdAmount, most })))
      throw crmErrors.CRM_LIMIT_REACHED({ limit, limitUsd: String(dollars) });
  }
}
