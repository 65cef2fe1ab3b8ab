import { type CountrySet, codesIn, isCountryIn } from '../../../platform/countries/rules.ts';
import type { AppError } from '../../../platform/errors.ts';
import { type Units, units } from '../../../platform/money.ts';
import { APPROVALS } from '../../base/staff-value/rules.ts';
import { promoErrors } from './errors.ts';

export const PROMO_TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
export const STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
export const KINDS = ['CASH', 'BONUS', 'FREE_SPINS', 'FREE_BET'] as const;
export const WAGER_BASES = ['BONUS', 'DEPOSIT_AND_BONUS'] as const;
/** Who must approve a start by one person. `SECOND_PERSON_LATER`: it starts immediately, but its cost waits for a second person. */
export const START_APPROVALS = [...APPROVALS, 'SECOND_PERSON_LATER'] as const;
export type StartApproval = (typeof START_APPROVALS)[number];
export type PromoType = (typeof PROMO_TYPES)[number];
export type Status = (typeof STATUSES)[number];
export type Kind = (typeof KINDS)[number];
export type WagerBase = (typeof WAGER_BASES)[number];

/**
 * The first id of promotions that staff create. Promotions with lower ids belong to the platform, which grants them automatically. Their
 * terms cannot be changed by staff.
 */
export const FIRST_OF_STAFF = 1000n;
export const isOfPlatform = ({ id }: { id: bigint }): boolean => id < FIRST_OF_STAFF;

const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['PAUSED'],
  PAUSED: ['ACTIVE', 'ARCHIVED'],
  ARCHIVED: [],
};

export const canTransition = (from: Status, to: Status): boolean => NEXT[from].includes(to);

type Period = { startAt: Date | null; endAt: Date | null };

export const isInTime = ({ startAt, endAt }: Period, at: Date): boolean =>
  (startAt === null || at >= startAt) && (endAt === null || at < endAt);

/** Returns true if players can see and take up the promotion without a code. */
export const isOffered = (type: PromoType): boolean => type === 'WELCOME' || type === 'DEPOSIT';

/** Returns the reason why no one can redeem a promotion now, by code or by id, or undefined if it can be redeemed. */
export function refusalOfPromo(
  promo: Period & { type: PromoType; status: Status },
  { isByCode, at }: { isByCode: boolean; at: Date },
): AppError | undefined {
  const { type, status } = promo;
  const isRedeemable = isOffered(type) || (type === 'CODE' && isByCode);
  if (!isRedeemable || status === 'DRAFT' || status === 'PAUSED') return promoErrors.PROMO_NOT_FOUND();
  return status === 'ARCHIVED' || !isInTime(promo, at) ? promoErrors.PROMO_EXPIRED() : undefined;
}

/** Returns the lower of two limits, but at least zero. Returns null if neither is set. */
export function leastOf(a: Units | null, b: Units | null): Units | null {
  if (a === null && b === null) return null;
  const least = a === null ? b! : b === null || a < b ? a : b;
  return least < 0n ? 0n : least;
}

/** Returns true if players cannot take up a promotion of this type until staff create a code or grant it manually. */
export const startsWithoutCost = (type: PromoType): boolean => type === 'MANUAL' || type === 'CODE';

/** Returns true for sources of grants by staff. Their cost counts towards the staff limits when the grant is made. */
export const isByHand = (source: string): boolean => source === 'ADMIN' || source === 'VIP';

/** Returns the idempotency key of a grant. Offers and codes have one key per player, and staff grants have one per player and request. */
export const sourceKeyOf = (promoId: bigint, userId: number, request?: string): string =>
  request === undefined ? `${promoId}:${userId}` : `${promoId}:admin:${request}:${userId}`;

/** The rules in the order in which they are checked. */
export const RULES = [
  'MIN_DEPOSIT',
  'DEPOSIT_SUM',
  'TURNOVER',
  'REGISTERED',
  'AFFILIATE_CODE',
  'EMAIL',
  'KYC_TIER',
  'VIP_LEVEL',
  'ACCOUNT_AGE',
  'COUNTRY',
  'IP',
  'DEVICE',
  'PERSON',
] as const;
export type Rule = (typeof RULES)[number];

