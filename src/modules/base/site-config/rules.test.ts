import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import {
  betTimesIn,
  CONFLICTS,
  changedFields,
  minStakeOf,
  minStakeProblems,
  offIn,
  type Problem,
  pick,
  usualMinStake,
  withChanges,
} from './rules.ts';
import { defaultsOf } from './schemas.ts';

describe('conflicts between fields', () => {
  const common = defaultsOf('COMMON');

  test.each([
    [['en', 'de'], 'de', []],
    [['en', 'de', 'en'], 'en', [['languages', 'contains a language twice']]],
    [['en'], 'de', [['defaultLanguage', 'needs to be one of languages']]],
    [
      ['en', 'en'],
      'de',
      [
        ['languages', 'contains a language twice'],
        ['defaultLanguage', 'needs to be one of languages'],
      ],
    ],
  ])('reports problems with the languages %j and the default %s', (languages, defaultLanguage, expected) => {
    const problems = CONFLICTS.COMMON({ ...common, languages, defaultLanguage });
    expect(problems.map(({ path, message }) => [path, message])).toEqual(expected);
  });

  test('rejects a minimum above its maximum', () => {
    const battles = (minEntryUsd: string, maxEntryUsd: string) =>
      CONFLICTS.BATTLES({ minEntryUsd, maxEntryUsd });
    expect([battles('9', '10'), battles('10', '10.0')]).toEqual([[], []]);
    expect(battles('10.01', '10')).toEqual([{ path: 'minEntryUsd', message: 'is above maxEntryUsd' }]);
    const codes = (codeMinLength: number, codeMaxLength: number) =>
      CONFLICTS.AFFILIATES({ ...defaultsOf('AFFILIATES'), codeMinLength, codeMaxLength });
    expect([codes(3, 4), codes(4, 4)]).toEqual([[], []]);
    expect(codes(5, 4)).toEqual([{ path: 'codeMinLength', message: 'is above codeMaxLength' }]);
  });

  test('reports problems in VIP ladders, rakeback and affiliate levels', () => {
    const paths = (problems: Problem[]) => problems.map(({ path }) => path);
    const [first, ...others] = common.vip.ladder;
    const vip = { ladder: [{ ...first!, rewardUsd: '1' }, ...others] };
    const rakeback = { ...common.rakeback, dailyBp: 9999 };
    expect(paths(CONFLICTS.COMMON({ ...common, vip, rakeback }))).toEqual([
      'vip.ladder.0.rewardUsd',
      'rakeback',
    ]);
    const affiliates = defaultsOf('AFFILIATES');
    const levels = affiliates.levels.slice(1);
    expect(paths(CONFLICTS.AFFILIATES({ ...affiliates, levels }))).toContain('levels.0.minWageredUsdAmount');
  });

  test('rejects withdrawal limits that contradict each other', () => {
    const good = { minUsd: '10', dailyLimitUsd: '10', autoApproveLimitUsd: '50', fourEyesThresholdUsd: '50' };
    const withdrawals = (change: Partial<typeof good> | { dailyLimitUsd: null }) =>
      CONFLICTS.WITHDRAWALS({ ...good, ...change });
    expect([withdrawals({}), withdrawals({ dailyLimitUsd: null })]).toEqual([[], []]);
    expect(withdrawals({ dailyLimitUsd: '9.99' })).toEqual([
      { path: 'minUsd', message: 'is above dailyLimitUsd' },
    ]);
    expect(withdrawals({ autoApproveLimitUsd: '50.01' })).toEqual([
      {
        path: 'autoApproveLimitUsd',
        message: 'is above fourEyesThresholdUsd, from which two people must approve',
      },
    ]);
  });
});

test.each([
  [null, undefined],
  ['DE', undefined],
  ['AT DE', undefined],
  ['DE FR US', 'FR'],
  ['AT US', 'US'],
  ['DE ZZ', 'ZZ'],
  ['null', 'null'],
])('finds the first of the countries %s in which a feature is disabled: %s', (countries, expected) => {
  expect(offIn({ DE: true, FR: false, US: false, null: false }, countries)).toBe(expected);
});

test.each([
  [0, {}, 'DE', 0, false],
  [0, { FR: 300 }, 'DE', 0, true],
  [0, { FR: 300 }, 'FR', 300, true],
  [0, { FR: 300 }, null, 0, true],
  [0, { FR: 0 }, 'FR', 0, false],
  [500, { FR: 300 }, 'FR', 500, true],
  [200, { FR: 300 }, 'FR', 300, true],
  [200, { FR: 0 }, null, 200, true],
  [0, { FR: 0, DE: 1 }, null, 0, true],
  [0, { null: 300 }, null, 0, true],
  [0, { FR: 300, GB: 900 }, 'DE FR GB', 900, true],
  [500, { FR: 300, GB: 900 }, 'DE FR', 500, true],
  [0, { FR: 300, GB: 900 }, 'DE ZZ', 900, true],
])(
  'applies the bet interval of %i ms and the country intervals %j in %s',
  (minBetIntervalMs, byCountry, country, ms, keepsBetTimes) => {
    const times = betTimesIn({ minBetIntervalMs, minBetIntervalMsByCountry: byCountry }, country);
    expect(times).toEqual({ minBetIntervalMs: ms, keepsBetTimes });
  },
);

describe('minimum stakes', () => {
  test.each([
    [0, '100'],
    [2, '1'],
    [6, '0.0001'],
    [8, '0.000001'],
  ])('sets the default minimum stake for %i decimals to %s', (decimals, amount) => {
    expect(usualMinStake(decimals)).toBe(units(amount));
    const set = { EUR: '0.5' };
    expect(minStakeOf({ id: 'EUR', decimals }, set)).toBe(units('0.5'));
    expect(minStakeOf({ id: 'toString', decimals }, set)).toBe(units(amount));
  });

  test('requires a playable currency and a minimum stake above zero within its decimals', () => {
    const find = (id: string) => (id === 'EUR' ? { id, decimals: 2 } : undefined);
    const message = 'needs to be above zero with at most 2 decimals';
    expect(minStakeProblems({ EUR: '0.01' }, find)).toEqual([]);
    for (const amount of ['0', '0.001', '-1', 'x'])
      expect(minStakeProblems({ EUR: amount }, find)).toEqual([{ path: 'minStakes.EUR', message }]);
    expect(minStakeProblems({ DOGE: '1', EUR: '0' }, find)).toEqual([
      { path: 'minStakes.DOGE', message: 'is not a supported currency' },
      { path: 'minStakes.EUR', message },
    ]);
  });
});

test('returns only the named fields', () => {
  expect(pick({ a: 1, b: undefined, c: 3 }, ['a', 'b'])).toStrictEqual({ a: 1, b: undefined });
});

test('lists the fields that differ, in the order of the new values', () => {
  const before = { a: 1, b: ['x'], c: { d: null } };
  expect(changedFields(before, { ...before, b: ['x'] })).toEqual([]);
  expect(changedFields(before, { c: { d: 0 }, b: ['x', 'y'], a: 1, e: 5 })).toEqual(['c', 'b', 'e']);
});

test('merges a change into a section, and replaces all other fields', () => {
  const before = { section: { a: 1, b: [1] }, map: { a: 1 }, same: true };
  expect(withChanges(before, { section: { b: [2] }, map: { b: 2 } }, ['section'])).toEqual({
    section: { a: 1, b: [2] },
    map: { b: 2 },
    same: true,
  });
});
