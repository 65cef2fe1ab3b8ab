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
};
export type AffiliateLevel = { readonly id: number; readonly minWageredUsdAmount: string };

/** All of it, in basis points. */
const EDGE_BP = 10_000;

/** A decimal with at most two decimals as a whole number of hundredths: "7.5" percent and a divisor of 7.5 are 750n. */
export function hundredths(decimal: string | number): bigint {
  const read = typeof decimal === 'number' ? parseNumber(decimal) : units(decimal);
  if (read === undefined || read % 1_000_000n !== 0n)
    throw new RangeError(`not a number of hundredths: ${decimal}`);
  return read / 1_000_000n;
}

/** The highest level that an amount wagered (which a rollback may have made negative) reaches; the lowest is reached always. */
export const vipLevelAt = (ladder: readonly VipLevel[], wageredUsd: Units): number =>
  highestReached(ladder, 'wageredUsd', wageredUsd).level;

/** What holds at a level; above the end of a ladder that staff has shortened its last level does. */
export const vipTermsOf = (ladder: readonly VipLevel[], level: number): VipLevel =>
  ladder.findLast((terms) => terms.level <= level) ?? ladder[0]!;

/**
 * What is paid for each level above `from` up to `to`, in order: every level that was crossed, those without a reward too. Dollars.
 */
export const vipRewardsBetween = (
  ladder: readonly VipLevel[],
  { from, to }: { from: number; to: number },
): { level: number; rewardUsd: Units }[] =>
  ladder
    .filter(({ level }) => level > from && level <= to)
    .map(({ level, rewardUsd }) => ({ level, rewardUsd: units(rewardUsd) }));

/** The level of an affiliate by what the referrals have wagered, never below `floorId` (null: none). */
export function affiliateLevelAt<L extends AffiliateLevel>(
  levels: readonly L[],
  { wageredUsd, floorId }: { wageredUsd: Units; floorId: number | null },
): L {
  const reached = highestReached(levels, 'minWageredUsdAmount', wageredUsd);
  const floor = floorId === null ? undefined : levels.findLast(({ id }) => id <= floorId);
  return floor && floor.id > reached.id ? floor : reached;
}

/** The lowest limit on wagering in the countries by which a player is known (null: unknown); undefined: there is none. */
export function maxWagerMultiplierIn(
  byCountry: Readonly<Record<string, number>>,
  countries: readonly (string | null)[],
): number | undefined {
  const limits = countries.flatMap((country) =>
    country !== null && Object.hasOwn(byCountry, country) ? [byCountry[country]!] : [],
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** What is wrong with a ladder: level 0 is free and pays nothing, each further level asks for more than the one before. */
export const ladderProblems = (ladder: readonly VipLevel[]): Problem[] => [
  ...ladder.flatMap(({ level }, i) =>
    level === i ? [] : [{ path: `vip.ladder.${i}.level`, message: `needs to be ${i}` }],
  ),
  ...ascentProblems(ladder, 'vip.ladder', 'wageredUsd'),
  ...(units(ladder[0]!.rewardUsd) === 0n
    ? []
    : [{ path: 'vip.ladder.0.rewardUsd', message: 'needs to be 0: everybody has the first level' }]),
];

/** More than the edge cannot come back: the rates of all periods together, with the highest boost. */
export function rakebackProblems(rakeback: Rakeback, ladder: readonly VipLevel[]): Problem[] {
  const { instantBp, dailyBp, weeklyBp, monthlyBp } = rakeback;
  const boost = Math.max(...ladder.map(({ boostPercent }) => boostPercent));
  const isTooMuch = (instantBp + dailyBp + weeklyBp + monthlyBp) * (100 + boost) > EDGE_BP * 100;
  const message = `give back more than the house edge with a boost of ${boost} %`;
  return isTooMuch ? [{ path: 'rakeback', message }] : [];
}

/** What is wrong with the levels of affiliates: the first is free, each further one asks for more than the one before. */
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
      return amount === 0n ? [] : [{ path: at, message: 'needs to be 0: everybody has the first level' }];
    return amount > amounts[i - 1]! ? [] : [{ path: at, message: 'needs to be above the level before' }];
  });
}
