import { normalTails } from './normal.ts';

/** A payout as a multiple of the stake and its probability. */
export type Prize = { pays: number; chance: number };

export function meanOf(prizes: readonly Prize[]): number {
  return prizes.reduce((sum, { pays, chance }) => sum + chance * pays, 0);
}

/** Returns the variance per unit staked: Σ probability × multiplier² − return². */
export function varianceOf(prizes: readonly Prize[]): number {
  const mean = meanOf(prizes);
  return prizes.reduce((sum, { pays, chance }) => sum + chance * (pays - mean) ** 2, 0);
}

/**
 * Returns the two-sided probability that `rounds` bets pay a total at least as extreme as `sum`. Uses the saddle-point approximation of the
 * exact distribution of one bet (Lugannani and Rice 1980). With a prize of 1000 stakes that occurs three times in 100,000 bets, the total
 * is far from normally distributed. A test that assumes a normal distribution would report good luck as a mismatch.
 */
export function sumTail(prizes: readonly Prize[], rounds: number, sum: number): number {
  const possible = prizes.filter(({ chance }) => chance > 0);
  const mean = rounds * meanOf(possible);
  const deviation = Math.sqrt(rounds * varianceOf(possible));
  const z = (sum - mean) / deviation;
  // The formula is 0/0 at the mean, where the exact value is irrelevant.
  if (Math.abs(z) < 0.01) return normalTails(z);
  const edge = outermost(possible, z);
  const beyond = Math.abs(sum / rounds - edge.pays) < 1e-9 ? 0 : Math.sign(z) * (sum / rounds - edge.pays);
  if (beyond > 0) return 0;
  if (beyond === 0) return Math.min(1, 2 * edge.chance ** rounds);
  const t = saddlePoint(possible, sum / rounds);
  const { log, variance } = tilted(possible, t);
  const w = Math.sign(t) * Math.sqrt(2 * Math.max(0, t * sum - rounds * log));
  const u = t * Math.sqrt(rounds * variance);
  const tail = normalTails(w) / 2 + Math.sign(w) * density(w) * (1 / u - 1 / w);
  return Math.min(1, Math.max(0, 2 * tail));
}

const density = (w: number): number => Math.exp((-w * w) / 2) / Math.sqrt(2 * Math.PI);

/** Returns the highest prize, or the lowest one if `side` is negative. */
function outermost(prizes: readonly Prize[], side: number): Prize {
  const edge = prizes.reduce((a, b) => ((b.pays - a.pays) * side > 0 ? b : a));
  const chance = prizes
    .filter(({ pays }) => pays === edge.pays)
    .reduce((sum, prize) => sum + prize.chance, 0);
  return { pays: edge.pays, chance };
}

/** Returns the value of t at which prizes weighted by e^(t × pays) have this mean, which increases with t. */
function saddlePoint(prizes: readonly Prize[], mean: number): number {
  let low = -1;
  let high = 1;
  while (tilted(prizes, low).mean > mean && low > -1e6) low *= 2;
  while (tilted(prizes, high).mean < mean && high < 1e6) high *= 2;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (tilted(prizes, middle).mean < mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Returns the logarithm of the mean of e^(t × pays), and the mean and variance of the prizes under these weights. */
function tilted(prizes: readonly Prize[], t: number): { log: number; mean: number; variance: number } {
  const most = Math.max(...prizes.map(({ pays }) => t * pays));
  const weights = prizes.map(({ pays, chance }) => chance * Math.exp(t * pays - most));
  const total = weights.reduce((a, b) => a + b);
  const under = prizes.map(({ pays }, i) => ({ pays, chance: weights[i]! / total }));
  return { log: Math.log(total) + most, mean: meanOf(under), variance: varianceOf(under) };
}
