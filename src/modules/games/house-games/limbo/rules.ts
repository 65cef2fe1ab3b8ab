import type { Risk } from '../../../money/bonus/rules.ts';
import { hundredths, type Next } from '../../betting/rules.ts';
import { type Replayed, replayed, type StoredBet } from '../rules.ts';

/** A bet that the drawn result, the point (1.00 to 1,000,000.00), is at least `multiplier`. */
export type LimboInputs = { multiplier: number };

/** The configured range of targets (1.01 to 1,000,000). */
export type LimboSettings = { minMultiplier: number; maxMultiplier: number };

export const LIMBO_SCALE = 100n;

export const LIMBO_WORDS = 4294967296;
const LEAST_POINT = 100;
const MOST_POINT = 100_000_000;
export const WIDEST: LimboSettings = { minMultiplier: 1.01, maxMultiplier: 1_000_000 };

/** Returns the target in hundredths, or undefined if the target has more than two decimals or is out of range. */
export function limboTarget(
  { multiplier }: LimboInputs,
  { minMultiplier, maxMultiplier }: LimboSettings,
): number | undefined {
  const isInRange = multiplier >= minMultiplier && multiplier <= maxMultiplier;
  return isInRange ? hundredths(multiplier) : undefined;
}

/**
 * Returns the point for the first number u of a stream, in hundredths: floor(rtpBp × 2^32 / (100 × u)), limited to 100 … 100,000,000. u = 0
 * gives the maximum. The only division divides integers below 2^53. If u were converted to a float first, the point would be wrong by a
 * hundredth for 60 words.
 */
export function limboPoint(rtpBp: number, u0: number): number {
  if (u0 === 0) return MOST_POINT;
  const point = Math.floor((rtpBp * LIMBO_WORDS) / (100 * u0));
  return Math.min(Math.max(point, LEAST_POINT), MOST_POINT);
}

/** The stored and displayed outcome: the target, whether or not it was reached, and the point. */
export type LimboOutcome = { multiplier: number; randomMultiplier: number };

/** Plays an allowed bet (target and point in hundredths). The returned multiplier is 0n for a loss. */
export function playLimbo(target: number, point: number) {
  const outcome: LimboOutcome = { multiplier: target / 100, randomMultiplier: point / 100 };
  return { outcome, multiplier: point >= target ? BigInt(target) : 0n, scale: LIMBO_SCALE };
}

/** Returns the risk of a bet. `target` is in hundredths. The round reaches it with a probability of RTP / target. */
export const limboRisk = (target: number, rtpBp: number): Risk => ({
  chancePpm: Number((BigInt(rtpBp) * 1_000_000n) / (100n * BigInt(target))),
  multiplierE4: target * 100,
});

/**
 * Replays a stored bet. Returns undefined if the target is not allowed even under the widest settings, because the settings of the bet are
 * not stored.
 */
export function replayLimbo({ inputs, rtpBp }: StoredBet, next: Next): Replayed | undefined {
  const target = limboTarget(inputs as LimboInputs, WIDEST);
  return target === undefined ? undefined : replayed(playLimbo(target, limboPoint(rtpBp, next())));
}
