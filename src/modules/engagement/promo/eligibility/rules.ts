import { type Units, units } from '../../../../platform/money.ts';

/** In the order in which they are asked. */
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
] as const;
export type Rule = (typeof RULES)[number];

export const KYC_TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** Who may have a promotion, as staff wrote it; what is absent, null or empty asks nothing. Amounts in dollars, moments in ISO 8601. */
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

/** Days of a window that ends now; EVER: without a beginning. */
const EVER = 0;

/** What a promotion is asked of whom. Sums in dollars by window. */
export type Facts = {
  at: Date;
  registeredAt: Date;
  isEmailVerified: boolean;
  /** Tiers that are approved, in their order. */
  kycLevel: number;
  vipLevel: number;
  /** In lower case; null: nobody referred them. */
  affiliateCode: string | null;
  /** Of the address, the account, its registration, and as the player has stated it; those that are known. */
  countries: readonly string[];
  largestDepositUsd: Units;
  depositedUsd: ReadonlyMap<number, Units>;
  wageredUsd: ReadonlyMap<number, Units>;
  /** Promotions that somebody else has who was at an address of theirs, and with their device there. */
  sharesAddress: ReadonlySet<bigint>;
  sharesDevice: ReadonlySet<bigint>;
};

/** The promotion that is asked about. `isOfDeposit`: a percentage of a deposit that is still to come. */
export type Candidate = {
  id: bigint;
  conditions: Conditions;
  isOfDeposit: boolean;
  wagerMultiplierE2: number;
};

/** `maxMultiplier`: how often a bonus may be wagered at most where the player is; undefined: no limit. */
type Asked = { candidate: Candidate; facts: Facts; maxMultiplier: number | undefined };

const DAY_MS = 86_400_000;

export const windowOf = (days: number | null | undefined): number => days ?? EVER;

const isAtLeast = (amount: Units | undefined, least: string | null | undefined): boolean =>
  least === null || least === undefined || (amount ?? 0n) >= units(least);

const isMet: Readonly<Record<Rule, (conditions: Conditions, asked: Asked) => boolean>> = {
  // Of a percentage it is asked of the deposit that the grant waits for.
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
};

/** Every country of the player must be allowed. A player without a known country gets no promotion that is for certain countries only. */
function isOfferedThere(
  { countriesAllow = [], countriesDeny = [] }: Conditions,
  { candidate, facts: { countries }, maxMultiplier }: Asked,
): boolean {
  if (maxMultiplier !== undefined && candidate.wagerMultiplierE2 > maxMultiplier * 100) return false;
  if (countries.some((country) => countriesDeny.includes(country))) return false;
  if (countriesAllow.length === 0) return true;
  return countries.length > 0 && countries.every((country) => countriesAllow.includes(country));
}

/** The first of `rules` that the player does not meet; undefined: they may have it. */
export const failedRule = (asked: Asked, rules: readonly Rule[] = RULES): Rule | undefined =>
  rules.find((rule) => !isMet[rule](asked.candidate.conditions, asked));

/** What has to be read of players before `failedRule` can be asked about promotions. */
export type Needs = {
  depositWindows: readonly number[];
  turnoverWindows: readonly number[];
  /** Promotions that look for others at the same address. */
  onePerAddress: readonly bigint[];
};

export function needsOf(candidates: readonly Pick<Candidate, 'id' | 'conditions'>[]): Needs {
  const windows = (of: (conditions: Conditions) => number | undefined) => [
    ...new Set(candidates.flatMap(({ conditions }) => of(conditions) ?? [])),
  ];
  return {
    depositWindows: windows((c) => (c.depositSumUsd ? windowOf(c.depositWindowDays) : undefined)),
    turnoverWindows: windows((c) => (c.turnoverUsd ? windowOf(c.turnoverWindowDays) : undefined)),
    onePerAddress: candidates.flatMap(({ id, conditions }) => (isOnePerPlace(conditions) ? [id] : [])),
  };
}

/** Two players at one place could both be the only one, unless they wait for each other. */
export const isOnePerPlace = ({ onePerIp, onePerDevice }: Conditions): boolean =>
  onePerIp === true || onePerDevice === true;
