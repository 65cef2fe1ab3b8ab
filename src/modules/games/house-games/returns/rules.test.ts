import { describe, expect, test } from 'vitest';
import { stepMultiplier } from '../monkey-run/rules.ts';
import { ROULETTE_POSITIONS } from '../roulette/layout/rules.ts';
import { theoryOf } from './rules.ts';

const bet = (game: string, inputs: unknown, more: object = {}) =>
  theoryOf({ game, inputs, rtpBp: 9900, stake: 1, outcome: {}, ...more });
const percent = (part: number) => (100 * part).toFixed(6);

describe('dice', () => {
  const all = Array.from({ length: 10_001 }, (_, t) =>
    [true, false].map((above) => ({ threshold: t / 100, above })),
  )
    .flat()
    .flatMap((inputs) => bet('dice', inputs) ?? []);

  test('computes the same lowest and highest RTP as the published table', () => {
    expect(all).toHaveLength(19_600);
    const returns = all.map(({ expected }) => expected);
    expect([percent(Math.min(...returns)), percent(Math.max(...returns))]).toEqual([
      '98.980422',
      '98.990101',
    ]);
  });

  test('computes the mean and variance from all 10,001 results', () => {
    for (const inputs of [
      { threshold: 50, above: true },
      { threshold: 0.01, above: false },
      { threshold: 57.29, above: true },
    ]) {
      const limit = Math.round(inputs.threshold * 100);
      const wins = (roll: number) => (inputs.above ? roll > limit : roll < limit);
      const { most } = bet('dice', inputs)!;
      const paid = Array.from({ length: 10_001 }, (_, roll) => (wins(roll) ? most + 1 : 0));
      const mean = paid.reduce((a, b) => a + b, 0) / 10_001;
      const variance = paid.reduce((a, b) => a + (b - mean) ** 2, 0) / 10_001;
      const theory = bet('dice', inputs, { stake: 3 })!;
      expect(theory.expected).toBeCloseTo(3 * mean, 9);
      expect(theory.variance / (9 * variance)).toBeCloseTo(1, 9);
      expect(theory.most).toBeCloseTo(3 * most, 9);
    }
  });

  test('uses the RTP that applied when the bet was placed', () => {
    expect(bet('dice', { threshold: 50, above: true }, { rtpBp: 9050 })!.most).toBeCloseTo(0.81, 12);
  });
});

test.each([
  ['a game without theory', 'slot', {}],
  ['a name of every object', 'toString', {}],
  ['invalid inputs', 'dice', { threshold: 200, above: true }],
])('rejects %s', (_, game, inputs) => expect(bet(game, inputs)).toBeUndefined());

const six = (part: number) => (100 * part).toFixed(6);
const extremes = (theories: readonly { expected: number }[]) => {
  const all = theories.map(({ expected }) => expected);
  return [six(Math.min(...all)), six(Math.max(...all))];
};

