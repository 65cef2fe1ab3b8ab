import { describe, expect, test } from 'vitest';
import type { Next } from '../../src/modules/games/betting/rules.ts';
import { hashServerSeed, stream } from '../../src/modules/games/fairness/hash.ts';
import { failuresOf } from '../report/text.ts';
import type { Case } from './case.ts';
import { casesOf, GAMES } from './cases.ts';
import { BANDS, type CaseResult, judgeAll, leastP } from './judge.ts';
import { type PlannedCase, planCases, roundsOf } from './plan.ts';
import { playTask } from './play.ts';
import { playAll } from './pool.ts';
import { countedStream, seedsOf, type Task } from './streams.ts';
import { createTally } from './tally.ts';

/** Number of rounds per game. The seed string determines all seeds, so the tests always give the same result. */
const ROUNDS = 15_000;
const SEED = 'a fixed seed';

const planned = planCases({ run: SEED, games: GAMES, rounds: ROUNDS });
const run = (cases: readonly PlannedCase[]): CaseResult[] =>
  judgeAll(
    cases,
    cases.flatMap(({ of, tasks }) => tasks.map((task) => playTask(task, of))),
  );

describe('statistics of the shipped rules', () => {
  const results = run(planned);

  test('finds no statistically significant deviation in the simulated rounds of every game', () => {
    const byGame = (game: string) => results.filter(({ of }) => of.game === game);
    for (const game of GAMES) {
      const rounds = byGame(game).reduce((sum, { tally }) => sum + tally.rounds, 0);
      expect(rounds).toBeGreaterThanOrEqual(ROUNDS);
    }
    expect(failuresOf(results, leastP(results))).toEqual([]);
  });

  test.each(planned.map(({ of }, i) => [of.game, of.name, i] as const))(
    '%s %s returns a value within its band',
    (_, __, i) => {
      const { actual, error, of, tests } = results[i]!;
      expect(tests.map(({ what }) => what)).toContain('return');
      // When the largest prizes are rare, the test uses the exact distribution.
      const isWithin = Math.abs(actual - of.expected) <= BANDS.p999 * error || tests[0]!.p > 0.001;
      expect(isWithin).toBe(true);
    },
  );
});

describe('detection of faults', { timeout: 240_000 }, () => {
  /**
   * Simulates a draw with a wrong divisor: the words never reach the top 3 % of the range. The word tests still receive the unchanged
   * words.
   */
  const short =
    (next: Next): Next =>
    () =>
      Math.floor(next() * 0.97);
  const bent = ({ of, tasks }: PlannedCase): PlannedCase => ({
    tasks,
    of: {
      ...of,
      play: ({ next, again }, recorder) =>
        of.play({ next: short(next), again: () => short(again()) }, recorder),
    },
  });

  test.each(GAMES)('detects missing random words in the draws of %s', (game) => {
    const cases = planned.filter(({ of }) => of.game === game).map(bent);
    const results = run(cases);
    const failures = failuresOf(results, leastP(results));
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.map(({ test: { what } }) => what)).not.toContain('words: upper byte');
  });

  test('detects a simulated return that differs from the return of the rules', () => {
    const [first] = planned.filter(({ of }) => of.game === 'limbo');
    const { prizes: _, ...of } = first!.of;
    const results = run([{ ...first!, of: { ...of, expected: of.expected + 0.02 } }]);
    expect(failuresOf(results, leastP(results)).map(({ test: { what } }) => what)).toEqual(['return']);
  });

  test('stops the simulation when a game pays a prize that is not in its rules', () => {
    const [task] = planned[0]!.tasks;
    const of: Case = { ...planned[0]!.of, play: (_, recorder) => recorder.round(10n ** 8n, 3n * 10n ** 8n) };
    expect(() => playTask(task!, of)).toThrow('a bet paid 3 stakes, which is not a prize in its rules');
    const { recorder } = createTally([2], () => true);
    expect(() => recorder.round(10n ** 8n, 1n)).toThrow('not a multiple');
    expect(() => recorder.mark(0, 2)).toThrow('no cell 2');
  });

  test('detects repeated random words with the runs test and the serial test', () => {
    const [task] = planned[0]!.tasks;
    const { tally, countWord } = createTally([], () => true);
    for (const { serverSeed, clientSeed, nonce } of seedsOf({ ...task!, streams: 1000 })) {
      const u = stream(serverSeed, clientSeed, nonce)();
      countWord(u);
      countWord(u);
    }
    const results = judgeAll([{ of: { ...planned[0]!.of, spreads: [] }, tasks: [task!] }], [tally]);
    const small = results[0]!.tests.filter(({ p }) => p < 1e-6).map(({ what }) => what);
    expect(small).toEqual(expect.arrayContaining(['words: runs', 'words: neighbours']));
  });
});

