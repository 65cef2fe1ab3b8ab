import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { type CountrySet, countrySetOf } from '../../../platform/countries/rules.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { refusalOf } from '../../compliance/gate/rules.ts';
import { findRestrictions } from '../../compliance/gate/service.ts';
import type { GameTerms, LowRiskLimits } from '../../money/bonus/rules.ts';
import { readFacts } from './facts.ts';
import { candidateOf, maxMultiplierOf } from './grant.ts';
import { activePromos, type PromoDeps, type PromoRow, type SlugsOf } from './queries.ts';
import { type Facts, failedRule, isOffered, needsOf, PROMO_TYPES, RULES } from './rules.ts';
import { PromoType, WagerBase } from './schemas.ts';
import { amountOr, decimalOr, isoOr } from './view.ts';

const PromoOffer = object('PromoOffer', {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: PromoType,
  amount: Decimal.nullable(),
  percent: z.number().nullable(),
  maxAmount: Decimal.nullable(),
  currencyId: z.string().nullable(),
  freeSpins: z.number().int().nullable().optional(),
  wagerMultiplier: z.number(),
  wagerBase: WagerBase,
  maxBetUsd: Decimal.nullable(),
  validityHours: z.number().int().nullable(),
  minDepositUsd: Decimal.nullable(),
  startAt: Timestamp.nullable(),
  endAt: Timestamp.nullable(),
  claimed: z.boolean(),
  games: z.array(z.string()).meta({
    description: 'Slugs of the games that count towards wagering. If the list is empty, all games count.',
  }),
  maxWithdrawalMultiplier: z.number().nullable().meta({
    description:
      'The maximum cash that the bonus can convert to, as a multiple of the bonus. Null if there is no maximum.',
  }),
  lowRisk: object('LowRiskBets', {
    maxWinChancePercent: z.number(),
    minMultiplier: z.number(),
    maxCoveragePercent: z.number(),
    countsOpposites: z.boolean(),
  }).meta({
    description:
      'Defines the house game bets that do not count towards wagering because they risk almost nothing. A bet does not count if the ' +
      'probability of getting at least the stake back is higher than maxWinChancePercent, if its average multiplier when it pays is ' +
      'below minMultiplier (for a roulette layout, averaged over all numbers that pay, regardless of how the stake is spread), or ' +
      'if it covers maxCoveragePercent of the wheel or more. Unless countsOpposites is true, bets on opposite outcomes do not ' +
      'count. A pushed blackjack hand does not count either.',
  }),
});

export const listOffers = operation({
  method: 'GET',
  path: '/promo',
  tag: 'Promo',
  access: 'auth',
  summary: 'List your offers',
  description:
    'Returns promotions that the player can claim or has claimed. Excludes promotions that require a code or are granted by ' +
    'staff. A player can claim only one WELCOME promotion.',
  response: z.array(PromoOffer),
  handler: async (deps: PromoDeps, { user: { id: userId }, ip, userAgent }) => {
    const { db, gate, promo, siteConfig } = deps;
    const promos = await activePromos(db, PROMO_TYPES.filter(isOffered));
    if (promos.length === 0) return [];
    const facts = (await readFacts(db, deps, [{ userId, ip, userAgent }], needsOf(promos))).get(userId)!;
    const restrictions = await findRestrictions(db, userId);
    const outlook = gate.outlook(facts.countries);
    if (refusalOf('bonus', { ...outlook, at: facts.at, isBanned: false, restrictions })) return [];
    const maxMultiplier = maxMultiplierOf(deps, facts);
    const ids = promos.map(({ id }) => id);
    const { claimed, hadWelcome } = await readClaimed(db, userId, ids);
    const isOpen = (one: PromoRow) => !isExhausted(one) && !(one.type === 'WELCOME' && hadWelcome);
    const { lowRisk } = siteConfig.get('COMMON').promo;
    const { slugsOf } = promo;
    return promos
      .filter((one) => claimed.has(one.id) || isOpen(one))
      .filter((one) => failedRule({ candidate: candidateOf(one), facts, maxMultiplier }) === undefined)
      .map((one) => toOffer(one, claimed.has(one.id), { slugsOf, lowRisk }));
  },
});

const { claimed: _, ...publicFields } = PromoOffer.shape;