describe('returns in the table (games.md, section 14)', () => {
  test('computes the published RTP of keno', () => {
    const row = (risk: string) =>
      Array.from({ length: 10 }, (_, i) => {
        const selected = Array.from({ length: i + 1 }, (__, n) => n + 1);
        return six(bet('keno', { risk, selected })!.expected);
      });
    expect(row('CLASSIC').join(' ')).toBe(
      '99.000000 99.038462 99.018219 98.960499 98.985803 98.966517 98.981535 99.022828 98.975340 99.037352',
    );
    expect(row('HIGH').join(' ')).toBe(
      '99.000000 98.653846 98.987854 98.905788 98.889375 98.998796 98.961786 98.957105 98.964456 99.008323',
    );
  });

  test('computes the published RTP of plinko', () => {
    const row = (risk: string) =>
      Array.from({ length: 9 }, (_, i) => six(bet('plinko', { risk, rowsCount: 8 + i })!.expected)).join(' ');
    expect(row('LOW')).toBe(
      '98.984375 98.984375 99.003906 99.003906 98.979492 98.999023 99.000244 99.000854 98.998718',
    );
    expect(row('HIGH')).toBe(
      '99.062500 99.062500 99.062500 99.160156 99.116211 99.086914 98.978271 99.026489 98.976440',
    );
  });

  test('computes the published RTP of limbo', () => {
    const at = (multiplier: number) => bet('limbo', { multiplier })!;
    expect(extremes([1.19, 2, 50, 999769.01].map(at))).toEqual(['99.000000', '99.023277']);
    expect(at(2).most).toBe(1);
    expect(at(2).variance).toBeCloseTo(4 * 0.495 - 0.9801, 6);
    expect(bet('limbo', { multiplier: 1 })).toBeUndefined();
  });

  test('computes an RTP of 36/37 for each roulette position and for all positions combined', () => {
    const amount = '1';
    const entries = ROULETTE_POSITIONS.map(({ type, numbers }) => ({ type, numbers, amount }));
    const all = [
      ...entries.map((entry) => bet('roulette', { bets: [entry] })!),
      bet('roulette', { bets: entries })!,
    ];
    expect(all).toHaveLength(158);
    expect(extremes(all)).toEqual(['97.297297', '97.297297']);
    expect(bet('roulette', { bets: [{ type: 'RED', amount }] })!.variance).toBeCloseTo(
      (4 * 18) / 37 - (36 / 37) ** 2,
      12,
    );
    const red = { type: 'RED', amount: '3' };
    const black = { type: 'BLACK', amount: '3' };
    // Exactly one of the two bets wins and pays back the whole stake, unless the result is zero.
    expect(bet('roulette', { bets: [red, black] }, { stake: 6 })!.variance).toBeCloseTo(
      36 * (36 / 37) * (1 / 37),
      9,
    );
    expect(bet('roulette', { bets: [{ type: 'SPLIT', numbers: [1, 9], amount }] })).toBeUndefined();
  });
});

describe('speed-roulette', () => {
  test.each([
    ['RED', 2, 7],
    ['BLACK', 2, 7],
    ['GREEN', 14, 1],
  ])('computes an RTP of 14/15 for %s, which pays %d in %i of 15 cases', (color, pays, ways) => {
    const theory = bet('speed-roulette', { color }, { stake: 3 })!;
    expect(six(theory.expected / 3)).toBe('93.333333');
    expect(theory.variance).toBeCloseTo(9 * ((ways / 15) * pays ** 2 - (14 / 15) ** 2), 9);
    expect(theory.most).toBe(3 * (pays - 1));
  });

  test("computes the variance of a bet together with the round's bets on all colours", () => {
    const of = (color: string, stake: number, ofAll: Record<string, number>) =>
      bet('speed-roulette', { color }, { stake, ofAll })!.variance;
    const [same, other] = [(7 / 15) * 4 - (14 / 15) ** 2, -((14 / 15) ** 2)];
    expect(of('RED', 3, { RED: 3 })).toBeCloseTo(9 * same, 9);
    expect(of('RED', 3, { RED: 10 })).toBeCloseTo(30 * same, 9);
    expect(of('RED', 3, { RED: 3, BLACK: 5, GREEN: 2 })).toBeCloseTo(9 * same + 21 * other, 9);
    // One dollar on black reduces the risk of a thousand dollars on red.
    expect(of('BLACK', 1, { RED: 1000, BLACK: 1 })).toBeCloseTo(same + 1000 * other, 9);
    // Stakes of seven on red, seven on black and one on green pay 14 for any result, so there is no risk.
    const all = { RED: 7, BLACK: 7, GREEN: 1 };
    for (const color of Object.keys(all)) expect(of(color, 1, all)).toBeCloseTo(0, 9);
  });
});

