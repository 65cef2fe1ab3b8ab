import { parseUnits, type Units } from '../../../../platform/money.ts';
import type { Next } from '../../betting/rules.ts';
import { pick } from '../../fairness/rules.ts';
import { type Replayed, replayed, type StoredBet } from '../rules.ts';
import { findPosition, type RoulettePosition, type RouletteType } from './layout/rules.ts';

/** `numbers` may be in any order, and are omitted for RED … HIGH. `amount` is in US dollars. */
export type RouletteEntry = { type: RouletteType; numbers?: readonly number[] | undefined; amount: string };
export type RouletteInputs = { bets: readonly RouletteEntry[] };

/** An accepted entry. */
export type RouletteStake = { position: RoulettePosition; amount: Units };

export const POCKETS = 37;
export const ROULETTE_MOST_ENTRIES = 200;

/** The error in a request. `path` starts at the list of entries ("3.numbers"). */
export type RouletteFlaw = { path: string; message: string };

/**
 * Returns the accepted entries, or the first invalid one. An entry is invalid if the layout has no such position, or if its amount is zero,
 * negative or has more than `decimals` decimals.
 */
export function rouletteStakes(
  bets: readonly RouletteEntry[],
  decimals: number,
): RouletteStake[] | RouletteFlaw {
  const stakes: RouletteStake[] = [];
  for (const [i, { type, numbers, amount: text }] of bets.entries()) {
    const position = findPosition(type, numbers);
    if (!position) return { path: `${i}.numbers`, message: `are no ${type} of the layout` };
    const amount = parseUnits(text, decimals);
    if (amount === undefined || amount === 0n) {
      return { path: `${i}.amount`, message: `needs to be above zero with at most ${decimals} decimals` };
    }
    stakes.push({ position, amount });
  }
  return stakes;
}

/** Sum of all entries in US dollars. */
export function totalOf(stakes: readonly RouletteStake[]): Units {
  let total = 0n;
  for (const { amount } of stakes) total += amount;
  return total;
}

/** The stored and displayed outcome. `multiplier` is floor(payout / betAmount) with 4 decimals, before maxProfit is applied. */
export type RouletteOutcome = { randomPosition: number; multiplier: number };

/**
 * Plays allowed entries of `total` dollars with the first number of their stream. The bet pays Σ (amount × total return) of the winning
 * entries, divided by the total. This is an exact fraction, unlike the rounded multiplier of the outcome.
 */
export function playRoulette(stakes: readonly RouletteStake[], total: Units, u0: number) {
  const randomPosition = pick(u0, POCKETS);
  let won = 0n;
  for (const { position, amount } of stakes) {
    if (position.wins.has(randomPosition)) won += amount * position.pays;
  }
  const outcome: RouletteOutcome = { randomPosition, multiplier: Number((won * 10_000n) / total) / 10_000 };
  return { outcome, multiplier: won, scale: total };
}

/** Replays a stored bet. Returns undefined if the inputs are invalid. */
export function replayRoulette({ inputs }: StoredBet, next: Next): Replayed | undefined {
  const { bets } = inputs as RouletteInputs;
  if (!Array.isArray(bets) || bets.length < 1 || bets.length > ROULETTE_MOST_ENTRIES) return undefined;
  const stakes = rouletteStakes(bets, 8);
  return Array.isArray(stakes) ? replayed(playRoulette(stakes, totalOf(stakes), next())) : undefined;
}
