import type { Units } from '../../../platform/money.ts';

export type Prize = { place: number; usdAmount: Units };
/** A player in the standings. Lists start with the player on the first rank. */
export type Standing = { userId: number; isSkipped: boolean };
export type Award = { userId: number; prizeUsd: Units | null };

/** Returns the last rank that has a prize. */
export const lastPrizePlace = (prizes: readonly Prize[]): number =>
  prizes.reduce((last, { place }) => Math.max(last, place), 0);

/**
 * Returns who wins which prize. If `prizeUsd` is null, the player is not eligible. Such a player keeps the rank, but the rank's prize is
 * not awarded to that player. If `movesUp` is true, prize ranks are counted only among eligible players, so the prize goes to the next
 * eligible player.
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

/** Returns true if these standings suffice to award every prize. */
export const isEnough = (
  standings: readonly Standing[],
  prizes: readonly Prize[],
  movesUp: boolean,
): boolean => standings.filter(({ isSkipped }) => !isSkipped || !movesUp).length >= lastPrizePlace(prizes);

/** Returns the next better rank with a prize, or undefined if there is none. If `place` is null, the player has no rank yet. */
export function nextPrizePlace(prizes: readonly Prize[], place: number | null): number | undefined {
  const better = prizes.map((prize) => prize.place).filter((at) => place === null || at < place);
  return better.length === 0 ? undefined : Math.max(...better);
}

export type Amounts = { usdAmount: Units; fullUsdAmount: Units };

/** Returns the amounts to pay, or undefined unless 0 < usdAmount ≤ fullUsdAmount ≤ prize. Omitted amounts default to the prize. */
export function amountsOf(
  prizeUsd: Units,
  { fullUsdAmount = prizeUsd, usdAmount = prizeUsd }: Partial<Amounts>,
): Amounts | undefined {
  const isInRange = usdAmount > 0n && usdAmount <= fullUsdAmount && fullUsdAmount <= prizeUsd;
  return isInRange ? { usdAmount, fullUsdAmount } : undefined;
}
