import type { Next } from '../../betting/rules.ts';
import { pick } from '../../fairness/rules.ts';
import { inHundredths, type Replayed, replayed, type StoredBet } from '../rules.ts';

export const PLINKO_RISKS = ['LOW', 'MEDIUM', 'HIGH'] as const;
export type PlinkoRisk = (typeof PLINKO_RISKS)[number];

/** `rowsCount`: an integer from 8 to 16. */
export type PlinkoInputs = { risk: PlinkoRisk; rowsCount: number };

export const PLINKO_SCALE = 100n;
export const PLINKO_ROWS = { least: 8, most: 16 } as const;

/** Number of rows → multipliers of the buckets from far left to far right. */
type Boards<T> = Readonly<Record<number, readonly T[]>>;

const MULTIPLIERS: Readonly<Record<PlinkoRisk, Boards<number>>> = {
  LOW: {
    8: [5.6, 2.1, 1.1, 1, 0.5, 1, 1.1, 2.1, 5.6],
    9: [5.6, 2, 1.6, 1, 0.7, 0.7, 1, 1.6, 2, 5.6],
    10: [8.9, 3, 1.4, 1.1, 1, 0.5, 1, 1.1, 1.4, 3, 8.9],
    11: [8.4, 3, 1.9, 1.3, 1, 0.7, 0.7, 1, 1.3, 1.9, 3, 8.4],
    12: [10, 3, 1.6, 1.4, 1.1, 1, 0.5, 1, 1.1, 1.4, 1.6, 3, 10],
    13: [8.1, 4, 3, 1.9, 1.2, 0.9, 0.7, 0.7, 0.9, 1.2, 1.9, 3, 4, 8.1],
    14: [7.1, 4, 1.9, 1.4, 1.3, 1.1, 1, 0.5, 1, 1.1, 1.3, 1.4, 1.9, 4, 7.1],
    15: [15, 8, 3, 2, 1.5, 1.1, 1, 0.7, 0.7, 1, 1.1, 1.5, 2, 3, 8, 15],
    16: [16, 9, 2, 1.4, 1.4, 1.2, 1.1, 1, 0.5, 1, 1.1, 1.2, 1.4, 1.4, 2, 9, 16],
  },
  MEDIUM: {
    8: [13, 3, 1.3, 0.7, 0.4, 0.7, 1.3, 3, 13],
    9: [18, 4, 1.7, 0.9, 0.5, 0.5, 0.9, 1.7, 4, 18],
    10: [22, 5, 2, 1.4, 0.6, 0.4, 0.6, 1.4, 2, 5, 22],
    11: [24, 6, 3, 1.8, 0.7, 0.5, 0.5, 0.7, 1.8, 3, 6, 24],
    12: [33, 11, 4, 2, 1.1, 0.6, 0.3, 0.6, 1.1, 2, 4, 11, 33],
    13: [43, 13, 6, 3, 1.3, 0.7, 0.4, 0.4, 0.7, 1.3, 3, 6, 13, 43],
    14: [58, 15, 7, 4, 1.9, 1, 0.5, 0.2, 0.5, 1, 1.9, 4, 7, 15, 58],
    15: [88, 18, 11, 5, 3, 1.3, 0.5, 0.3, 0.3, 0.5, 1.3, 3, 5, 11, 18, 88],
    16: [110, 41, 10, 5, 3, 1.5, 1, 0.5, 0.3, 0.5, 1, 1.5, 3, 5, 10, 41, 110],
  },
  HIGH: {
    8: [29, 4, 1.5, 0.3, 0.2, 0.3, 1.5, 4, 29],
    9: [43, 7, 2, 0.6, 0.2, 0.2, 0.6, 2, 7, 43],
    10: [76, 10, 3, 0.9, 0.3, 0.2, 0.3, 0.9, 3, 10, 76],
    11: [120, 14, 5.2, 1.4, 0.4, 0.2, 0.2, 0.4, 1.4, 5.2, 14, 120],
    12: [170, 24, 8.1, 2, 0.7, 0.2, 0.2, 0.2, 0.7, 2, 8.1, 24, 170],
    13: [260, 37, 11, 4, 1, 0.2, 0.2, 0.2, 0.2, 1, 4, 11, 37, 260],
    14: [420, 56, 18, 5, 1.9, 0.3, 0.2, 0.2, 0.2, 0.3, 1.9, 5, 18, 56, 420],
    15: [620, 83, 27, 8, 3, 0.5, 0.2, 0.2, 0.2, 0.2, 0.5, 3, 8, 27, 83, 620],
    16: [1000, 130, 26, 9, 4, 2, 0.2, 0.2, 0.2, 0.2, 0.2, 2, 4, 9, 26, 130, 1000],
  },
};

/** The multipliers in hundredths (units of 1 / PLINKO_SCALE): PLINKO_TABLE[risk][rowsCount][bucket]. */
export const PLINKO_TABLE: Readonly<Record<PlinkoRisk, Boards<bigint>>> = {
  LOW: exact(MULTIPLIERS.LOW),
  MEDIUM: exact(MULTIPLIERS.MEDIUM),
  HIGH: exact(MULTIPLIERS.HIGH),
};

/** The stored and displayed outcome. `results`: 0 for left and 1 for right, from the top row down. */
export type PlinkoOutcome = { results: number[]; multiplier: number };

/** Plays an allowed bet with one number per row. The index of the bucket is the number of moves to the right. */
export function playPlinko({ risk, rowsCount }: PlinkoInputs, next: Next) {
  const results: number[] = [];
  let bucket = 0;
  for (let row = 0; row < rowsCount; row++) {
    const turn = pick(next(), 2);
    results.push(turn);
    bucket += turn;
  }
  const outcome: PlinkoOutcome = { results, multiplier: MULTIPLIERS[risk][rowsCount]![bucket]! };
  return { outcome, multiplier: PLINKO_TABLE[risk][rowsCount]![bucket]!, scale: PLINKO_SCALE };
}

/** Replays a stored bet. Returns undefined if the inputs are invalid. */
export function replayPlinko({ inputs }: StoredBet, next: Next): Replayed | undefined {
  const bet = inputs as PlinkoInputs;
  const { least, most } = PLINKO_ROWS;
  const isRows = Number.isInteger(bet.rowsCount) && bet.rowsCount >= least && bet.rowsCount <= most;
  return isRows && PLINKO_RISKS.includes(bet.risk) ? replayed(playPlinko(bet, next)) : undefined;
}

function exact(boards: Boards<number>): Boards<bigint> {
  return Object.fromEntries(Object.entries(boards).map(([rows, row]) => [rows, inHundredths(row)]));
}
