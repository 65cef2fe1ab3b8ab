import type { Next } from '../../betting/rules.ts';
import { draw, range } from '../../fairness/rules.ts';
import { inHundredths, type Replayed, replayed, type StoredBet } from '../rules.ts';

export const KENO_RISKS = ['CLASSIC', 'LOW', 'MEDIUM', 'HIGH'] as const;
export type KenoRisk = (typeof KENO_RISKS)[number];

/** `selected`: 1 to 10 different integers from 1 to 40. */
export type KenoInputs = { risk: KenoRisk; selected: readonly number[] };

export const KENO_SCALE = 100n;
export const KENO_NUMBERS = 40;
export const KENO_MOST = 10;

export const KENO_DRAWN = 10;
const BOARD = range(1, KENO_NUMBERS);

/** The rows are for 1, 2 … 10 selected numbers and the columns for 0, 1, 2 … hits. */
const MULTIPLIERS: Readonly<Record<KenoRisk, readonly (readonly number[])[]>> = {
  CLASSIC: [
    [0, 3.96],
    [0, 1.9, 4.5],
    [0, 1, 3.1, 10.4],
    [0, 0.8, 1.8, 5, 22.5],
    [0, 0.25, 1.4, 4.1, 16.5, 36],
    [0, 0, 1, 3.68, 7, 16.5, 40],
    [0, 0, 0.47, 3, 4.5, 14, 31, 60],
    [0, 0, 0, 2.2, 4, 13, 22, 55, 70],
    [0, 0, 0, 1.55, 3, 8, 15, 44, 60, 85],
    [0, 0, 0, 1.4, 2.25, 4.5, 8, 17, 50, 80, 100],
  ],
  LOW: [
    [0.7, 1.85],
    [0, 2, 3.8],
    [0, 1.1, 1.38, 26],
    [0, 0, 2.2, 7.9, 90],
    [0, 0, 1.5, 4.2, 13, 300],
    [0, 0, 1.1, 2, 6.2, 100, 700],
    [0, 0, 1.1, 1.6, 3.5, 15, 225, 700],
    [0, 0, 1.1, 1.5, 2, 5.5, 39, 100, 800],
    [0, 0, 1.1, 1.3, 1.7, 2.5, 7.5, 50, 250, 1000],
    [0, 0, 1.1, 1.2, 1.3, 1.8, 3.5, 13, 50, 250, 1000],
  ],
  MEDIUM: [
    [0.4, 2.75],
    [0, 1.8, 5.1],
    [0, 0, 2.8, 50],
    [0, 0, 1.7, 10, 100],
    [0, 0, 1.4, 4, 14, 390],
    [0, 0, 0, 3, 9, 180, 710],
    [0, 0, 0, 2, 7, 30, 400, 800],
    [0, 0, 0, 2, 4, 11, 67, 400, 900],
    [0, 0, 0, 2, 2.5, 5, 15, 100, 500, 1000],
    [0, 0, 0, 1.6, 2, 4, 7, 26, 100, 500, 1000],
  ],
  HIGH: [
    [0, 3.96],
    [0, 0, 17.1],
    [0, 0, 0, 81.5],
    [0, 0, 0, 10, 259],
    [0, 0, 0, 4.5, 48, 450],
    [0, 0, 0, 0, 11, 350, 710],
    [0, 0, 0, 0, 7, 90, 400, 800],
    [0, 0, 0, 0, 5, 20, 270, 600, 900],
    [0, 0, 0, 0, 4, 11, 56, 500, 800, 1000],
    [0, 0, 0, 0, 3.5, 8, 13, 63, 500, 800, 1000],
  ],
};

/** The multipliers in hundredths (units of 1 / KENO_SCALE): KENO_TABLE[risk][selected numbers − 1][hits]. */
export const KENO_TABLE = byRisk((rows) => rows.map(inHundredths));

/** The multipliers in the form of the config: risk → number of selected numbers ("1" … "10") → multipliers by number of hits. */
export const KENO_MULTIPLIERS = byRisk((rows) =>
  Object.fromEntries(rows.map((row, i) => [`${i + 1}`, [...row]])),
);

/** Returns true if no number is selected twice. */
export function areDifferent(selected: readonly number[]): boolean {
  return new Set(selected).size === selected.length;
}

/** The stored and displayed outcome. `results` are in draw order. */
export type KenoOutcome = { results: number[]; multiplier: number };

/** Plays an allowed bet: draws ten numbers. The number of hits determines the multiplier. */
export function playKeno({ risk, selected }: KenoInputs, next: Next) {
  const results = draw(BOARD, KENO_DRAWN, next);
  const hits = hitsOf(selected, results);
  const row = selected.length - 1;
  const outcome: KenoOutcome = { results, multiplier: MULTIPLIERS[risk][row]![hits]! };
  return { outcome, multiplier: KENO_TABLE[risk][row]![hits]!, scale: KENO_SCALE };
}

/** Replays a stored bet. Returns undefined if the inputs are invalid. */
export function replayKeno({ inputs }: StoredBet, next: Next): Replayed | undefined {
  const bet = inputs as KenoInputs;
  return isAccepted(bet) ? replayed(playKeno(bet, next)) : undefined;
}

function hitsOf(selected: readonly number[], results: readonly number[]): number {
  let hits = 0;
  for (const number of results) if (selected.includes(number)) hits++;
  return hits;
}

function isAccepted({ risk, selected }: KenoInputs): boolean {
  if (!KENO_RISKS.includes(risk) || !Array.isArray(selected)) return false;
  const isOnBoard = (n: number) => Number.isInteger(n) && n >= 1 && n <= KENO_NUMBERS;
  const isCount = selected.length >= 1 && selected.length <= KENO_MOST;
  return isCount && selected.every(isOnBoard) && areDifferent(selected);
}

function byRisk<T>(of: (rows: readonly (readonly number[])[]) => T): Readonly<Record<KenoRisk, T>> {
  const tables = KENO_RISKS.map((risk) => [risk, of(MULTIPLIERS[risk])]);
  return Object.fromEntries(tables);
}
