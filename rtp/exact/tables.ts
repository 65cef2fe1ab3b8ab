import {
  KENO_DRAWN,
  KENO_MOST,
  KENO_NUMBERS,
  KENO_RISKS,
  KENO_SCALE,
  KENO_TABLE,
  type KenoRisk,
} from '../../src/modules/games/house-games/keno/rules.ts';
import {
  PLINKO_RISKS,
  PLINKO_ROWS,
  PLINKO_SCALE,
  PLINKO_TABLE,
  type PlinkoRisk,
} from '../../src/modules/games/house-games/plinko/rules.ts';
import { ROULETTE_POSITIONS } from '../../src/modules/games/house-games/roulette/layout/rules.ts';
import { POCKETS } from '../../src/modules/games/house-games/roulette/rules.ts';
import { choose, extremes, type Fraction, percent, sum } from './fraction.ts';
import type { Prizes } from './smallest.ts';

/** Returns the number of the C(40, 10) draws that contain exactly `hits` of `count` selected numbers. */
export function kenoWays(count: number, hits: number): bigint {
  return choose(count, hits) * choose(KENO_NUMBERS - count, KENO_DRAWN - hits);
}

function kenoReturn(risk: KenoRisk, count: number): Fraction {
  const row = KENO_TABLE[risk][count - 1]!;
  const value = sum(row.map((multiplier, hits) => multiplier * kenoWays(count, hits)));
  return { value, whole: KENO_SCALE * choose(KENO_NUMBERS, KENO_DRAWN) };
}

/** Returns the prizes of every combination of risk and count. */
export const kenoBets = (): Prizes[] =>
  KENO_RISKS.flatMap((risk) =>
    KENO_TABLE[risk].map((row, i) => ({
      whole: choose(KENO_NUMBERS, KENO_DRAWN),
      prizes: row.map((multiplier, hits) => ({ multiplier, scale: KENO_SCALE, ways: kenoWays(i + 1, hits) })),
    })),
  );

/** Returns the RTP for 1 to 10 selected numbers, by risk. */
export function kenoReturns(): Record<KenoRisk, string[]> {
  const of = (risk: KenoRisk) =>
    Array.from({ length: KENO_MOST }, (_, i) => percent(kenoReturn(risk, i + 1)));
  return byName(KENO_RISKS, of);
}

function plinkoReturn(risk: PlinkoRisk, rows: number): Fraction {
  const buckets = PLINKO_TABLE[risk][rows]!;
  if (buckets.length !== rows + 1) throw new Error(`plinko ${risk} ${rows} has ${buckets.length} buckets`);
  const value = sum(buckets.map((multiplier, bucket) => multiplier * choose(rows, bucket)));
  return { value, whole: PLINKO_SCALE << BigInt(rows) };
}

/** Returns the prizes of every combination of risk and rows. */
export const plinkoBets = (): Prizes[] =>
  PLINKO_RISKS.flatMap((risk) =>
    Object.entries(PLINKO_TABLE[risk]).map(([rows, buckets]) => ({
      whole: 1n << BigInt(rows),
      prizes: buckets.map((multiplier, bucket) => ({
        multiplier,
        scale: PLINKO_SCALE,
        ways: choose(Number(rows), bucket),
      })),
    })),
  );

/** Returns the RTP by risk and number of rows. */
export function plinkoReturns(): Record<PlinkoRisk, Record<string, string>> {
  const { least, most } = PLINKO_ROWS;
  const rows = Array.from({ length: most - least + 1 }, (_, i) => `${least + i}`);
  return byName(PLINKO_RISKS, (risk) => byName(rows, (row) => percent(plinkoReturn(risk, Number(row)))));
}

/** Returns the prizes of each single position. */
export const rouletteBets = (): Prizes[] =>
  ROULETTE_POSITIONS.map(({ pays, wins }) => ({
    whole: BigInt(POCKETS),
    prizes: [{ multiplier: pays, scale: 1n, ways: BigInt(wins.size) }],
  }));

/** Computes the RTP of every position on the layout. */
export function rouletteReturns() {
  const points = ROULETTE_POSITIONS.map((position) => ({
    at: position,
    of: { value: position.pays * BigInt(position.wins.size), whole: BigInt(POCKETS) },
  }));
  const { min, max, count } = extremes(points);
  return { bets: count, min: percent(min.of), max: percent(max.of) };
}

function byName<K extends string, V>(names: readonly K[], of: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, V>;
}
