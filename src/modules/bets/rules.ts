import { mulDivDown, type Units } from '../../platform/money.ts';

/** The multiplier of a bet in lists and challenges: floor(payout / total stake) at 4 decimals. The stake is not 0n. */
export function shownMultiplier(payout: Units, stake: Units): number {
  return Number(mulDivDown(payout, 10_000n, stake)) / 10_000;
}
