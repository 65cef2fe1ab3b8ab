import { type CountrySet, codesIn, UNREADABLE_COUNTRY, valuesIn } from '../../../platform/countries/rules.ts';
import { parseUnits, UNIT_DECIMALS, type Units, units } from '../../../platform/money.ts';
import {
  type AffiliateLevel,
  affiliateLevelProblems,
  ladderProblems,
  type Rakeback,
  rakebackProblems,
  type VipLevel,
} from './rewards/rules.ts';

export type Problem = { path: string; message: string };

type Fields = Readonly<Record<string, unknown>>;
type Check<T> = (config: T) => Problem[];

const problem = (isWrong: boolean, path: string, message: string): Problem[] =>
  isWrong ? [{ path, message }] : [];

/** Finds fields within a code whose values contradict each other. */
export const CONFLICTS: {
  COMMON: Check<{
    languages: readonly string[];
    defaultLanguage: string;
    vip: { ladder: readonly VipLevel[] };
    rakeback: Rakeback;
  }>;
  BATTLES: Check<{ minEntryUsd: string; maxEntryUsd: string }>;
  AFFILIATES: Check<{ codeMinLength: number; codeMaxLength: number; levels: readonly AffiliateLevel[] }>;
  WITHDRAWALS: Check<{
    minUsd: string;
    dailyLimitUsd: string | null;
    autoApproveLimitUsd: string;
    fourEyesThresholdUsd: string;
  }>;
} = {
  COMMON: ({ languages, defaultLanguage, vip, rakeback }) => [
    ...problem(new Set(languages).size < languages.length, 'languages', 'contains a language twice'),
    ...problem(!languages.includes(defaultLanguage), 'defaultLanguage', 'needs to be one of languages'),
    ...ladderProblems(vip.ladder),
    ...rakebackProblems(rakeback, vip.ladder),
  ],
  BATTLES: ({ minEntryUsd, maxEntryUsd }) =>
    problem(units(minEntryUsd) > units(maxEntryUsd), 'minEntryUsd', 'is above maxEntryUsd'),
  AFFILIATES: ({ codeMinLength, codeMaxLength, levels }) => [
    ...problem(codeMinLength > codeMaxLength, 'codeMinLength', 'is above codeMaxLength'),
    ...affiliateLevelProblems(levels),
  ],
  WITHDRAWALS: ({ minUsd, dailyLimitUsd, autoApproveLimitUsd, fourEyesThresholdUsd }) => [
    ...problem(
      dailyLimitUsd !== null && units(minUsd) > units(dailyLimitUsd),
      'minUsd',
      'is above dailyLimitUsd',
    ),
    ...problem(
      units(autoApproveLimitUsd) > units(fourEyesThresholdUsd),
      'autoApproveLimitUsd',
      'is above fourEyesThresholdUsd, from which two people must approve',
    ),
  ],
};

/** Returns the first of a player's countries in which a feature is switched off, or undefined if it is on in all of them. */
export const offIn = (
  switches: Readonly<Record<string, boolean>>,
  countries: CountrySet,
): string | undefined => codesIn(countries).find((country) => isOffIn(switches, country));

/**
 * If a client's IP address cannot be read, the client's country is unknown. Features that are switched off in any country are then off for
 * the client.
 */
const isOffIn = (switches: Readonly<Record<string, boolean>>, country: string): boolean =>
  country === UNREADABLE_COUNTRY ? Object.values(switches).includes(false) : switches[country] === false;

type BetTimes = { minBetIntervalMs: number; minBetIntervalMsByCountry: Readonly<Record<string, number>> };

/**
 * Returns the minimum time between a player's bets, which is the longest of the site's interval and the intervals of the player's
 * countries.
 */
export const betTimesIn = (config: BetTimes, countries: CountrySet) => ({
  minBetIntervalMs: Math.max(
    config.minBetIntervalMs,
    ...valuesIn(config.minBetIntervalMsByCountry, countries),
  ),
  keepsBetTimes: config.minBetIntervalMs > 0 || hasIntervalsByCountry(config),
});

/** Returns true if a minimum time between bets is set for any country. */
export const hasIntervalsByCountry = ({
  minBetIntervalMsByCountry,
}: Pick<BetTimes, 'minBetIntervalMsByCountry'>): boolean =>
  Object.values(minBetIntervalMsByCountry).some((ms) => ms > 0);

/** The default minimum stake in smallest units. At this stake, rounding a payout down costs the player at most 1 % of the stake. */
const SMALLEST_STAKE = 100n;

/** Returns the default minimum stake of a currency with this number of decimals. */
export const usualMinStake = (decimals: number): Units =>
  SMALLEST_STAKE * 10n ** BigInt(UNIT_DECIMALS - decimals);

type Stakeable = { id: string; decimals: number };

/** Returns the minimum stake in a currency. It is always above zero. */
export function minStakeOf({ id, decimals }: Stakeable, minStakes: Readonly<Record<string, string>>): Units {
  return Object.hasOwn(minStakes, id) ? units(minStakes[id]!) : usualMinStake(decimals);
}

/** Finds minimum stakes with an unknown currency, or with an amount that cannot be staked in the currency. */
export const minStakeProblems = (
  minStakes: Readonly<Record<string, string>>,
  find: (id: string) => Stakeable | undefined,
): Problem[] =>
  Object.entries(minStakes).flatMap(([id, amount]) => {
    const path = `minStakes.${id}`;
    const currency = find(id);
    if (!currency) return [{ path, message: 'is not a supported currency' }];
    const isStakeable = (parseUnits(amount, currency.decimals) ?? 0n) > 0n;
    const message = `needs to be above zero with at most ${currency.decimals} decimals`;
    return isStakeable ? [] : [{ path, message }];
  });

/** Returns only the named fields, so that fields added later stay private until they are listed. */
export function pick<T extends Fields, K extends keyof T & string>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/** Replaces the given fields. Sections are objects, so their fields are merged one by one. */
export const withChanges = (
  before: Fields,
  changes: Fields,
  sections: readonly string[],
): Record<string, unknown> => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      sections.includes(name) ? { ...(before[name] as Fields), ...(value as Fields) } : value,
    ]),
  ),
});

/** Returns the names of the fields that differ between two objects with JSON values. */
export function changedFields(before: Fields, after: Fields): string[] {
  return Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
