import type { Tx } from '../../../platform/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { currencyToUsdDown, type Units, units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { maxWagerMultiplierIn } from '../../base/site-config/rewards/rules.ts';
import { userErrors } from '../../base/users/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { GrantSource } from '../../money/bonus/cash.ts';
import type { GrantReward, GrantTerms } from '../../money/bonus/grants/issue.ts';
import type { PromoDeps } from './deps.ts';
import { type Known, readFacts } from './eligibility/facts.ts';
import { type Candidate, failedRule, isOnePerPlace, needsOf, type Rule } from './eligibility/rules.ts';
import { promoErrors } from './errors.ts';
import { spinsOf } from './free-spins.ts';
import {
  findPromo,
  grantsOfSources,
  lockPromo,
  type PromoRow,
  takeBudget,
  takeUse,
  welcomedAmong,
} from './queries.ts';
import { FIRST_OF_STAFF, isInTime, type Kind } from './rules.ts';

export type Money = { currencyId: string; amount: Units };

/** `sourceKey` makes it happen once. */
export type GrantOrder = {
  userId: number;
  source: GrantSource;
  sourceKey: string;
  /** In place of what the promotion gives. */
  given?: Money | undefined;
  /** The key of a code, and as it is written. */
  code?: { key: string; code: string } | undefined;
  grantedBy?: number | undefined;
  /** Where the player's own request comes from. */
  from?: { ip: string; userAgent: string | undefined } | undefined;
};

/** `isNew`: false where this source has granted it before. A refusal changes nothing but for a code that is used up: throw it. */
export type Outcome = { grantId: bigint; isNew: boolean } | { refusal: AppError };

/** Sources that have decided about the player already: of the conditions only the law of their country is checked. */
const DECIDED: Readonly<Partial<Record<GrantSource, readonly Rule[]>>> = {
  VIP: ['COUNTRY'],
  CRM: ['COUNTRY'],
};

export const candidateOf = (promo: PromoRow): Candidate => ({
  id: promo.id,
  conditions: promo.conditions,
  isOfDeposit: promo.percent_bp !== null,
  wagerMultiplierE2: promo.wager_multiplier_e2,
});

export const maxMultiplierOf = ({ siteConfig }: Pick<PromoDeps, 'siteConfig'>, { countries }: Known) =>
  maxWagerMultiplierIn(siteConfig.get('COMMON').promo.maxWagerMultiplierByCountry, countries);

/**
 * Grants a promotion to players, each on their own; locks them. Refusals of each, in this order: PROMO_ALREADY_USED (WELCOME, once per
 * life), the gate, PROMO_NOT_ELIGIBLE, PROMO_EXHAUSTED. Where players may not share a place, one at a time. Throws 409 RATE_STALE.
 */
export async function grantEach(
  tx: Tx,
  deps: PromoDeps,
  promo: PromoRow,
  orders: readonly GrantOrder[],
): Promise<Map<number, Outcome>> {
  const ids = orders.map(({ userId }) => userId);
  await lockPlayers(tx, ids);
  if (isOnePerPlace(promo.conditions)) await lockPromo(tx, promo.id);
  const former = await grantsOfSources(
    tx,
    orders.map(({ sourceKey }) => sourceKey),
  );
  const applicants = orders.map(({ userId, from }) => ({ userId, ...from }));
  const facts = await readFacts(tx, deps, applicants, needsOf([promo]));
  const welcomed = promo.type === 'WELCOME' ? await welcomedAmong(tx, ids) : new Set<number>();
  const outcomes = new Map<number, Outcome>();
  for (const order of orders) {
    const { userId, sourceKey } = order;
    const known = facts.get(userId);
    const grantId = former.get(sourceKey);
    if (grantId !== undefined) outcomes.set(userId, { grantId, isNew: false });
    else if (!known) outcomes.set(userId, { refusal: userErrors.USER_NOT_FOUND() });
    else if (welcomed.has(userId)) outcomes.set(userId, { refusal: promoErrors.PROMO_ALREADY_USED() });
    else outcomes.set(userId, await grantOne(tx, deps, promo, { order, known }));
  }
  return outcomes;
}

type One = { order: GrantOrder; known: Known };

async function grantOne(tx: Tx, deps: PromoDeps, promo: PromoRow, { order, known }: One): Promise<Outcome> {
  const { userId, from, code, source, given } = order;
  const country = from ? deps.countries.countryOf(from.ip) : known.country;
  const [refusal] = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
  if (refusal) return { refusal };
  const asked = { candidate: candidateOf(promo), facts: known, maxMultiplier: maxMultiplierOf(deps, known) };
  const rule = failedRule(asked, DECIDED[source]);
  if (rule) return { refusal: promoErrors.PROMO_NOT_ELIGIBLE({ rule }) };
  const spins = promo.kind === 'FREE_SPINS' ? spinsOf(deps, promo) : undefined;
  if (promo.kind === 'FREE_SPINS' && !spins) return { refusal: promoErrors.PROMO_EXHAUSTED() };
  const { reward, heldUsd } = rewardOf(deps, promo, given ?? stakesOf(spins));
  const isLeft = (await takeBudget(tx, promo.id, heldUsd)) && (!code || (await takeUse(tx, code.key)));
  if (!isLeft) return { refusal: promoErrors.PROMO_EXHAUSTED() };
  const { sourceKey, grantedBy } = order;
  const grant = { userId, terms: termsOf(promo), reward, source, sourceKey, code: code?.code, grantedBy };
  const grantId = await deps.grants.issue(tx, grant);
  if (grantId === undefined) throw new Error(`the source ${sourceKey} was granted under the player's lock`);
  if (spins) await deps.freeRounds.order(tx, { grantId, ...spins });
  return { grantId, isNew: true };
}

/** What free spins stake together. */
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

/** What a grant brings, and what it takes of the budget in dollars: of a percentage the most that it can come to. */
function rewardOf(
  { currencies }: PromoDeps,
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

/** A promotion that is granted at the moment without anybody redeeming it. Throws 404 PROMO_NOT_FOUND, 409 PROMO_NOT_ACTIVE. */
export async function getGrantable(tx: Tx, id: bigint): Promise<PromoRow> {
  const promo = await findPromo(tx, id);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  const isActive = promo.status === 'ACTIVE' && promo.id >= FIRST_OF_STAFF;
  if (!isActive || !isInTime(periodOf(promo), await transactionTime(tx)))
    throw promoErrors.PROMO_NOT_ACTIVE();
  return promo;
}

export const periodOf = ({ start_at, end_at }: PromoRow) => ({ startAt: start_at, endAt: end_at });

/** The ids of promotions and grants are numbers as text; undefined: no promotion or grant has such an id. */
export const idOf = (text: string): bigint | undefined =>
  /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined;

/** What a single order has come to. Throws its refusal. */
export async function grantTo(
  tx: Tx,
  deps: PromoDeps,
  promo: PromoRow,
  order: GrantOrder,
): Promise<{ grantId: bigint; isNew: boolean }> {
  const outcome = (await grantEach(tx, deps, promo, [order])).get(order.userId)!;
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}
