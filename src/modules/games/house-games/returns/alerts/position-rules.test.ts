import { describe, expect, test } from 'vitest';
import type { Next } from '../../../betting/rules.ts';
import { firstNumber, stream } from '../../../fairness/hash.ts';
import { pick } from '../../../fairness/rules.ts';
import { actBlackjack, beginBlackjack, dealtCards } from '../../blackjack/rules.ts';
import { availableActions, shuffledDeck } from '../../blackjack/table/rules.ts';
import { playKeno } from '../../keno/rules.ts';
import { countPositions, noCounts, type SeenBets, type TestedGame, testPositions } from './rules.ts';

const seen = (game: string, outcome: unknown, more: Partial<SeenBets> = {}): SeenBets => ({
  sign: 1 as const,
  bets: 1,
  gameId: 7,
  game,
  outcome,
  hour: new Date('2026-11-21T12:00:00Z'),
  isSeeded: true,
  ...more,
});
/** The indexes of the counted cells. */
const cellsOf = (bet: SeenBets) =>
  countPositions([bet]).flatMap(({ counts }) => counts.flatMap((n, cell) => (n === 1 ? [cell] : [])));
const table = (hands: number[][], dealer: number[]) => ({
  hands: hands.map((cards) => ({ cards })),
  dealer: { cards: dealer },
});

