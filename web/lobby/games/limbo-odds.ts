export type Odds = { rtp: number; minMultiplier: number; maxMultiplier: number };

/** Returns true if a stored value can be moved into the range of the configuration. */
export const isTarget = (stored: unknown): stored is number => Number.isFinite(stored);

/** Returns the target in hundredths, moved into the range of the configuration. */
export const bounded = (target: number, { minMultiplier, maxMultiplier }: Odds): number =>
  Math.min(maxMultiplier, Math.max(minMultiplier, Math.round(target * 100) / 100));
