import { expect, test } from 'vitest';
import { isFull } from '../../test/kit/length.ts';
import type { ReturningGame } from '../games.ts';
import { failuresOf } from '../report/text.ts';
import { GAMES } from './cases.ts';
import { BANDS, judgeAll, leastP } from './judge.ts';
import { planCases } from './plan.ts';
import { playAll } from './pool.ts';

/** Unless the run is a full one, only a fifth of the rounds are played. */
const SHARE = isFull ? 1 : 5;
const NUMBERS = 10_000_000 / SHARE;
/**
 * Games that use one number per round. Every number of a block is used for a round, so 10^7 rounds need only an eighth of that number of
 * hashes.
 */
const ONE_NUMBER = ['dice', 'limbo', 'roulette', 'speed-roulette'] as const;
/** The other games draw 1 to 52 numbers a round. Enough rounds are played to use at least 10^7 numbers. */
const OTHERS = {
  keno: 1_000_000,
  plinko: 1_000_000,
  mines: 1_250_000,
  'monkey-run': 2_500_000,
  blackjack: 1_000_000,
  'seven-orchards': 2_000_000,
} as const;
/** The string from which all seeds are derived. */
const SEED = 'statistics';

test('draws at least 10^7 numbers for each game with frequencies that match the exact probabilities', {
  timeout: 1_800_000,
}, async () => {
  const cases = [
    ...planCases({ run: SEED, games: ONE_NUMBER, rounds: NUMBERS, perStream: 8 }),
    ...Object.entries(OTHERS).flatMap(([game, rounds]) =>
      planCases({ run: SEED, games: [game as ReturningGame], rounds: rounds / SHARE }),
    ),
  ];
  const tallies = await playAll(
    cases.flatMap(({ tasks }) => tasks),
    () => undefined,
  );
  const results = judgeAll(cases, tallies);
  for (const game of GAMES) {
    const own = results.filter(({ of }) => of.game === game);
    expect(own.reduce((sum, { tally }) => sum + tally.words.words, 0)).toBeGreaterThanOrEqual(NUMBERS);
  }
  const outside = results.filter(
    ({ actual, error, of }) => Math.abs(actual - of.expected) > BANDS.p999 * error,
  );
  expect(outside.map(({ of, actual }) => [of.game, of.name, of.expected, actual])).toEqual([]);
  expect(failuresOf(results, leastP(results))).toEqual([]);
});
