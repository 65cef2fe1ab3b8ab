import { describe, expect, test } from 'vitest';
import { units } from '../../../../platform/money.ts';
import {
  affiliateLevelAt,
  affiliateLevelProblems,
  hundredths,
  ladderProblems,
  maxWagerMultiplierIn,
  rakebackProblems,
  vipLevelAt,
  vipRewardsBetween,
  vipTermsOf,
} from './rules.ts';
import { AFFILIATE_RATES, SECTIONS } from './schemas.ts';

const { ladder } = SECTIONS.vip.parse({});
const rakeback = SECTIONS.rakeback.parse({});
const levels = AFFILIATE_RATES.levels.parse(undefined);

test.each([
  ['0', 0n],
  ['5', 500n],
  ['7.5', 750n],
  ['0.01', 1n],
  ['100.00', 10_000n],
  [1, 100n],
  [2.05, 205n],
  [1.1, 110n],
  [0.07, 7n],
  [100, 10_000n],
])('converts %j to exactly %i hundredths', (decimal, expected) => {
  expect(hundredths(decimal)).toBe(expected);
});

test.each(['0.001', 0.001, '7.123', 1.005, 1e-9, '-1', -1, 'x', Number.NaN])(
  'rejects %j, because it is not a non-negative whole number of hundredths',
  (decimal) => {
    expect(() => hundredths(decimal)).toThrow(RangeError);
  },
);

describe('the VIP ladder', () => {
  test.each([
    ['-0.00000001', 0],
    ['0', 0],
    ['9999.99999999', 0],
    ['10000', 1],
    ['10000.00000001', 1],
    ['49999.99999999', 1],
    ['100001', 3],
    ['4999999.99', 6],
    ['5000000', 7],
    ['900000000', 7],
  ])('assigns a player who has wagered %s dollars to level %i', (wagered, level) => {
    const usd = wagered.startsWith('-') ? -units(wagered.slice(1)) : units(wagered);
    expect(vipLevelAt(ladder, usd)).toBe(level);
  });

  test('pays the reward of every level that a single bet reaches', () => {
    const rewards = (from: number, to: number) =>
      vipRewardsBetween(ladder, { from, to }).map(({ level, rewardUsd }) => [level, rewardUsd]);
    expect(rewards(0, 3)).toEqual([
      [1, units('10')],
      [2, units('40')],
      [3, units('50')],
    ]);
    expect(rewards(6, 7)).toEqual([[7, units('4000')]]);
    expect([rewards(3, 3), rewards(5, 2), rewards(7, 9)]).toEqual([[], [], []]);
  });

  test('applies the terms of the last level to a player whose level is higher than a shortened ladder', () => {
    expect([0, 4, 7].map((level) => vipTermsOf(ladder, level).boostPercent)).toEqual([0, 50, 150]);
    expect(vipTermsOf(ladder.slice(0, 3), 7)).toBe(ladder[2]);
    expect(vipTermsOf(ladder, -1)).toBe(ladder[0]);
  });

  const change = (at: number, fields: Partial<(typeof ladder)[number]>) =>
    ladderProblems(ladder.map((terms, i) => (i === at ? { ...terms, ...fields } : terms)));
  test('requires a VIP ladder to start at zero and increase level by level', () => {
    expect(ladderProblems(ladder)).toEqual([]);
    expect(ladderProblems(ladder.slice(0, 1))).toEqual([]);
    expect(change(3, { level: 4 })).toEqual([{ path: 'vip.ladder.3.level', message: 'needs to be 3' }]);
    expect(change(0, { level: 1 })).toEqual([{ path: 'vip.ladder.0.level', message: 'needs to be 0' }]);
    expect(change(0, { wageredUsd: '0.01' })).toEqual([
      { path: 'vip.ladder.0.wageredUsd', message: 'needs to be 0, because everyone has the first level' },
    ]);
    expect(change(0, { rewardUsd: '0.01' })).toEqual([
      { path: 'vip.ladder.0.rewardUsd', message: 'needs to be 0, because everyone has the first level' },
    ]);
    expect(change(2, { rewardUsd: '0' })).toEqual([]);
    const message = 'needs to be above the previous level';
    expect(change(2, { wageredUsd: '10000' })).toEqual([{ path: 'vip.ladder.2.wageredUsd', message }]);
    expect(change(2, { wageredUsd: '10000.01' })).toEqual([]);
    // Compares amounts by value, not as text.
    expect(change(2, { wageredUsd: '9000' })).toEqual([{ path: 'vip.ladder.2.wageredUsd', message }]);
  });
});

