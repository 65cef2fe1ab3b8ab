import { type CountrySet, valuesIn } from '../../../../platform/countries/rules.ts';
import { parseNumber, type Units, units } from '../../../../platform/money.ts';

type Problem = { path: string; message: string };
type Named<K extends string> = Readonly<Record<K, string>>;

export type VipLevel = {
  readonly level: number;
  readonly wageredUsd: string;
  readonly rewardUsd: string;
  readonly boostPercent: number;
};
export type Rakeback = {
  readonly instantBp: number;
  readonly dailyBp: number;
  readonly weeklyBp: number;
  readonly monthlyBp: number;
  /** Days until unclaimed rakeback expires; null if it never expires. */
  readonly expiryDays: number | null;
};
export type AffiliateLevel = { readonly id: number; readonly minWageredUsdAmount: string };

/** The full house edge (100 %) in basis points. */
const EDGE_BP = 10_000;

/** Converts a decimal with at most two decimals to hundredths: "7.5" and 7.5 become 750n. */
export function hundredths(decimal: string | number): bigint {
  const read = typeof decimal === 'number' ? parseNumber(decimal) : units(decimal);
  if (read === undefined || read % 1_000_000n !== 0n)
    throw new RangeError(`not a number of hundredths: ${decimal}`);
  return read / 1_000_000n;
}

/**
 * Returns the highest level that a wagered amount reaches. The lowest level is always reached, even with a negative amount after rollbacks.
 */
export const vipLevelAt = (ladder: readonly VipLevel[], wageredUsd: Units): number =>
  highestReached(ladder, 'wageredUsd', wageredUsd).level;

/**
 * Returns the terms of a level. If staff have removed the highest levels, players above the highest remaining level get the terms of that
 * level.
 */
export const vipTermsOf = (ladder: readonly VipLevel[], level: number): VipLevel =>
  ladder.findLast((terms) => terms.level <= level) ?? ladder[0]!;

/** Returns the rewards in USD of each level above `from` up to `to`, in order, including levels without a reward. */
export const vipRewardsBetween = (
  ladder: readonly VipLevel[],
  { from, to }: { from: number; to: number },
): { level: number; rewardUsd: Units }[] =>
  ladder
    .filter(({ level }) => level > from && level <= to)
    .map(({ level, rewardUsd }) => ({ level, rewardUsd: units(rewardUsd) }));

/**
 * Returns an affiliate's level, given the amount that their referrals have wagered. The level is at least `floorId`, unless that is null.
 */
export function affiliateLevelAt<L extends AffiliateLevel>(
  levels: readonly L[],
  { wageredUsd, floorId }: { wageredUsd: Units; floorId: number | null },
): L {
  const reached = highestReached(levels, 'minWageredUsdAmount', wageredUsd);
  const floor = floorId === null ? undefined : levels.findLast(({ id }) => id <= floorId);
  return floor && floor.id > reached.id ? floor : reached;
}

/** Returns the lowest limit on the wagering multiplier in a player's countries, or undefined if no country limits it. */
export function maxWagerMultiplierIn(
  byCountry: Readonly<Record<string, number>>,
  countries: CountrySet,
): number | undefined {
  const limits = valuesIn(byCountry, countries);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Finds errors in a list of VIP levels. Level 0 must require and pay nothing, and each level must require more than the previous one. */
export const ladderProblems = (ladder: readonly VipLevel[]): Problem[] => [
  ...ladder.flatMap(({ level }, i) =>
    level === i ? [] : [{ path: `vip.ladder.${i}.level`, message: `needs to be ${i}` }],
  ),
  ...ascentProblems(ladder, 'vip.ladder', 'wageredUsd'),
  ...(units(ladder[0]!.rewardUsd) === 0n
    ? []
    : [{ path: 'vip.ladder.0.rewardUsd', message: 'needs to be 0, because everyone has the first level' }]),
];

/** Finds rakeback rates that, together with the highest boost, add up to more than the house edge. */
export function rakebackProblems(rakeback: Rakeback, ladder: readonly VipLevel[]): Problem[] {
  const { instantBp, dailyBp, weeklyBp, monthlyBp } = rakeback;
  const boost = Math.max(...ladder.map(({ boostPercent }) => boostPercent));
  const isTooMuch = (instantBp + dailyBp + weeklyBp + monthlyBp) * (100 + boost) > EDGE_BP * 100;
  const message = `exceeds the house edge with a boost of ${boost} %`;
  return isTooMuch ? [{ path: 'rakeback', message }] : [];
}

/** Finds errors in affiliate levels. The first level must require nothing, and each level must require more than the previous one. */
export const affiliateLevelProblems = (levels: readonly AffiliateLevel[]): Problem[] => [
  ...levels.flatMap(({ id }, i) =>
    id === i + 1 ? [] : [{ path: `levels.${i}.id`, message: `needs to be ${i + 1}` }],
  ),
  ...ascentProblems(levels, 'levels', 'minWageredUsdAmount'),
];

function highestReached<K extends string, L extends Named<K>>(
  levels: readonly L[],
  field: K,
  amount: Units,
): L {
  return levels.findLast((level) => units(level[field]) <= amount) ?? levels[0]!;
}

function ascentProblems<K extends string>(levels: readonly Named<K>[], path: string, field: K): Problem[] {
  const amounts = levels.map((level) => units(level[field]));
  return amounts.flatMap((amount, i) => {
    const at = `${path}.${i}.${field}`;
    if (i === 0)
      return amount === 0n
        ? []
        : [{ path: at, message: 'needs to be 0, because everyone has the first level' }];
    return amount > amounts[i - 1]! ? [] : [{ path: at, message: 'needs to be above the previous level' }];
  });
}
