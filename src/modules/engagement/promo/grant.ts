import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { currencyToUsdDown, type Units, units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { maxWagerMultiplierIn } from '../../base/site-config/rewards/rules.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { GrantSource } from '../../money/bonus/cash.ts';
import type { GrantReward, GrantTerms } from '../../money/bonus/grants/issue.ts';
import { type Money, mostOfGrant } from './approval.ts';
import { promoErrors } from './errors.ts';
import { type KnownFacts, readFacts } from './facts.ts';
import { spinsOf } from './free-spins.ts';
import {
  chargeBudget,
  countUse,
  findPromo,
  lockPromo,
  type PromoRow,
  type PromoServices,
} from './queries.ts';
import {
  type Candidate,
  FIRST_OF_STAFF,
  failedRule,
  isByHand,
  isInTime,
  isOnePerPerson,
  isOnePerPlace,
  type Kind,
  needsOf,
  type Rule,
} from './rules.ts';

/** `sourceKey`: idempotency key of the grant. */
export type GrantOrder = {
  userId: number;
  source: GrantSource;
  sourceKey: string;
  /** Replaces the reward of the promotion. */
  given?: Money | undefined;
  /** The redeemed code, and its key, which is the code in lower case. */
  code?: { key: string; code: string } | undefined;
  grantedBy?: number | undefined;
  /** The IP address and browser of the request, if the player has sent it. */
  from?: { ip: string; userAgent: string | undefined } | undefined;
};

/**
 * `isNew` is false if this source has already granted the promotion. If a code is refused, the transaction must be rolled back, because the
 * budget is already charged.
 */
export type Outcome = { grantId: bigint; isNew: boolean } | { refusal: AppError };

/** The rules for sources that have already selected the player. Only the country rule is checked for them. */
const RULES_OF_SOURCE: Readonly<Partial<Record<GrantSource, readonly Rule[]>>> = {
  VIP: ['COUNTRY'],
  CRM: ['COUNTRY'],
};

export const candidateOf = (promo: PromoRow): Candidate => ({
  id: promo.id,
  type: promo.type,
  conditions: promo.conditions,
  isOfDeposit: promo.percent_bp !== null,
  wagerMultiplierE2: promo.wager_multiplier_e2,
});

export const maxMultiplierOf = (
  { siteConfig }: Pick<PromoServices, 'siteConfig'>,
  { countries }: Pick<KnownFacts, 'countries'>,
) => maxWagerMultiplierIn(siteConfig.get('COMMON').promo.maxWagerMultiplierByCountry, countries);

/**
 * Locks players and grants a promotion to them. Each grant succeeds or is refused independently. The checks run in this order:
 * PROMO_ALREADY_USED (WELCOME, once per player), the gate, PROMO_NOT_ELIGIBLE, PROMO_EXHAUSTED. If the promotion is limited to one player
 * per IP address or person, the promotion is locked too. Throws 409 RATE_STALE.
 */
export async function grantEach(
  tx: Tx,
  deps: PromoServices,
  promo: PromoRow,
  orders: readonly GrantOrder[],
): Promise<Map<number, Outcome>> {
  const ids = orders.map(({ userId }) => userId);
  await lockPlayers(tx, ids);
  if (isOnePerPlace(promo.conditions) || isOnePerPerson(promo)) await lockPromo(tx, promo.id);
  const existing = await findGrantsBySource(
    tx,
    orders.map(({ sourceKey }) => sourceKey),
  );
  const applicants = orders.map(({ userId, from }) => ({ userId, ...from }));
  const facts = await readFacts(tx, deps, applicants, needsOf([promo]));
  const welcomed = promo.type === 'WELCOME' ? await findWelcomed(tx, ids) : new Set<number>();
  const outcomes = new Map<number, Outcome>();
  for (const order of orders) {
    const { userId, sourceKey } = order;
    const known = facts.get(userId);
    const grantId = existing.get(sourceKey);
    if (grantId !== undefined) outcomes.set(userId, { grantId, isNew: false });
    else if (!known) outcomes.set(userId, { refusal: userErrors.USER_NOT_FOUND() });
    else if (welcomed.has(userId)) outcomes.set(userId, { refusal: promoErrors.PROMO_ALREADY_USED() });
    else outcomes.set(userId, await grantOne(tx, deps, promo, { order, known }));
  }
  return outcomes;
}

type One = { order: GrantOrder; known: KnownFacts };

async function grantOne(
  tx: Tx,
  deps: PromoServices,
  promo: PromoRow,
  { order, known }: One,
): Promise<Outcome> {
  const { userId, from, code, source, given } = order;
  const country = from ? deps.countries.countryOf(from.ip) : known.country;
  const [refusal] = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
  if (refusal) return { refusal };
  const check = { candidate: candidateOf(promo), facts: known, maxMultiplier: maxMultiplierOf(deps, known) };
  const rule = failedRule(check, RULES_OF_SOURCE[source]);
  if (rule) return { refusal: promoErrors.PROMO_NOT_ELIGIBLE({ rule }) };
  const spins = promo.kind === 'FREE_SPINS' ? spinsOf(deps, promo) : undefined;
  if (promo.kind === 'FREE_SPINS' && !spins) return { refusal: promoErrors.PROMO_EXHAUSTED() };
  const { reward, heldUsd } = rewardOf(deps, promo, given ?? stakesOf(spins));
  const most = given ? heldUsd : mostOfGrant(deps.currencies, promo);
  const cost = { usd: heldUsd, most, isByHand: isByHand(source) };
  const isCharged = (await chargeBudget(tx, promo.id, cost)) && (!code || (await countUse(tx, code.key)));
  if (!isCharged) return { refusal: promoErrors.PROMO_EXHAUSTED() };
  const { sourceKey, grantedBy } = order;
  const grant = { userId, terms: termsOf(promo), reward, source, sourceKey, code: code?.code, grantedBy };
  const grantId = await deps.grants.issue(tx, grant);
  if (grantId === undefined) throw new Error(`the source ${sourceKey} was granted under the player's lock`);
  if (spins) await deps.freeRounds.order(tx, { grantId, ...spins });
  return { grantId, isNew: true };
}

/** Returns the total stake of free spins. */
const stakesOf = (spins: ReturnType<typeof spinsOf>): Money | undefined =>
  spins && { currencyId: spins.currencyId, amount: spins.bet * BigInt(spins.rounds) };

const termsOf = (promo: PromoRow): GrantTerms => ({
  promoId: promo.id,
  name: promo.name,
  type: promo.type,
  wagerMultiplierE2: promo.wager_multiplier_e2,
  wagerBase: promo.wager_base,
  maxBetUsd: promo.max_bet_usd,
  maxWithdrawalMultiplierE2: promo.max_withdrawal_multiplier_e2,
  validityHours: promo.validity_hours,
  games: promo.kind === 'FREE_SPINS' ? { gameSlugs: [promo.game_slug!] } : promo.games,
});

/**
 * Returns the reward of a grant, and the amount in US dollars that the grant takes from the budget. For a percentage, this is the maximum
 * amount.
 */
function rewardOf(
  { currencies }: PromoServices,
  promo: PromoRow,
  given: Money | undefined,
): { reward: GrantReward; heldUsd: Units } {
  const kind = promo.kind as Exclude<Kind, 'FREE_BET'>;
  const { currencyId, amount } = given ?? { currencyId: promo.currency_id, amount: promo.amount };
  const usdOf = (money: Units) => currencyToUsdDown(money, currencies.freshRate(currencyId));
  if (amount !== null) {
    const usdAmount = usdOf(amount);
    return { reward: { kind, currencyId, amount, usdAmount }, heldUsd: usdAmount };
  }
  const { percent_bp, max_amount: maxAmount, conditions } = promo;
  const reward = {
    kind: 'BONUS',
    percentBp: percent_bp!,
    maxAmount,
    maxAmountCurrencyId: currencyId,
    minDepositUsd: conditions.minDepositUsd ? units(conditions.minDepositUsd) : null,
  } as const;
  return { reward, heldUsd: maxAmount === null ? 0n : usdOf(maxAmount) };
}

/** Returns a promotion that can be granted now without being redeemed. Throws 404 PROMO_NOT_FOUND and 409 PROMO_NOT_ACTIVE. */
export async function getGrantable(tx: Tx, id: bigint): Promise<PromoRow> {
  const promo = await findPromo(tx, id);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  const isActive = promo.status === 'ACTIVE' && promo.id >= FIRST_OF_STAFF;
  if (!isActive || !isInTime(periodOf(promo), await transactionTime(tx)))
    throw promoErrors.PROMO_NOT_ACTIVE();
  return promo;
}

export const periodOf = ({ start_at, end_at }: PromoRow) => ({ startAt: start_at, endAt: end_at });

/** Parses the id of a promotion or grant. Returns undefined if the string cannot be an id. */
export const idOf = (text: string): bigint | undefined =>
  /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined;

/** Grants a promotion to one player. Throws if the grant is refused. */
export async function grantTo(
  tx: Tx,
  deps: PromoServices,
  promo: PromoRow,
  order: GrantOrder,
): Promise<{ grantId: bigint; isNew: boolean }> {
  const outcome = (await grantEach(tx, deps, promo, [order])).get(order.userId)!;
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** Throws 404 PROMO_NOT_FOUND. */
export async function getPromo(db: DbOrTx, id: string): Promise<PromoRow> {
  const parsed = idOf(id);
  const promo = parsed === undefined ? undefined : await findPromo(db, parsed);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return promo;
}

/** Returns the ids of existing grants by source key. */
async function findGrantsBySource(db: DbOrTx, sourceKeys: readonly string[]): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ sourceKey: string; id: bigint }>`
    select source_key as "sourceKey", id from promo_grants where source_key = any(${sourceKeys}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ sourceKey, id }) => [sourceKey, id]));
}

/** Returns those of the given players who have ever had a WELCOME grant. */
async function findWelcomed(db: DbOrTx, userIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ userId: number }>`
    select user_id as "userId" from promo_grants where user_id = any(${userIds}::int4[]) and type = 'WELCOME'`.execute(
    db,
  );
  return new Set(rows.map(({ userId }) => userId));
}
