import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ONE } from '../../../../../platform/money.ts';
import { firstNumber } from '../../../fairness/hash.ts';
import { rollDice } from '../../dice/rules.ts';
import { COLORS, type Color } from '../../speed-roulette/rules.ts';
import {
  addSums,
  bandOf,
  FAR,
  NORMAL,
  noSums,
  type SettledBets,
  type Share,
  type Sums,
  stakedTogether,
  sumsOf,
} from './rules.ts';

/** A dice bet that pays 1.98 with a probability of 5000 / 10,001. */
const even = (more: Partial<SettledBets> = {}): SettledBets => ({
  game: 'dice',
  rtpBp: 9900,
  inputs: { threshold: 50, above: true },
  outcome: {},
  bets: 1,
  stake: 10n * ONE,
  paid: 0n,
  maxProfit: 100_000n * ONE,
  ...more,
});

describe('a bet', () => {
  test('adds the stake, payout and theoretical values of a bet to the sums', () => {
    const sums = sumsOf(even({ paid: 1_980_000_000n }));
    expect(sums).toMatchObject({
      bets: 1n,
      staked: 10n * ONE,
      paid: 1_980_000_000n,
      counted: 19.8,
      apartBets: 0n,
      apartStaked: 0n,
    });
    expect(sums.expected).toBeCloseTo((10 * 1.98 * 5000) / 10_001, 12);
    const chance = 5000 / 10_001;
    expect(sums.variance).toBeCloseTo(100 * 1.98 ** 2 * chance * (1 - chance), 9);
  });

  test.each<[string, Partial<SettledBets>]>([
    ['that count', {}],
    [
      'that count what they did not pay',
      {
        game: 'mines',
        inputs: { gridCellsCount: 25, bombsCount: 3 },
        outcome: { bombs: [], opened: 2, multiplier: 1.5 },
      },
    ],
    ['that stand apart', { maxProfit: 1n }],
  ])('sums bets %s that have equal stakes and theoretical values like single bets', (_, more) => {
    const together = sumsOf(even({ ...more, bets: 3, paid: 5_940_000_000n }));
    const one = sumsOf(even({ ...more, paid: 1_980_000_000n }));
    const oneByOne = [one, one, one].reduce((a, b) => addSums(a, b), noSums());
    for (const [name, sum] of Object.entries(oneByOne) as [keyof Sums, bigint | number][])
      if (typeof sum === 'bigint') expect(together[name], name).toBe(sum);
      else expect(together[name], name).toBeCloseTo(sum, 9);
  });

  const apart = { ...noSums(), apartBets: 1n, apartStaked: 10n * ONE };
  test.each<[string, Partial<SettledBets>]>([
    ['that maxProfit can cut, lost', { maxProfit: 979_999_999n }],
    ['of a game without theory', { game: 'slot' }],
    ['without a return', { rtpBp: null }],
    ['without inputs that are known', { inputs: null }],
    ['with inputs of another game', { inputs: { bombs: 3 } }],
  ])('counts a bet separately: %s', (_, more) => expect(sumsOf(even(more))).toEqual(apart));

  test('counts a bet separately when maxProfit can limit its win, even if it lost, but not when the highest win equals the limit', () => {
    expect(sumsOf(even({ maxProfit: 979_999_999n, paid: 5n }))).toEqual({ ...apart, apartPaid: 5n });
    expect(sumsOf(even({ maxProfit: 980_000_000n })).bets).toBe(1n);
    expect(sumsOf(even({ maxProfit: null })).bets).toBe(1n);
  });
});