describe('tasks', { timeout: 240_000 }, () => {
  const task: Task = { run: 'r', game: 'speed-roulette', caseName: 'RED', part: 0, streams: 4, perStream: 1 };

  test('uses the seeds of a chain in reverse order, so that each seed hashes to the previous one', () => {
    const seeds = [...seedsOf(task)];
    expect(seeds.map(({ nonce }) => nonce)).toEqual([1, 2, 3, 4]);
    for (const [i, { serverSeed }] of seeds.slice(1).entries()) {
      expect(hashServerSeed(serverSeed)).toBe(seeds[i]!.serverSeed);
    }
  });

  test('starts each seed pair at nonce 0, and uses a different pair for each part of a task and for each run', () => {
    const pair = [...seedsOf({ ...task, game: 'dice' })];
    expect(pair.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3]);
    expect(new Set(pair.map(({ serverSeed }) => serverSeed)).size).toBe(1);
    expect([...seedsOf({ ...task, game: 'dice', part: 1 })][0]!.serverSeed).not.toBe(pair[0]!.serverSeed);
    expect([...seedsOf({ ...task, game: 'dice', run: 's' })][0]!.serverSeed).not.toBe(pair[0]!.serverSeed);
  });

  test("returns the same random numbers when a round's numbers are requested again, and counts each number once", () => {
    const counted: number[] = [];
    let at = 0;
    const { next, again } = countedStream(
      () => at++,
      (u) => {
        counted.push(u);
        return u;
      },
    );
    const second = again();
    expect([next(), next(), second(), second(), second(), next()]).toEqual([0, 1, 0, 1, 2, 2]);
    expect(counted).toEqual([0, 1, 2]);
  });

  test('divides the rounds of a game evenly among its cases, with one or eight rounds per stream', () => {
    const rounds = (perStream: 1 | 8) =>
      planCases({ run: SEED, games: ['dice'], rounds: 40_000, perStream }).map(({ tasks }) => ({
        streams: tasks.reduce((sum, { streams }) => sum + streams, 0),
        rounds: tasks.reduce((sum, one) => sum + roundsOf(one), 0),
      }));
    expect(rounds(1)).toEqual(casesOf('dice').map(() => ({ streams: 8000, rounds: 8000 })));
    expect(rounds(8)).toEqual(casesOf('dice').map(() => ({ streams: 1000, rounds: 8000 })));
  });

  test('returns the same tallies with worker threads as in a single process', async () => {
    const cases = planCases({ run: SEED, games: ['roulette', 'blackjack'], rounds: 1000 });
    const tasks = cases.flatMap((one) => one.tasks);
    let done = 0;
    const tallies = await playAll(tasks, (rounds) => {
      done += rounds;
    });
    expect(tallies).toEqual(cases.flatMap(({ of, tasks: own }) => own.map((one) => playTask(one, of))));
    expect(done).toBe(tasks.reduce((sum, one) => sum + roundsOf(one), 0));
  });

  test('ends the run when a worker thread fails', async () => {
    await expect(playAll([{ ...task, caseName: 'PINK' }], () => undefined)).rejects.toThrow('no case PINK');
  });
});
