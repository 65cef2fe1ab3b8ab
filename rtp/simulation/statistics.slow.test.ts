import { expect, test } from 'vitest';
import type { ReturningGame } from '../games.ts';
import { failuresOf } from '../report/text.ts';
import { GAMES } from './cases.ts';
import { BANDS, judgeAll, leastP } from './judge.ts';
import { planCases } from './plan.ts';
import { playAll } from './pool.ts';

/** Games that take one number: every number of a block is played, so 10^7 rounds cost an eighth as many hashes. */
const ONE_NUMBER = ['dice', 'limbo', 'roulette', 'speed-roulette'] as const;
/** The other games draw 1 to 52 numbers a round, as many rounds as take 10^7 of them or more. */
const OTHERS = {
  keno: 1_000_000,
  plinko: 1_000_000,
  mines: 1_250_000,
  'monkey-run': 2_500_000,
  blackjack: 1_000_000,
  'seven-orchards': 2_000_000,
} as const;
/** All seeds follow from it. About a minute on two cores that have nothing else to do. */
const SEED = 'statistics';

test('R04 10^7 numbers and more of each game agree with exact mathematics', {
  timeout: 1_800_000,
}, async () => {
  const cases = [
    ...planCases({ run: SEED, games: ONE_NUMBER, rounds: 10_000_000, perStream: 8 }),
    ...Object.entries(OTHERS).flatMap(([game, rounds]) =>
      planCases({ run: SEED, games: [game as ReturningGame], rounds }),
    ),
  ];
  const tallies = await playAll(
    cases.flatMap(({ tasks }) => tasks),
    () => undefined,
  );
  const results = judgeAll(cases, tallies);
  for (const game of GAMES) {
    const own = results.filter(({ of }) => of.game === game);
    expect(own.reduce((sum, { tally }) => sum + tally.words.words, 0)).toBeGreaterThanOrEqual(10_000_000);
  }
  const outside = results.filter(
    ({ actual, error, of }) => Math.abs(actual - of.expected) > BANDS.p999 * error,
  );
  expect(outside.map(({ of, actual }) => [of.game, of.name, of.expected, actual])).toEqual([]);
  expect(failuresOf(results, leastP(results))).toEqual([]);
});