test("counts a bet of a shared round separately when maxProfit can limit its player's win", () => {
  const shared = (color: string, ofRound: Partial<Record<Color, bigint>>, maxProfit: bigint) =>
    sumsOf(
      even({ game: 'speed-roulette', rtpBp: 9333, inputs: { color }, ofRound, maxProfit: maxProfit * ONE }),
    ).bets;
  expect(shared('RED', { RED: 10n * ONE }, 10n)).toBe(1n);
  expect(shared('RED', { RED: 10n * ONE }, 9n)).toBe(0n);
  // With a total stake of 30 on red, the player can win 2 × 30 − 30. With an additional 10 on black, the player can win 2 × 30 − 40 = 20.
  expect(shared('RED', { RED: 30n * ONE }, 29n)).toBe(0n);
  expect(shared('RED', { RED: 30n * ONE, BLACK: 10n * ONE }, 20n)).toBe(1n);
  // With an additional stake of 5 on green, the player can win 14 × 5 − 15.
  expect(shared('RED', { RED: 10n * ONE, GREEN: 5n * ONE }, 55n)).toBe(1n);
  expect(shared('RED', { RED: 10n * ONE, GREEN: 5n * ONE }, 54n)).toBe(0n);
});

describe('sums of a shared round', () => {
  const PAYS = { RED: 2, BLACK: 2, GREEN: 14 } as const;
  const CHANCES = { RED: 7 / 15, BLACK: 7 / 15, GREEN: 1 / 15 } as const;
  const player = fc.record({
    maxProfit: fc.constantFrom(null, 100_000n * ONE, 500n * ONE, 20n * ONE),
    bets: fc.array(fc.tuple(fc.constantFrom(...COLORS), fc.bigInt({ min: 1n, max: 1000n * ONE })), {
      minLength: 1,
      maxLength: 5,
    }),
  });
  const shareOf = ({ maxProfit, bets }: { maxProfit: bigint | null; bets: [Color, bigint][] }): Share => {
    const staked: Partial<Record<Color, bigint>> = {};
    for (const [color, usd] of bets) staked[color] = (staked[color] ?? 0n) + usd;
    return { staked, maxProfit };
  };

  test('computes the variance of all payouts that are not counted separately', () => {
    let [withApart, withoutApart] = [0, 0];
    const property = fc.property(fc.array(player, { minLength: 1, maxLength: 6 }), (players) => {
      const shares = players.map(shareOf);
      const ofAll = stakedTogether(shares);
      const all = players.flatMap(({ bets, maxProfit }, i) =>
        bets.map(([color, staked]) => ({
          color,
          staked,
          sums: sumsOf({
            ...even({ game: 'speed-roulette', rtpBp: 9333, inputs: { color }, stake: staked, maxProfit }),
            ofRound: shares[i]!.staked,
            ofAll,
          }),
        })),
      );
      const within = all.filter(({ sums }) => sums.bets === 1n);
      if (within.length < all.length) withApart++;
      else withoutApart++;
      // Σ p (pays × S)² − (r × ΣS)², computed from the bets.
      const on = (color: Color) =>
        within.filter((b) => b.color === color).reduce((sum, b) => sum + Number(b.staked) / 1e8, 0);
      const squares = COLORS.reduce((sum, c) => sum + CHANCES[c] * (PAYS[c] * on(c)) ** 2, 0);
      const total = COLORS.reduce((sum, c) => sum + on(c), 0);
      const shown = all.reduce((sum, { sums }) => sum + sums.variance, 0);
      const error = Math.abs(shown - (squares - ((14 / 15) * total) ** 2));
      expect(error).toBeLessThanOrEqual(1e-9 * Math.max(1, squares));
    });
    fc.assert(property, { seed: 23, numRuns: 500 });
    expect(Math.min(withApart, withoutApart)).toBeGreaterThan(50);
  });

  test('ignores the stakes of other players whose bets are counted separately', () => {
    const small = { staked: { BLACK: ONE }, maxProfit: 100n * ONE };
    const large = { staked: { RED: 1000n * ONE, GREEN: 3n * ONE }, maxProfit: 100n * ONE };
    expect(stakedTogether([small, large, small])).toEqual({ BLACK: 2 });
    expect(stakedTogether([small, { ...large, maxProfit: null }])).toEqual({ BLACK: 1, RED: 1000, GREEN: 3 });
    expect(stakedTogether([])).toEqual({});
  });
});