describe('games with many steps', () => {
  const mines = (opened: number, stake = 1) =>
    bet(
      'mines',
      { gridCellsCount: 25, bombsCount: 3, cellIndices: [0, 1, 2, 3] },
      { outcome: { opened, multiplier: 0 }, stake },
    )!;
  const run = (step: number, didWin: boolean, multiplier = 0) =>
    bet('monkey-run', { difficulty: 'HARD', steps: [4] }, { outcome: { step, didWin, multiplier } })!;

  test('computes the configured RTP, regardless of when the player stopped', () => {
    for (const theory of [mines(1), mines(4), run(0, false), run(4, true)])
      expect(theory.expected).toBeCloseTo(0.99, 12);
    expect(
      bet(
        'mines',
        { gridCellsCount: 25, bombsCount: 3 },
        { outcome: { opened: 1, multiplier: 0 }, rtpBp: 8000 },
      )!.expected,
    ).toBeCloseTo(0.8, 12);
  });

  test('uses the multiplier of the outcome, and never counts the bet separately because of maxProfit', () => {
    const won = bet(
      'mines',
      { gridCellsCount: 25, bombsCount: 3 },
      { outcome: { opened: 19, multiplier: 113.85 }, stake: 1000 },
    )!;
    expect(won).toMatchObject({ counted: 113_850, most: 0 });
    expect(mines(19, 1000)).toMatchObject({ counted: 0, most: 0 });
    expect(run(4, true, 3.51)).toMatchObject({ counted: 3.51, most: 0 });
    expect(run(4, false)).toMatchObject({ counted: 0, most: 0 });
  });

  test('returns no theoretical values if the outcome lacks its multiplier or its open cells', () => {
    const inputs = { gridCellsCount: 25, bombsCount: 3 };
    expect(bet('mines', inputs, { outcome: { opened: 1 } })).toBeUndefined();
    expect(bet('mines', inputs, { outcome: { opened: 0, multiplier: 1 } })).toBeUndefined();
    expect(bet('mines', inputs, { outcome: { multiplier: 1 } })).toBeUndefined();
  });

  test('adds the variance of each attempted step', () => {
    const first = Math.floor((9900 * 25) / 22) / 10_000;
    const second = Math.floor((9900 * 300) / 231) / 10_000;
    const v1 = first ** 2 * (22 / 25) * (3 / 25);
    expect(mines(1).variance).toBeCloseTo(v1, 12);
    expect(mines(2).variance).toBeCloseTo(v1 + second ** 2 * (21 / 24) * (3 / 24), 12);
    expect(mines(2, 3).variance).toBeCloseTo(9 * mines(2).variance, 9);
  });

  test('includes the step that lost the round in the variance', () => {
    expect(run(1, false)).toEqual(run(2, true));
    expect(run(0, false)).toEqual(run(1, true));
  });

  test('computes a mean step variance equal to the variance of all outcomes when the player stops at a fixed step', () => {
    // The player stops after three safe steps of HARD. These are the probabilities of the four possible ends.
    const safe = [1, 2, 3].map((i) => (15 - i + 1) / (20 - i + 1));
    const reach = [1, safe[0]!, safe[0]! * safe[1]!, safe[0]! * safe[1]! * safe[2]!];
    const mean = [0, 1, 2].reduce(
      (sum, i) => sum + reach[i]! * (1 - safe[i]!) * run(i, false).variance,
      reach[3]! * run(3, true).variance,
    );
    const pays = Number(stepMultiplier('HARD', 3, 9900)) / 10_000;
    const exact = reach[3]! * pays ** 2 - (reach[3]! * pays) ** 2;
    expect(mean / exact).toBeCloseTo(1, 3);
  });
});

describe('blackjack', () => {
  const round = (stake: number, inputs: object = {}) =>
    bet('blackjack', { betAmount: '10', sideBetAmount: null, actions: [], ...inputs }, { stake });
  test('computes the return from the total stake, the variance from the first stake, and the values of the side bet separately', () => {
    expect(round(10)).toEqual({ expected: 10 * 0.9955787, variance: expect.closeTo(120.47, 9), most: 20 });
    expect(round(20)).toEqual({ expected: 20 * 0.9955787, variance: expect.closeTo(120.47, 9), most: 20 });
    const sided = round(14, { sideBetAmount: '4' })!;
    expect(sided.expected).toBeCloseTo(10 * 0.9955787 + (4 * 49) / 51, 12);
    expect(sided.variance).toBeCloseTo(120.47 + 16 * 16.979, 9);
    expect(sided.most).toBe(116);
  });
  test('returns no theoretical values for a prearranged deck', () =>
    expect(round(10, { deck: [1, 2, 3, 4] })).toBeUndefined());
  test('returns no theoretical values if the stake of the round is missing', () =>
    expect(bet('blackjack', { actions: [] })).toBeUndefined());
});

test.each([
  ['keno', { risk: 'NONE', selected: [1] }],
  ['keno', { risk: 'LOW', selected: [] }],
  ['plinko', { risk: 'LOW', rowsCount: 7 }],
  ['roulette', {}],
  ['mines', {}],
  ['monkey-run', { difficulty: 'NONE' }],
  ['speed-roulette', { color: 'WHITE' }],
  ['speed-roulette', null],
])('returns no theoretical values for unknown inputs of %s: %j', (game, inputs) =>
  expect(bet(game, inputs)).toBeUndefined(),
);
