import { upperGamma } from '../../src/modules/games/house-games/returns/alerts/rules.ts';

/** Returns the probability that a standard normal variable is at least as far from 0 as `z`, on either side. */
export function normalTails(z: number): number {
  return upperGamma(0.5, (z * z) / 2);
}