describe('sums of blackjack', () => {
  const round = (stake: bigint, maxProfit: bigint, more: { side?: string; actions?: string[] } = {}) =>
    sumsOf({
      ...even({ game: 'blackjack', rtpBp: 9955, stake, maxProfit }),
      inputs: { betAmount: '10', sideBetAmount: more.side ?? null, actions: more.actions ?? [] },
    });
  /** Returns the stakes of a bet of 10, which depend on the player's actions. */
  const ways: [string[], bigint][] = [
    [['STAND'], 10n],
    [['HIT', 'HIT'], 10n],
    [['DOUBLE'], 20n],
    [['SPLIT', 'STAND', 'STAND'], 20n],
    [['INSURANCE', 'STAND'], 15n],
    [['INSURANCE', 'DOUBLE'], 25n],
    [['INSURANCE', 'SPLIT', 'STAND', 'STAND'], 25n],
  ];
  test.each(ways)(
    'uses the first stake of a round, not %j, to decide whether to count the round separately',
    (actions, staked) => {
      expect(round(staked * ONE, 20n * ONE, { actions })).toMatchObject({ bets: 1n, apartBets: 0n });
      expect(round(staked * ONE, 20n * ONE - 1n, { actions })).toMatchObject({ bets: 0n, apartBets: 1n });
      const sided = { actions, side: '4' };
      expect(round((staked + 4n) * ONE, 116n * ONE, sided).bets).toBe(1n);
      expect(round((staked + 4n) * ONE, 116n * ONE - 1n, sided).bets).toBe(0n);
    },
  );
});

describe('a band', () => {
  const sums = {
    ...noSums(),
    bets: 1000n,
    staked: 1000n * ONE,
    paid: 1000n * ONE,
    counted: 1010,
    expected: 990,
    variance: 400,
  };
  test.each([
    [NORMAL, 95.08, 102.92],
    [FAR, 92.42, 105.58],
  ])('computes a band that spans %d standard errors', (errors, low, high) => {
    const band = bandOf(sums, errors)!;
    expect(band.actual).toBe(101);
    expect([band.low, band.high].map((v) => v.toFixed(6))).toEqual([low.toFixed(6), high.toFixed(6)]);
  });
  test('moves the band upwards for optimal play', () =>
    expect(bandOf(sums, 0, 1.01)!.high).toBeCloseTo(99.99, 9));
  test('returns a band of zero width when nothing is at risk, even if the variance is slightly negative', () => {
    const { low, high } = bandOf({ ...sums, variance: -1e-12 }, FAR)!;
    expect([low, high]).toEqual([99, 99]);
  });
  test('returns no band if there are no bets', () => expect(bandOf(noSums(), NORMAL)).toBeUndefined());
});

test('computes a band that contains 95 % of simulated sets of bets, and a wide band that contains 99.9 %', () => {
  const [sets, bets] = [600, 150];
  const [won, lost] = [sumsOf(even({ paid: 1_980_000_000n })), sumsOf(even())];
  const played = Array.from({ length: sets }, (_, set) =>
    Array.from({ length: bets }, (_, bet) => firstNumber('of-returns', 'client', set * bets + bet))
      .map((u) => (rollDice({ threshold: 50, above: true }, u).didWin ? won : lost))
      .reduce((a, b) => addSums(a, b), noSums()),
  );
  const inside = (errors: number) =>
    played.filter((all) => {
      const { actual, low, high } = bandOf(all, errors)!;
      return actual >= low && actual <= high;
    }).length / sets;
  expect(inside(NORMAL)).toBeGreaterThan(0.925);
  expect(inside(NORMAL)).toBeLessThan(0.975);
  expect(inside(FAR)).toBeGreaterThan(0.99);
});
