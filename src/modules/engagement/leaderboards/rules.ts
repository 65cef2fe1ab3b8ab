import type { Units } from '../../../platform/money.ts';

export type Prize = { place: number; usdAmount: Units };
/** Who stands at a place, in order from the first. */
export type Standing = { userId: number; isSkipped: boolean };
export type Award = { userId: number; prizeUsd: Units | null };

/** The lowest place that has a prize. */
export const lastPrizePlace = (prizes: readonly Prize[]): number =>
  prizes.reduce((last, { place }) => Math.max(last, place), 0);

/**
 * Who wins what, of the standings from the first place on; `prizeUsd` null: is skipped. Whoever may not win keeps their place; its prize is
 * nobody's, unless prizes move up: then the places of prizes are counted among those who may win.
 */
export function awardsOf(
  standings: readonly Standing[],
  prizes: readonly Prize[],
  movesUp: boolean,
): Award[] {
  const byPlace = new Map(prizes.map(({ place, usdAmount }) => [place, usdAmount]));
  const awards: Award[] = [];
  let rank = 0;
  for (const { userId, isSkipped } of standings) {
    if (!isSkipped || !movesUp) rank++;
    const prizeUsd = byPlace.get(isSkipped && movesUp ? rank + 1 : rank);
    if (prizeUsd !== undefined) awards.push({ userId, prizeUsd: isSkipped ? null : prizeUsd });
  }
  return awards;
}

/** Whether standings of so many people show who wins every prize. */
export const isEnough = (
  standings: readonly Standing[],
  prizes: readonly Prize[],
  movesUp: boolean,
): boolean => standings.filter(({ isSkipped }) => !isSkipped || !movesUp).length >= lastPrizePlace(prizes);

/** The next better place with a prize; undefined: there is none. `place` null: nobody yet. */
export function nextPrizePlace(prizes: readonly Prize[], place: number | null): number | undefined {
  const better = prizes.map((prize) => prize.place).filter((at) => place === null || at < place);
  return better.length === 0 ? undefined : Math.max(...better);
}

export type Amounts = { usdAmount: Units; fullUsdAmount: Units };

/** What is paid of a prize: undefined where 0 < usdAmount ≤ fullUsdAmount ≤ prize does not hold. What is not named is the prize. */
export function amountsOf(
  prizeUsd: Units,
  { fullUsdAmount = prizeUsd, usdAmount = prizeUsd }: Partial<Amounts>,
): Amounts | undefined {
  const isInRange = usdAmount > 0n && usdAmount <= fullUsdAmount && fullUsdAmount <= prizeUsd;
  return isInRange ? { usdAmount, fullUsdAmount } : undefined;
}
