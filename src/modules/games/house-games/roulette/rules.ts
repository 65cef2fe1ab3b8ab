import { parseUnits, type Units } from '../../../../platform/money.ts';
import type { Next } from '../../betting/rules.ts';
import { pick, range } from '../../fairness/rules.ts';
import { type Replayed, replayed, type StoredBet } from '../rules.ts';

/** Total return of a winning entry, by type. */
const PAYS = {
  STRAIGHT: 36n,
  SPLIT: 18n,
  STREET: 12n,
  CORNER: 9n,
  LINE: 6n,
  DOZEN: 3n,
  COLUMN: 3n,
  RED: 2n,
  BLACK: 2n,
  ODD: 2n,
  EVEN: 2n,
  LOW: 2n,
  HIGH: 2n,
} as const;

export type RouletteType = keyof typeof PAYS;
export const ROULETTE_TYPES = Object.keys(PAYS) as RouletteType[];

/** `numbers` may be in any order, and are omitted for RED … HIGH. `amount` is in US dollars. */
export type RouletteEntry = { type: RouletteType; numbers?: readonly number[] | undefined; amount: string };
export type RouletteInputs = { bets: readonly RouletteEntry[] };

/** A position on the layout: its name in a request (`numbers` ascending), its winning numbers and its payout. */
export type RoulettePosition = {
  type: RouletteType;
  numbers: readonly number[];
  wins: ReadonlySet<number>;
  pays: bigint;
};

/** An accepted entry. */
export type RouletteStake = { position: RoulettePosition; amount: Units };

export const POCKETS = 37;
export const ROULETTE_MOST_ENTRIES = 200;
const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
const LAYOUT = range(1, 36);
const ROWS = range(0, 11).map((r) => [3 * r + 1, 3 * r + 2, 3 * r + 3] as const);
const FOLLOWED = ROWS.slice(0, -1);

/** All 157 positions of the layout of a wheel with one zero. */
export const ROULETTE_POSITIONS: readonly RoulettePosition[] = [
  ...inside('STRAIGHT', [[0], ...LAYOUT.map((n) => [n])]),
  ...inside('SPLIT', [
    [0, 1],
    [0, 2],
    [0, 3],
    ...ROWS.flatMap(([a, b, c]) => [
      [a, b],
      [b, c],
    ]),
    ...range(1, 33).map((n) => [n, n + 3]),
  ]),
  ...inside('STREET', [[0, 1, 2], [0, 2, 3], ...ROWS]),
  ...inside('CORNER', [
    [0, 1, 2, 3],
    ...FOLLOWED.flatMap(([a, b]) => [a, b].map((n) => [n, n + 1, n + 3, n + 4])),
  ]),
  ...inside(
    'LINE',
    FOLLOWED.map(([n]) => range(n, n + 5)),
  ),
  ...[1, 2, 3].map((d) => outside('DOZEN', [d], (n) => Math.ceil(n / 12) === d)),
  ...[1, 2, 3].map((c) => outside('COLUMN', [c], (n) => ROWS.some((row) => row[c - 1] === n))),
  outside('RED', [], (n) => RED.has(n)),
  outside('BLACK', [], (n) => !RED.has(n)),
  outside('ODD', [], (n) => (n & 1) === 1),
  outside('EVEN', [], (n) => (n & 1) === 0),
  outside('LOW', [], (n) => n <= 18),
  outside('HIGH', [], (n) => n >= 19),
];

const BY_NAME = new Map(
  ROULETTE_POSITIONS.map((position) => [nameOf(position.type, position.numbers), position]),
);

/** Returns the position of an entry, or undefined if the layout has no such position. */
export function findPosition(
  type: RouletteType,
  numbers: readonly number[] = [],
): RoulettePosition | undefined {
  return BY_NAME.get(nameOf(type, numbers));
}

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

function inside(type: RouletteType, places: readonly (readonly number[])[]): RoulettePosition[] {
  return places.map((numbers) => ({ type, numbers, wins: new Set(numbers), pays: PAYS[type] }));
}

/**
 * Returns a position that covers many numbers, but never zero. A request identifies such a position without numbers, or by the number of
 * its dozen or column.
 */
function outside(
  type: RouletteType,
  numbers: readonly number[],
  isWinning: (n: number) => boolean,
): RoulettePosition {
  return { type, numbers, wins: new Set(LAYOUT.filter(isWinning)), pays: PAYS[type] };
}

function nameOf(type: RouletteType, numbers: readonly number[]): string {
  return `${type} ${numbers.toSorted((a, b) => a - b).join(' ')}`;
}