describe('positions of a bet', () => {
  test('adds or subtracts bets with equal outcomes as one group', () => {
    const outcome = { randomPosition: 5 };
    const [day] = countPositions([
      seen('roulette', outcome, { bets: 4 }),
      seen('roulette', outcome, { bets: 3, sign: -1 }),
    ]);
    expect(day!.counts).toEqual(noCounts('roulette').with(5, 1));
  });

  test('counts the pocket, the ten numbers, or the first four cards in their order', () => {
    expect(cellsOf(seen('roulette', { randomPosition: 36 }))).toEqual([36]);
    expect(cellsOf(seen('keno', { results: [40, 1, 2, 3, 4, 5, 6, 7, 8, 9] }))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 39,
    ]);
    const four = [0, 52 + 51, 104 + 9, 156 + 10];
    expect(cellsOf(seen('blackjack', table([[1, 52, 30]], [10, 11, 12])))).toEqual(four);
    expect(
      cellsOf(
        seen(
          'blackjack',
          table(
            [
              [1, 20, 21],
              [52, 22],
            ],
            [10, 11],
          ),
        ),
      ),
    ).toEqual(four);
  });

  test('counts nothing without seeds, because the cards of a prearranged deck are not random', () => {
    expect(cellsOf(seen('blackjack', table([[1, 52]], [10, 11]), { isSeeded: false }))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['dice', { randomPosition: 3 }],
    ['speed-roulette', { position: 3 }],
    ['toString', {}],
    ['roulette', null],
    ['roulette', { randomPosition: 37 }],
    ['roulette', { randomPosition: -1 }],
    ['roulette', { randomPosition: 1.5 }],
    ['keno', { results: [1, 2, 3] }],
    ['keno', { results: [1, 1, 2, 3, 4, 5, 6, 7, 8, 9] }],
    ['keno', { results: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }],
    ['blackjack', table([[1, 2]], [3])],
    ['blackjack', table([], [3, 4])],
    ['blackjack', table([[1, 53]], [3, 4])],
  ])('counts nothing in %s for %j', (game, outcome) => expect(cellsOf(seen(game, outcome))).toEqual([]));

  test('groups positions by game and UTC day', () => {
    const at = (text: string) => ({ hour: new Date(text) });
    const days = countPositions([
      seen('roulette', { randomPosition: 3 }, at('2026-11-21T23:00:00.000Z')),
      seen('roulette', { randomPosition: 4 }, at('2026-11-22T00:00:00.000Z')),
      seen('roulette', { randomPosition: 4 }, at('2026-11-22T23:00:00.000Z')),
      seen('keno', { results: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, { gameId: 8 }),
    ]);
    expect(days.map(({ gameId, day, counts }) => [gameId, new Date(day).toISOString(), counts[4]])).toEqual([
      [7, '2026-11-21T00:00:00.000Z', 0],
      [7, '2026-11-22T00:00:00.000Z', 2],
      [8, '2026-11-21T00:00:00.000Z', 1],
    ]);
  });
});

const TERMS = {
  betUsd: 10n ** 9n,
  stake: 10n ** 9n,
  rate: 10n ** 12n,
  decimals: 8,
  maxProfitUsd: 10n ** 15n,
};

test('reads the first four cards of the deck from a finished round, whatever actions the player took', () => {
  let splits = 0;
  for (let nonce = 0; nonce < 400; nonce++) {
    const next = () => stream('cards', 'client', nonce);
    let turn = beginBlackjack({ ...TERMS, side: undefined }, next());
    for (let i = 0; turn.end === undefined; i++) {
      const state = turn.state!;
      const allowed = availableActions(state.table);
      const isSplit = allowed.includes('SPLIT');
      const action = isSplit ? 'SPLIT' : allowed[(nonce + i) % allowed.length]!;
      if (isSplit) splits++;
      turn = actBlackjack({ ...TERMS, state }, action, next())!;
    }
    expect(dealtCards((turn.end as { outcome: object }).outcome)).toEqual(shuffledDeck(next()).slice(0, 4));
  }
  expect(splits).toBeGreaterThan(20);
});

describe('a position test', () => {
  /** Counts that are equal in all but two cells. */
  const uneven = (game: TestedGame, each: number, by: number) => {
    const counts = noCounts(game).map(() => each);
    counts[0]! += by;
    counts[1]! -= by;
    return testPositions(game, counts);
  };

  // The chi-square values at the 1 % level are 58.619, 29.141, 62.428 and 253.9.
  test.each<[TestedGame, number, number, number, number]>([
    ['roulette', 36, 171, (2 * 171 ** 2) / 1000, 37_000],
    ['speed-roulette', 14, 120, (2 * 120 ** 2) / 1000, 15_000],
    ['keno', 39, 154, ((2 * 154 ** 2) / 1000) * (39 / 30), 4000],
    ['blackjack', 204, 356, (2 * 356 ** 2) / 1000, 52_000],
  ])(
    'fails a test of %s below one percent with %i degrees of freedom',
    (game, degrees, by, statistic, rounds) => {
      const passed = uneven(game, 1000, by);
      expect(passed).toMatchObject({ verdict: 'INSIDE', degrees, rounds });
      expect(passed.statistic).toBeCloseTo(statistic, 9);
      expect(passed.p).toBeGreaterThan(0.01);
      expect(uneven(game, 1000, by + 1)).toMatchObject({ verdict: 'OUTSIDE' });
      expect(uneven(game, 1000, by + 1).p).toBeLessThan(0.01);
    },
  );

  test.each<[TestedGame, number]>([
    ['roulette', 185],
    ['speed-roulette', 75],
    ['keno', 20],
    ['blackjack', 260],
  ])('for %s, requires at least %i rounds, which is five rounds per cell', (game, least) => {
    const counts = (rounds: number) => {
      const cells = noCounts(game);
      for (let i = 0; i < rounds * (game === 'keno' ? 10 : game === 'blackjack' ? 4 : 1); i++)
        cells[i % cells.length]! += 1;
      return cells;
    };
    expect(testPositions(game, counts(least - 1))).toMatchObject({ verdict: 'FEW', rounds: least - 1 });
    expect(testPositions(game, counts(least))).toMatchObject({ verdict: 'INSIDE', rounds: least });
    expect(testPositions(game, noCounts(game))).toMatchObject({ verdict: 'FEW', rounds: 0 });
  });

  /** Test statistics of sets of rounds that are played with the game's own rules. */
  const played = (game: TestedGame, sets: number, rounds: number, play: (nonce: number) => SeenBets) =>
    Array.from({ length: sets }, (_, set) => {
      const bets = Array.from({ length: rounds }, (__, i) => play(set * rounds + i));
      return testPositions(game, countPositions(bets)[0]!.counts);
    });
  const first = (nonce: number) => firstNumber('of-positions', 'client', nonce);
  const next = (nonce: number): Next => stream('of-positions', 'client', nonce);

  test.each<[TestedGame, number, number, number, (nonce: number) => SeenBets]>([
    ['roulette', 36, 400, 200, (n) => seen('roulette', { randomPosition: pick(first(n), 37) })],
    ['keno', 39, 400, 40, (n) => seen('keno', playKeno({ risk: 'LOW', selected: [1] }, next(n)).outcome)],
    [
      'blackjack',
      204,
      60,
      260,
      (n) => {
        const [a, b, up, hole] = shuffledDeck(next(n)) as [number, number, number, number];
        return seen('blackjack', table([[a, b]], [up, hole]));
      },
    ],
  ])(
    'has for fair rounds of %s the mean and variance of chi-square with %i degrees of freedom',
    (game, degrees, sets, rounds, play) => {
      const tests = played(game, sets, rounds, play);
      const mean = tests.reduce((sum, { statistic }) => sum + statistic, 0) / sets;
      const variance = tests.reduce((sum, { statistic }) => sum + (statistic - mean) ** 2, 0) / (sets - 1);
      // The tolerance for each value is four standard errors.
      expect(Math.abs(mean - degrees)).toBeLessThan(4 * Math.sqrt((2 * degrees) / sets));
      expect(Math.abs(variance / (2 * degrees) - 1)).toBeLessThan(4 * Math.sqrt(2 / sets));
      const failed = tests.filter(({ verdict }) => verdict === 'OUTSIDE').length;
      expect(failed).toBeLessThan(sets * 0.01 + 4 * Math.sqrt(sets * 0.01));
    },
  );
});