export const KYC_TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** Conditions as staff set them. Omitted, null and empty conditions are always met. Amounts are in US dollars, times in ISO 8601. */
export type Conditions = {
  readonly minDepositUsd?: string | null | undefined;
  readonly depositSumUsd?: string | null | undefined;
  readonly depositWindowDays?: number | null | undefined;
  readonly turnoverUsd?: string | null | undefined;
  readonly turnoverWindowDays?: number | null | undefined;
  readonly registeredFrom?: string | null | undefined;
  readonly registeredTo?: string | null | undefined;
  readonly affiliateCodes?: readonly string[] | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly kycTier?: (typeof KYC_TIERS)[number] | null | undefined;
  readonly minVipLevel?: number | null | undefined;
  readonly minAccountAgeDays?: number | null | undefined;
  readonly countriesAllow?: readonly string[] | undefined;
  readonly countriesDeny?: readonly string[] | undefined;
  readonly onePerIp?: boolean | undefined;
  readonly onePerDevice?: boolean | undefined;
};

/** The number of days that means "no time limit". */
const EVER = 0;

/** Data about a player against which conditions are checked. Sums are in US dollars, grouped by window of days. */
export type Facts = {
  at: Date;
  registeredAt: Date;
  isEmailVerified: boolean;
  /** The number of approved KYC tiers that precede the first unapproved one. */
  kycLevel: number;
  vipLevel: number;
  /** The affiliate code in lower case; null if the player was not referred. */
  affiliateCode: string | null;
  /** The known countries of the IP address, the account, its registration and the stated identity. */
  countries: CountrySet;
  largestDepositUsd: Units;
  depositedUsd: ReadonlyMap<number, Units>;
  wageredUsd: ReadonlyMap<number, Units>;
  /** Promotions of other players who used the same IP address, or the same device at this IP address. */
  sharesAddress: ReadonlySet<bigint>;
  sharesDevice: ReadonlySet<bigint>;
  /** Promotions of other accounts of the same person. */
  sharesPerson: ReadonlySet<bigint>;
};

/** The promotion to check. `isOfDeposit`: its reward is a percentage of a future deposit. */
export type Candidate = {
  id: bigint;
  type: string;
  conditions: Conditions;
  isOfDeposit: boolean;
  wagerMultiplierE2: number;
};

/** `maxMultiplier`: the highest wagering multiplier allowed in the player's countries, or undefined if there is no limit. */
type Check = { candidate: Candidate; facts: Facts; maxMultiplier: number | undefined };

const DAY_MS = 86_400_000;

export const windowOf = (days: number | null | undefined): number => days ?? EVER;

const isAtLeast = (amount: Units | undefined, least: string | null | undefined): boolean =>
  least === null || least === undefined || (amount ?? 0n) >= units(least);

