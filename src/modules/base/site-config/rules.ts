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

/** What the fields of a code owe each other. */
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
    ...problem(new Set(languages).size < languages.length, 'languages', 'names a language twice'),
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
      'is above fourEyesThresholdUsd: what two have to approve cannot need nobody',
    ),
  ],
};

/**
 * Where a switch by country is off for somebody who is known by several countries, the strictest counts: the first of them in which it is
 * off. Undefined: it is on.
 */
export const offIn = (
  switches: Readonly<Record<string, boolean>>,
  countries: readonly (string | null)[],
): string | undefined =>
  countries.find((country) => country !== null && switches[country] === false) ?? undefined;

type BetTimes = { minBetIntervalMs: number; minBetIntervalMsByCountry: Readonly<Record<string, number>> };

/** How much time bets need between them in a country (null: unknown): that of the site or of the country, whichever is longer. */
export function betTimesIn(
  { minBetIntervalMs, minBetIntervalMsByCountry }: BetTimes,
  country: string | null,
) {
  const ofCountry = country === null ? 0 : (minBetIntervalMsByCountry[country] ?? 0);
  return {
    minBetIntervalMs: Math.max(minBetIntervalMs, ofCountry),
    keepsBetTimes: minBetIntervalMs > 0 || Object.values(minBetIntervalMsByCountry).some((ms) => ms > 0),
  };
}

/** So many of the smallest unit a stake has at least: rounding its payout down costs a hundredth of it at most. */
const SMALLEST_STAKE = 100n;

/** The least that may be staked in a currency of so many decimals, where nobody has set another amount. */
export const usualMinStake = (decimals: number): Units =>
  SMALLEST_STAKE * 10n ** BigInt(UNIT_DECIMALS - decimals);

type Stakeable = { id: string; decimals: number };

/** The least that may be staked in a currency; never nothing. */
export function minStakeOf({ id, decimals }: Stakeable, minStakes: Readonly<Record<string, string>>): Units {
  return Object.hasOwn(minStakes, id) ? units(minStakes[id]!) : usualMinStake(decimals);
}

/** What is wrong with the least stakes that were set: each needs a currency that is there, and an amount that can be staked in it. */
export const minStakeProblems = (
  minStakes: Readonly<Record<string, string>>,
  find: (id: string) => Stakeable | undefined,
): Problem[] =>
  Object.entries(minStakes).flatMap(([id, amount]) => {
    const path = `minStakes.${id}`;
    const currency = find(id);
    if (!currency) return [{ path, message: 'is no currency that is played with' }];
    const isStakeable = (parseUnits(amount, currency.decimals) ?? 0n) > 0n;
    const message = `needs to be above zero with at most ${currency.decimals} decimals`;
    return isStakeable ? [] : [{ path, message }];
  });

/** The named fields alone: whatever is added to a configuration later stays unseen until somebody lists it. */
export function pick<T extends Fields, K extends keyof T & string>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/** With the fields that were named; of the sections, which are objects with fields of their own, the named ones of those. */
export const withChanges = (
  before: Fields,
  named: Fields,
  sections: readonly string[],
): Record<string, unknown> => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(named).map(([name, value]) => [
      name,
      sections.includes(name) ? { ...(before[name] as Fields), ...(value as Fields) } : value,
    ]),
  ),
});

/** Names of the fields that differ; they hold what JSON can. */
export function changedFields(before: Fields, after: Fields): string[] {
  return Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
