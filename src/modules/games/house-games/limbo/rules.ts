import type { Next } from '../../betting/rules.ts';
import { hundredths, type Replayed, replayed, type StoredBet } from '../rules.ts';

/** A bet that the point, 1.00 to 1,000,000.00, reaches the multiplier. */
export type LimboInputs = { multiplier: number };

/** The targets on offer, as configured (1.01 and 1000000). */
export type LimboSettings = { minMultiplier: number; maxMultiplier: number };

export const LIMBO_SCALE = 100n;

export const LIMBO_WORDS = 4294967296;
const LEAST_POINT = 100;
const MOST_POINT = 100_000_000;
export const WIDEST: LimboSettings = { minMultiplier: 1.01, maxMultiplier: 1_000_000 };

/** The target in hundredths, or undefined when it is not accepted: more than two decimals, or outside the settings. */
export function limboTarget(
  { multiplier }: LimboInputs,
  { minMultiplier, maxMultiplier }: LimboSettings,
): number | undefined {
  const isInRange = multiplier >= minMultiplier && multiplier <= maxMultiplier;
  return isInRange ? hundredths(multiplier) : undefined;
}

/**
 * The point of the first number of a stream, in hundredths: floor(rtpBp × 2^32 / (100 × u)) within 100 … 100,000,000;
 * u = 0 is the maximum. One division of integers below 2^53, so that no word is a hundredth off, as 60 are when the
 * float of u is divided first.
 */
export function limboPoint(rtpBp: number, u0: number): number {
  if (u0 === 0) return MOST_POINT;
  const point = Math.floor((rtpBp * LIMBO_WORDS) / (100 * u0));
  return Math.min(Math.max(point, LEAST_POINT), MOST_POINT);
}

/** What is stored of a bet and shown to the player: the target whether or not it was reached, and the point. */
export type LimboOutcome = { multiplier: number; randomMultiplier: number };

/** An accepted bet (target and point in hundredths) played; the multiplier it is paid with is 0n when lost. */
export function playLimbo(target: number, point: number) {
  const outcome: LimboOutcome = { multiplier: target / 100, randomMultiplier: point / 100 };
  return { outcome, multiplier: point >= target ? BigInt(target) : 0n, scale: LIMBO_SCALE };
}

/** Undefined when the target would not have been accepted under the widest settings (its own are not stored). */
export function replayLimbo({ inputs, rtpBp }: StoredBet, next: Next): Replayed | undefined {
  const target = limboTarget(inputs as LimboInputs, WIDEST);
  return target === undefined ? undefined : replayed(playLimbo(target, limboPoint(rtpBp, next())));
}
