import { createHash } from 'node:crypto';
import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { freshActor } from '../../base/access/service.ts';
import type { StaffValue } from '../../base/staff-value/rules.ts';
import { type Money, mostOfGrant, setUpOf, termsHash, usdOf } from './approval.ts';
import { getGrantable } from './grant.ts';
import type { PromoServices } from './queries.ts';

type Request = {
  promoId: bigint;
  userIds: readonly number[];
  given: Money | undefined;
  reason: string;
};

/**
 * Returns the value of the whole request, including players who may be skipped, with the terms and the players it was computed for. A second
 * person approves the same players, terms and amount. Throws 404 PROMO_NOT_FOUND, 409 PROMO_NOT_ACTIVE or RATE_STALE.
 */
export async function requestValueOf(
  tx: Tx,
  { currencies }: PromoServices,
  by: StaffCall,
  { promoId, userIds, given, reason }: Request,
): Promise<{ value: StaffValue; terms: string; existing: readonly number[] }> {
  await freshActor(tx, by);
  const promo = await getGrantable(tx, promoId);
  const terms = termsHash(promo);
  // A second person cannot help with a stale rate: the grant itself would fail.
  if (given || promo.amount !== null) currencies.freshRate(given?.currencyId ?? promo.currency_id);
  const each = given ? usdOf(currencies, given) : mostOfGrant(currencies, promo);
  const rows = await tx
    .selectFrom('players')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .orderBy('user_id')
    .execute();
  const existing = rows.map(({ user_id }) => user_id);
  const value: StaffValue = {
    operation: 'promo.grant',
    input: {
      promoId: String(promo.id),
      terms,
      players: userIds.length,
      playersHash: createHash('sha256').update(userIds.join()).digest('hex').slice(0, 16),
      amount: given ? formatUnits(given.amount) : null,
      currencyId: given?.currencyId ?? null,
    },
    usdAmount: each === null ? null : each * BigInt(existing.length),
    recipients: existing.map((userId) => ({ userId, usdAmount: each })),
    reason,
    ...setUpOf(promo),
    isBudgeted: promo.open_usd === null && given === undefined && each !== null,
  };
  return { value, terms, existing };
}
