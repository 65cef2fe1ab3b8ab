import { createHash } from 'node:crypto';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { text } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { addressOf } from '../../../platform/net/address.ts';
import { assertTry, giveBack, type Limit } from '../../accounts/auth/attempts.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { promoErrors } from './errors.ts';
import { grantTo, idOf, periodOf } from './grant.ts';
import { findGrant, findPromo, type PromoDeps, type PromoRow } from './queries.ts';
import { refusalOfPromo, sourceKeyOf } from './rules.ts';
import { PromoGrant } from './schemas.ts';
import { toGrant } from './view.ts';

const Redemption = z.strictObject({ code: text(64).optional(), promoId: text(64).optional() });
type Redemption = z.output<typeof Redemption>;

type Sender = { userId: number; ip: string; userAgent: string | undefined };

/** The checks run in the order of `errors`. A rejected redemption changes nothing. */
export const redeem = operation({
  method: 'POST',
  path: '/promo/redeem',
  tag: 'Promo',
  access: 'auth',
  gate: 'bonus',
  idempotent: true,
  summary: 'Redeem a code or claim an offer',
  description:
    'Send either `code` (upper or lower case) or `promoId`. Each account can enter five wrong codes a minute. If ' +
    'PROMO_NOT_ELIGIBLE is returned, `details.rule` is the condition that is not met. A percentage bonus starts with the next ' +
    'deposit. A bonus does not start while another bonus is active in its currency.',
  body: Redemption,
  response: PromoGrant,
  errors: [
    promoErrors.PROMO_CODE_OR_ID_REQUIRED,
    promoErrors.PROMO_NOT_FOUND,
    promoErrors.PROMO_EXPIRED,
    promoErrors.PROMO_ALREADY_USED,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    promoErrors.PROMO_NOT_ELIGIBLE,
    promoErrors.PROMO_EXHAUSTED,
    currencyErrors.RATE_STALE,
  ],
  handler: async (
    deps: PromoDeps,
    { user: { id: userId }, ip, userAgent, body: input, idempotencyKey: key },
  ) => {
    if ((input.code === undefined) === (input.promoId === undefined))
      throw promoErrors.PROMO_CODE_OR_ID_REQUIRED();
    const sender = { userId, ip, userAgent };
    const request = { userId, key, operation: 'promo.redeem', input };
    const run = () => runIdempotently(deps.db, request, (tx) => redeemIn(tx, deps, sender, input));
    // The ids of offers are public, so only attempts with codes are limited.
    return input.code === undefined ? run() : limitWrongCodes(deps, sender, run);
  },
});

/**
 * Limits on wrong codes per minute: a few per account, more per browser at an IP address, and many per IP address, because a company or a
 * mobile network may share it. The narrowest limit is checked first, so that one account cannot use up the wider limits.
 */
const WINDOW_SECONDS = 60;
const PER_ACCOUNT = 5;
const PER_DEVICE = 25;
const PER_ADDRESS = 100;

function limitsOf({ userId, ip, userAgent }: Sender): Limit[] {
  const address = addressOf(ip);
  const device = createHash('sha256')
    .update(`${address} ${userAgent ?? ''}`)
    .digest('base64url');
  const limit = (key: string, tries: number) => ({
    key: `promo-redeem:${key}`,
    tries,
    windowSeconds: WINDOW_SECONDS,
  });
  return [
    limit(`user:${userId}`, PER_ACCOUNT),
    limit(`device:${device}`, PER_DEVICE),
    limit(address, PER_ADDRESS),
  ];
}

/**
 * Counts the attempt towards every limit before the attempt runs, so that parallel requests cannot all pass. The attempt is subtracted
 * again unless the code is unknown.
 */
async function limitWrongCodes<T>({ db }: PromoDeps, sender: Sender, work: () => Promise<T>): Promise<T> {
  const limits = limitsOf(sender);
  for (const limit of limits) await assertTry(db, limit);
  const keys = limits.map(({ key }) => key);
  const result = await work().catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.code === promoErrors.PROMO_NOT_FOUND.code;
    if (!isWrong) await giveBack(db, keys, 'one');
    throw error;
  });
  await giveBack(db, keys, 'one');
  return result;
}

async function redeemIn(
  tx: Tx,
  deps: PromoDeps,
  { userId, ...from }: Sender,
  input: Redemption,
): Promise<z.input<typeof PromoGrant>> {
  await lockPlayers(tx, [userId]);
  const { promo, code } = await findPromotion(tx, input);
  const at = await transactionTime(tx);
  const refusal = refusalOfPromo({ ...promo, ...periodOf(promo) }, { isByCode: code !== undefined, at });
  if (refusal) throw refusal;
  const source = code ? 'CODE' : 'OFFER';
  const sourceKey = sourceKeyOf(promo.id, userId);
  const { grantId, isNew } = await grantTo(tx, deps, promo, { userId, source, sourceKey, code, from });
  if (!isNew) throw promoErrors.PROMO_ALREADY_USED();
  return toGrant((await findGrant(tx, grantId))!, deps.promo.slugsOf);
}

type Code = { key: string; code: string };

async function findPromotion(
  tx: Tx,
  { code: text, promoId }: Redemption,
): Promise<{ promo: PromoRow; code: Code | undefined }> {
  const codes = tx.selectFrom('promo_codes').selectAll();
  const key = text?.trim().toLowerCase();
  const code = key === undefined ? undefined : await codes.where('key', '=', key).executeTakeFirst();
  const id = text === undefined ? idOf(promoId!) : code?.promo_id;
  const promo = id === undefined ? undefined : await findPromo(tx, id);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return { promo, code };
}