/** The rules that look at the account of a player. A visitor meets those that every new account meets. */
const RULES_FOR_VISITORS = RULES.filter(
  (rule) => !['MIN_DEPOSIT', 'EMAIL', 'IP', 'DEVICE', 'PERSON'].includes(rule),
);

export const listOffersPublicly = operation({
  method: 'GET',
  path: '/public/promo',
  tag: 'Promo',
  access: 'anonymous',
  cache: { scope: 'private', seconds: 60 },
  summary: 'List the offers that are open to every new player',
  description:
    'Returns promotions that any new player from the country of the address can claim, at once or after a deposit. Excludes ' +
    'promotions with conditions such as a VIP level, a turnover or an affiliate code, and those that require a code or are granted ' +
    'by staff.',
  response: z.array(object('PublicPromoOffer', publicFields)),
  handler: async (deps: PromoDeps, { ip }) => {
    const { db, gate, countries, promo, siteConfig } = deps;
    const facts = newPlayerIn(countrySetOf([countries.countryOf(ip)]), new Date());
    if (refusalOf('bonus', { ...gate.outlook(facts.countries), at: facts.at, isBanned: false })) return [];
    const maxMultiplier = maxMultiplierOf(deps, facts);
    const { lowRisk } = siteConfig.get('COMMON').promo;
    return (await activePromos(db, PROMO_TYPES.filter(isOffered)))
      .filter((one) => !isExhausted(one))
      .filter((one) => {
        const check = { candidate: candidateOf(one), facts, maxMultiplier };
        return failedRule(check, RULES_FOR_VISITORS) === undefined;
      })
      .map((one) => toOffer(one, false, { slugsOf: promo.slugsOf, lowRisk }));
  },
});

/** Returns the facts of an account that would be opened now. */
const newPlayerIn = (countries: CountrySet, at: Date): Facts => ({
  at,
  registeredAt: at,
  isEmailVerified: true,
  kycLevel: 0,
  vipLevel: 0,
  affiliateCode: null,
  countries,
  largestDepositUsd: 0n,
  depositedUsd: new Map(),
  wageredUsd: new Map(),
  sharesAddress: new Set(),
  sharesDevice: new Set(),
  sharesPerson: new Set(),
});

const isExhausted = ({ grants, max_grants, granted_usd, max_total_usd }: PromoRow): boolean =>
  (max_grants !== null && grants >= max_grants) || (max_total_usd !== null && granted_usd >= max_total_usd);

/** Returns those of the given promotions that the player has taken up, and whether the player has ever had a WELCOME promotion. */
async function readClaimed(
  db: DbOrTx,
  userId: number,
  promoIds: readonly bigint[],
): Promise<{ claimed: ReadonlySet<bigint>; hadWelcome: boolean }> {
  const { rows } = await sql<{ promoId: bigint; isWelcome: boolean }>`
    select promo_id as "promoId", type = 'WELCOME' as "isWelcome" from promo_grants where user_id = ${userId}
      and (type = 'WELCOME' or (promo_id = any(${promoIds}::int8[]) and source in ('OFFER', 'CODE')))`.execute(
    db,
  );
  return {
    claimed: new Set(rows.map(({ promoId }) => promoId)),
    hadWelcome: rows.some(({ isWelcome }) => isWelcome),
  };
}

const toOffer = (
  promo: PromoRow,
  claimed: boolean,
  { slugsOf, lowRisk }: { slugsOf: SlugsOf; lowRisk: LowRiskLimits },
): z.input<typeof PromoOffer> => ({
  id: String(promo.id),
  name: promo.name,
  description: promo.description,
  type: promo.type,
  amount: amountOr(promo.amount),
  percent: decimalOr(promo.percent_bp),
  maxAmount: amountOr(promo.max_amount),
  currencyId: promo.currency_id,
  freeSpins: promo.free_spins,
  wagerMultiplier: promo.wager_multiplier_e2 / 100,
  wagerBase: promo.wager_base,
  maxBetUsd: amountOr(promo.max_bet_usd),
  validityHours: promo.validity_hours,
  minDepositUsd: promo.conditions.minDepositUsd ?? null,
  startAt: isoOr(promo.start_at),
  endAt: isoOr(promo.end_at),
  claimed,
  games: [...slugsOf(promo.games as GameTerms)],
  maxWithdrawalMultiplier: decimalOr(promo.max_withdrawal_multiplier_e2),
  lowRisk,
});
