import type { z } from 'zod';
import { addressOf } from '../../../platform/address.ts';
import type { Tx } from '../../../platform/db.ts';
import { assertTry } from '../../accounts/auth/attempts.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { PromoDeps } from './deps.ts';
import { promoErrors } from './errors.ts';
import { grantTo, idOf, periodOf } from './grant.ts';
import { findCode, findGrant, findPromo, type PromoRow } from './queries.ts';
import { refusalOfPromo, sourceKeyOf } from './rules.ts';
import type { PromoGrant, Redemption } from './schemas.ts';
import { toGrant } from './show.ts';

/** Who sends a request, and from where. */
export type Sender = { userId: number; ip: string; userAgent: string | undefined };

type Shown = z.input<typeof PromoGrant>;
type Wanted = z.output<typeof Redemption>;
type Code = { key: string; code: string };

/** Codes are guessed no faster than this. */
const TRIES = { tries: 5, windowSeconds: 60 } as const;

/**
 * Grants what a code or an offer promises, once for each player. Refused in this order, and then nothing changes: 400
 * PROMO_CODE_OR_ID_REQUIRED, 429 RATE_LIMITED, 404 PROMO_NOT_FOUND, 409 PROMO_EXPIRED, PROMO_ALREADY_USED, the gate, 403 PROMO_NOT_ELIGIBLE, 409
 * PROMO_EXHAUSTED.
 */
export async function redeem(
  deps: PromoDeps,
  { key, ...sender }: Sender & { key: string | undefined },
  wanted: Wanted,
): Promise<Shown> {
  if ((wanted.code === undefined) === (wanted.promoId === undefined))
    throw promoErrors.PROMO_CODE_OR_ID_REQUIRED();
  await assertTry(deps.db, { key: `promo-redeem:${addressOf(sender.ip)}`, ...TRIES });
  const { userId } = sender;
  const request = { userId, key, operation: 'promo.redeem', input: wanted };
  return runIdempotently(deps.db, request, (tx) => redeemIn(tx, deps, sender, wanted));
}

async function redeemIn(
  tx: Tx,
  deps: PromoDeps,
  { userId, ...from }: Sender,
  wanted: Wanted,
): Promise<Shown> {
  await lockPlayers(tx, [userId]);
  const { promo, code } = await find(tx, wanted);
  const at = await transactionTime(tx);
  const refusal = refusalOfPromo({ ...promo, ...periodOf(promo) }, { isByCode: code !== undefined, at });
  if (refusal) throw refusal;
  const source = code ? 'CODE' : 'OFFER';
  const sourceKey = sourceKeyOf(promo.id, userId);
  const { grantId, isNew } = await grantTo(tx, deps, promo, { userId, source, sourceKey, code, from });
  if (!isNew) throw promoErrors.PROMO_ALREADY_USED();
  return toGrant((await findGrant(tx, grantId))!, deps.slugsOf);
}

async function find(
  tx: Tx,
  { code: text, promoId }: Wanted,
): Promise<{ promo: PromoRow; code: Code | undefined }> {
  const code = text === undefined ? undefined : await findCode(tx, text.trim().toLowerCase());
  const id = text === undefined ? idOf(promoId!) : code?.promo_id;
  const promo = id === undefined ? undefined : await findPromo(tx, id);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return { promo, code };
}
