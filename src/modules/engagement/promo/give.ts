import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { AppError, commonErrors, invalidField } from '../../../platform/errors.ts';
import { formatUnits, parseUnits } from '../../../platform/money.ts';
import { areConnected } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { findStored, type Repeatable, runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { PromoDeps } from './deps.ts';
import { isOnePerPlace } from './eligibility/rules.ts';
import { promoErrors } from './errors.ts';
import { getGrantable, grantEach, idOf, type Money, type Outcome } from './grant.ts';
import { findPromo, type PromoRow } from './queries.ts';
import { sourceKeyOf } from './rules.ts';
import type { AdminGrant, AdminGranted } from './schemas.ts';

type Wanted = z.output<typeof AdminGrant>;
type Given = z.input<typeof AdminGranted>;
type Order = { id: string; wanted: Wanted; key: string | undefined };

/** Players who are locked together: their bets wait for no more than these. */
const TOGETHER = 20;

/**
 * Grants a promotion to players: each once for the request, a few in one transaction, in ascending order of their ids. Whoever may not
 * have it is skipped with the reason; the member of staff and accounts connected with theirs are. A request that broke off goes on
 * when it comes again under its key. Throws 404 PROMO_NOT_FOUND, CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, VALIDATION_FAILED, 409
 * PROMO_NOT_ACTIVE, RATE_STALE, and PROMO_EXHAUSTED where nothing was left for anybody.
 */
export const createGiving =
  (deps: PromoDeps) =>
  async (by: StaffCall, order: Order): Promise<Given> => {
    const { id, wanted, key } = order;
    const request: Repeatable = {
      userId: by.user.id,
      key,
      operation: 'promo.grant',
      input: { id, ...wanted },
    };
    const stored = await findStored<Given>(deps.db, request);
    if (stored) return stored.value;
    const outcome = await giveAll(deps, by, order).catch((error: unknown) => refusalFrom(error));
    return runIdempotently(deps.db, request, async () => {
      if (outcome instanceof AppError) throw outcome;
      return outcome;
    });
  };

/** A refusal is stored under the key, another failure is not. */
function refusalFrom(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

async function giveAll(deps: PromoDeps, by: StaffCall, { id, wanted, key }: Order): Promise<Given> {
  const promo = await findPromo(deps.db, idOf(id) ?? 0n);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  const given = moneyOf(deps, promo, wanted);
  const together = isOnePerPlace(promo.conditions) ? 1 : TOGETHER;
  const userIds = [...new Set(wanted.userIds)].sort((a, b) => a - b);
  const request = key === undefined ? randomUUID() : `${by.user.id}:${key}`;
  const outcomes = new Map<number, Outcome>();
  for (let from = 0; from < userIds.length; from += together) {
    const some = userIds.slice(from, from + together);
    const group = { promoId: promo.id, userIds: some, request, given, reason: wanted.reason };
    const isFirst = from === 0;
    const granted = await giveSome(deps, by, group).catch((error: unknown) => {
      // Others have theirs already: the rest is skipped.
      if (isFirst || !(error instanceof AppError)) throw error;
      return some.map((userId): [number, Outcome] => [userId, { refusal: error }]);
    });
    for (const [userId, outcome] of granted) outcomes.set(userId, outcome);
  }
  return summaryOf(outcomes);
}

type Group = {
  promoId: bigint;
  userIds: readonly number[];
  request: string;
  given: Money | undefined;
  reason: string;
};

/** One transaction. */
const giveSome = (deps: PromoDeps, by: StaffCall, { promoId, userIds, request, given, reason }: Group) =>
  transaction(deps.db, async (tx): Promise<Map<number, Outcome>> => {
    await lockPlayers(tx, [by.user.id, ...userIds]);
    await freshActor(tx, by);
    const promo = await getGrantable(tx, promoId);
    const refused = await ownAmong(tx, by, userIds);
    const orders = userIds
      .filter((userId) => !refused.has(userId))
      .map((userId) => ({
        userId,
        source: 'ADMIN' as const,
        sourceKey: sourceKeyOf(promo.id, userId, request),
        given,
        grantedBy: by.user.id,
      }));
    const outcomes = new Map([...refused, ...(await grantEach(tx, deps, promo, orders))]);
    const grants = [...outcomes].flatMap(([userId, outcome]) =>
      'grantId' in outcome && outcome.isNew ? [{ userId, grantId: String(outcome.grantId) }] : [],
    );
    const amount = given && { amount: formatUnits(given.amount), currencyId: given.currencyId };
    if (grants.length > 0)
      await recordAudit(tx, by, { after: { promoId: String(promoId), ...amount, grants }, reason });
    return outcomes;
  });

/** Accounts of the member of staff, or connected with theirs. */
async function ownAmong(tx: Tx, by: StaffCall, userIds: readonly number[]): Promise<Map<number, Outcome>> {
  const own = new Map<number, Outcome>();
  for (const userId of userIds) {
    if (userId === by.user.id) own.set(userId, { refusal: commonErrors.OWN_ACCOUNT() });
    else if (await areConnected(tx, by.user.id, userId))
      own.set(userId, { refusal: accessErrors.ACCOUNT_CONNECTED() });
  }
  return own;
}

function summaryOf(outcomes: ReadonlyMap<number, Outcome>): Given {
  const refused = [...outcomes].flatMap(([userId, outcome]) =>
    'refusal' in outcome ? [{ userId, refusal: outcome.refusal }] : [],
  );
  const { code } = promoErrors.PROMO_EXHAUSTED;
  const granted = outcomes.size - refused.length;
  if (granted === 0 && refused.some(({ refusal }) => refusal.code === code))
    throw promoErrors.PROMO_EXHAUSTED();
  return { granted, skipped: refused.map(({ userId, refusal }) => ({ userId, rule: ruleOf(refusal) })) };
}

/** Of a condition its name, else the code of the refusal. */
const ruleOf = ({ code, details }: AppError): string => {
  const rule = code === promoErrors.PROMO_NOT_ELIGIBLE.code ? details?.rule : undefined;
  return typeof rule === 'string' ? rule : code;
};

/** An amount in place of what a promotion gives, in its currency unless another is named. */
export type AskedMoney = { amount?: string | undefined; currencyId?: string | undefined };

/** What is granted in place of what the promotion gives. Throws 404 CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE. */
export function moneyOf(
  { currencies }: Pick<PromoDeps, 'currencies'>,
  promo: Pick<PromoRow, 'currency_id' | 'kind'>,
  { amount, ...wanted }: AskedMoney,
): Money | undefined {
  if (amount === undefined) return undefined;
  if (promo.kind === 'FREE_SPINS') throw invalidField('amount', 'is not for a promotion of free spins');
  const currencyId = wanted.currencyId ?? promo.currency_id;
  const { decimals } = currencies.get(currencyId);
  const units = parseUnits(amount, decimals);
  if (!units) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return { currencyId, amount: units };
}