test('rejects rakeback rates whose sum with the highest boost exceeds the house edge', () => {
  const at = (boostPercent: number, rates: Partial<typeof rakeback>) =>
    rakebackProblems({ ...rakeback, ...rates }, [{ ...ladder[0]!, boostPercent }, ladder[0]!]);
  expect(rakebackProblems(rakeback, ladder)).toEqual([]);
  expect(at(900, {})).toEqual([]);
  expect(at(901, {})).toEqual([
    { path: 'rakeback', message: 'exceeds the house edge with a boost of 901 %' },
  ]);
  const all = { instantBp: 4000, dailyBp: 3000, weeklyBp: 2000, monthlyBp: 1000 };
  expect(at(0, all)).toEqual([]);
  for (const name of ['instantBp', 'dailyBp', 'weeklyBp', 'monthlyBp'] as const)
    expect(at(0, { ...all, [name]: all[name] + 1 })).toHaveLength(1);
});

describe('affiliate levels', () => {
  test.each([
    ['0', null, 1],
    ['49999.99999999', null, 1],
    ['50000', null, 2],
    ['1000000', null, 4],
    ['0', 3, 3],
    ['1000000', 3, 4],
    ['250000', 3, 3],
    ['0', 1, 1],
    ['0', 9, 4],
    ['250000', 0, 3],
  ])(
    'assigns an affiliate with %s wagered dollars and minimum level %j to level %i',
    (wagered, floorId, id) => {
      const level = affiliateLevelAt(levels, { wageredUsd: units(wagered), floorId });
      expect(level.id).toBe(id);
    },
  );

  test('never assigns an affiliate to a level below the first, even after rollbacks', () => {
    expect(affiliateLevelAt(levels, { wageredUsd: -1n, floorId: null })).toBe(levels[0]);
  });

  test('requires affiliate levels to start at zero and increase one by one', () => {
    const change = (at: number, fields: Partial<(typeof levels)[number]>) =>
      affiliateLevelProblems(levels.map((level, i) => (i === at ? { ...level, ...fields } : level)));
    expect(affiliateLevelProblems(levels)).toEqual([]);
    expect(change(1, { id: 3 })).toEqual([{ path: 'levels.1.id', message: 'needs to be 2' }]);
    expect(change(0, { minWageredUsdAmount: '1' })).toEqual([
      {
        path: 'levels.0.minWageredUsdAmount',
        message: 'needs to be 0, because everyone has the first level',
      },
    ]);
    expect(change(3, { minWageredUsdAmount: '250000.00' })).toEqual([
      { path: 'levels.3.minWageredUsdAmount', message: 'needs to be above the previous level' },
    ]);
  });
});

test.each([
  [null, undefined],
  ['DE', undefined],
  ['GB', 10],
  ['DE GB', 10],
  ['FR GB', 5],
  ['FR toString', 5],
  ['DE ZZ', 5],
])('uses the lowest wagering multiplier limit of the countries %s: %s', (countries, most) => {
  expect(maxWagerMultiplierIn({ GB: 10, FR: 5 }, countries)).toBe(most);
});

test('accepts percentages up to 100 with at most two decimals', () => {
  const isPercent = (text: string) => AFFILIATE_RATES.depositCommissionPercent.safeParse(text).success;
  expect(['0', '7.5', '0.05', '99.99', '100', '100.00'].filter((text) => !isPercent(text))).toEqual([]);
  expect(['', '07', '.5', '7.', '7.555', '-1', '100.01', '101', '1e1'].filter(isPercent)).toEqual([]);
});
