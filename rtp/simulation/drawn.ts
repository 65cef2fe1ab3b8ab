import {
  KENO_DRAWN,
  KENO_NUMBERS,
  KENO_SCALE,
  KENO_TABLE,
  type KenoRisk,
  playKeno,
} from '../../src/modules/games/house-games/keno/rules.ts';
import {
  PLINKO_SCALE,
  PLINKO_TABLE,
  type PlinkoRisk,
  playPlinko,
} from '../../src/modules/games/house-games/plinko/rules.ts';
import { choose, toNumber } from '../exact/fraction.ts';
import { kenoWays } from '../exact/tables.ts';
import { type Case, evenly, numbers, prizeCase, settle } from './case.ts';

/** Returns a keno case in which the player selects `count` numbers, spread over the board. */
function kenoCase(risk: KenoRisk, count: number): Case {
  const selected = numbers(1, count).map((i) => ((Number(i) * 7) % KENO_NUMBERS) + 1);
  const row = KENO_TABLE[risk][count - 1]!;
  const all = choose(KENO_NUMBERS, KENO_DRAWN);
  const chances = row.map((_, hits) => toNumber({ value: kenoWays(count, hits), whole: all }));
  return prizeCase({
    game: 'keno',
    name: `${risk}, ${count} selected`,
    prizes: row.map((pays, hits) => ({ pays: Number(pays) / Number(KENO_SCALE), chance: chances[hits]! })),
    spreads: [
      { what: 'hits', labels: numbers(0, count), chances, drawn: 1 },
      evenly('number', numbers(1, KENO_NUMBERS), KENO_DRAWN),
      evenly('first number', numbers(1, KENO_NUMBERS)),
      evenly('last number', numbers(1, KENO_NUMBERS)),
    ],
    play({ next }, recorder) {
      const played = playKeno({ risk, selected }, next);
      const { results } = played.outcome;
      recorder.mark(0, results.filter((number) => selected.includes(number)).length);
      for (const number of results) recorder.mark(1, number - 1);
      recorder.mark(2, results[0]! - 1);
      recorder.mark(3, results.at(-1)! - 1);
      settle(recorder, played);
    },
  });
}

function plinkoCase(risk: PlinkoRisk, rowsCount: number): Case {
  const chances = numbers(0, rowsCount).map((k) =>
    toNumber({ value: choose(rowsCount, Number(k)), whole: 1n << BigInt(rowsCount) }),
  );
  const table = PLINKO_TABLE[risk][rowsCount]!;
  return prizeCase({
    game: 'plinko',
    name: `${risk}, ${rowsCount} rows`,
    prizes: table.map((pays, bucket) => ({
      pays: Number(pays) / Number(PLINKO_SCALE),
      chance: chances[bucket]!,
    })),
    spreads: [{ what: 'bucket', labels: numbers(0, rowsCount), chances, drawn: 1 }],
    play({ next }, recorder) {
      const played = playPlinko({ risk, rowsCount }, next);
      recorder.mark(
        0,
        played.outcome.results.reduce((sum, turn) => sum + turn, 0),
      );
      settle(recorder, played);
    },
  });
}

export const DRAWN_CASES: readonly Case[] = [
  kenoCase('CLASSIC', 10),
  kenoCase('LOW', 5),
  kenoCase('MEDIUM', 3),
  kenoCase('HIGH', 4),
  kenoCase('CLASSIC', 1),
  plinkoCase('LOW', 8),
  plinkoCase('MEDIUM', 12),
  plinkoCase('HIGH', 8),
  plinkoCase('HIGH', 16),
  plinkoCase('LOW', 15),
];