const isMet: Readonly<Record<Rule, (conditions: Conditions, check: Check) => boolean>> = {
  // For a percentage bonus, the minimum applies to the deposit that will activate the grant.
  MIN_DEPOSIT: ({ minDepositUsd }, { candidate, facts }) =>
    candidate.isOfDeposit || isAtLeast(facts.largestDepositUsd, minDepositUsd),
  DEPOSIT_SUM: ({ depositSumUsd, depositWindowDays }, { facts }) =>
    isAtLeast(facts.depositedUsd.get(windowOf(depositWindowDays)), depositSumUsd),
  TURNOVER: ({ turnoverUsd, turnoverWindowDays }, { facts }) =>
    isAtLeast(facts.wageredUsd.get(windowOf(turnoverWindowDays)), turnoverUsd),
  REGISTERED: ({ registeredFrom, registeredTo }, { facts: { registeredAt } }) =>
    (!registeredFrom || registeredAt >= new Date(registeredFrom)) &&
    (!registeredTo || registeredAt <= new Date(registeredTo)),
  AFFILIATE_CODE: ({ affiliateCodes = [] }, { facts: { affiliateCode } }) =>
    affiliateCodes.length === 0 || affiliateCodes.some((code) => code.toLowerCase() === affiliateCode),
  EMAIL: ({ emailVerified }, { facts }) => !emailVerified || facts.isEmailVerified,
  KYC_TIER: ({ kycTier }, { facts }) => !kycTier || facts.kycLevel > KYC_TIERS.indexOf(kycTier),
  VIP_LEVEL: ({ minVipLevel }, { facts }) => facts.vipLevel >= (minVipLevel ?? 0),
  ACCOUNT_AGE: ({ minAccountAgeDays }, { facts: { at, registeredAt } }) =>
    at.getTime() - registeredAt.getTime() >= (minAccountAgeDays ?? 0) * DAY_MS,
  COUNTRY: isOfferedThere,
  IP: ({ onePerIp }, { candidate, facts }) => !onePerIp || !facts.sharesAddress.has(candidate.id),
  DEVICE: ({ onePerDevice }, { candidate, facts }) => !onePerDevice || !facts.sharesDevice.has(candidate.id),
  PERSON: (_, { candidate, facts }) => !facts.sharesPerson.has(candidate.id),
};

/**
 * Returns true if every country of the player is allowed. A player without a known country gets no promotion that is limited to certain
 * countries.
 */
function isOfferedThere(
  { countriesAllow = [], countriesDeny = [] }: Conditions,
  { candidate, facts: { countries }, maxMultiplier }: Check,
): boolean {
  if (maxMultiplier !== undefined && candidate.wagerMultiplierE2 > maxMultiplier * 100) return false;
  if (isCountryIn(countries, countriesDeny)) return false;
  if (countriesAllow.length === 0) return true;
  return countries !== null && codesIn(countries).every((country) => countriesAllow.includes(country));
}

/** Returns the first of `rules` that the player does not meet, or undefined. */
export const failedRule = (check: Check, rules: readonly Rule[] = RULES): Rule | undefined =>
  rules.find((rule) => !isMet[rule](check.candidate.conditions, check));

/** The data that `failedRule` needs to check the given promotions. */
export type Needs = {
  depositWindows: readonly number[];
  turnoverWindows: readonly number[];
  /** Promotions that are limited to one player per IP address or device. */
  onePerAddress: readonly bigint[];
  /** Promotions that are limited to one account per person. */
  onePerPerson: readonly bigint[];
};

export function needsOf(candidates: readonly Pick<Candidate, 'id' | 'type' | 'conditions'>[]): Needs {
  const windows = (of: (conditions: Conditions) => number | undefined) => [
    ...new Set(candidates.flatMap(({ conditions }) => of(conditions) ?? [])),
  ];
  return {
    depositWindows: windows((c) => (c.depositSumUsd ? windowOf(c.depositWindowDays) : undefined)),
    turnoverWindows: windows((c) => (c.turnoverUsd ? windowOf(c.turnoverWindowDays) : undefined)),
    onePerAddress: candidates.flatMap(({ id, conditions }) => (isOnePerPlace(conditions) ? [id] : [])),
    onePerPerson: candidates.flatMap((candidate) => (isOnePerPerson(candidate) ? [candidate.id] : [])),
  };
}

/**
 * Returns true if a promotion is limited per IP address or device. Such a promotion must be locked, because otherwise two players at one IP
 * address could both pass if they request it concurrently.
 */
export const isOnePerPlace = ({ onePerIp, onePerDevice }: Conditions): boolean =>
  onePerIp === true || onePerDevice === true;

/**
 * Returns true if a person can get the promotion only once across all accounts. Other promotions are granted manually or for every deposit.
 */
export const isOnePerPerson = ({ type }: Pick<Candidate, 'type'>): boolean =>
  type === 'WELCOME' || type === 'CODE';
