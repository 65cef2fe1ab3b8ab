import { describe, expect, test } from 'vitest';
import { units } from '../../../../platform/money.ts';
import {
  gamesProblems,
  hundredthsOf,
  type Lookups,
  type Reward,
  type Terms,
  termsProblems,
  toStored,
  toTerms,
} from './rules.ts';

const lookups: Lookups = {
  decimalsOf: (id: string) => ({ USDT: 6, BTC: 8 })[id],
  freeSpinProblems: () => [],
  isCountry: (code: string) => ['DE', 'FR', 'GB'].includes(code),
};
const cash: Terms = {
  reward: { kind: 'CASH', currencyId: 'USDT', amount: '10' },
  wagerMultiplier: 1,
  wagerBase: 'BONUS',
};
const percent: Reward = { kind: 'BONUS', currencyId: 'USDT', percent: 50, maxAmount: '100' };
const problems = (terms: Partial<Terms>, at = lookups) => termsProblems({ ...cash, ...terms }, at);
const of = (path: string, message: string) => [{ path, message }];

test.each([
  [1.5, 10, 150],
  [0, 10, 0],
  [10, 10, 1000],
  [0.01, 10, 1],
  [10.01, 10, undefined],
  [1.005, 10, undefined],
  [-1, 10, undefined],
  [Number.NaN, 10, undefined],
])('converts %d (maximum %d) to hundredths: %j', (value, most, hundredths) => {
  expect(hundredthsOf(value, most)).toBe(hundredths);
});

test('accepts all forms of cash and bonus rewards', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ reward: percent, wagerBase: 'DEPOSIT_AND_BONUS' })).toEqual([]);
  const full: Partial<Terms> = {
    reward: { kind: 'BONUS', currencyId: 'BTC', amount: '0.00000001', percent: null, maxAmount: null },
    wagerMultiplier: 1000,
    maxBetUsd: '0.5',
    maxWithdrawalMultiplier: 100_000,
    validityHours: 5,
    startAt: '2026-11-24T00:00:00.000Z',
    endAt: '2026-11-24T00:00:00.001Z',
    conditions: {
      minDepositUsd: '1',
      depositSumUsd: '5',
      depositWindowDays: 7,
      turnoverUsd: '5',
      turnoverWindowDays: 7,
      registeredFrom: '2026-11-24T00:00:00.000Z',
      registeredTo: '2026-11-25T00:00:00.000Z',
      countriesAllow: ['DE', 'GB'],
      countriesDeny: ['FR'],
    },
    budget: { maxGrants: 1, maxTotalUsd: '100' },
  };
  expect(problems(full)).toEqual([]);
  expect(
    problems({
      maxBetUsd: null,
      maxWithdrawalMultiplier: null,
      startAt: null,
      budget: { maxTotalUsd: null },
    }),
  ).toEqual([]);
  expect(problems({ startAt: '2026-11-24T00:00:00.000Z' })).toEqual([]);
  expect(problems({ endAt: '2026-11-24T00:00:00.000Z' })).toEqual([]);
});

describe('reward problems', () => {
  const rewarded = (reward: Reward, terms: Partial<Terms> = {}) => problems({ ...terms, reward });
  test.each([
    ['an unknown currency', { currencyId: 'XXX' }, 'reward.currencyId', 'is not a currency'],
    ['a zero amount', { amount: '0' }, 'reward.amount', 'needs to be above 0, with 6 decimals at most'],
    [
      'too many decimals',
      { amount: '1.0000001' },
      'reward.amount',
      'needs to be above 0, with 6 decimals at most',
    ],
    ['no amount', { amount: null }, 'reward.amount', 'or percent is required, but not both'],
    ['an amount and a percentage', { percent: 5 }, 'reward.amount', 'or percent is required, but not both'],
    [
      'a maximum without a percentage',
      { maxAmount: '5' },
      'reward.maxAmount',
      'is allowed for a percentage only',
    ],
    ['free spins', { freeSpins: 5 }, 'reward.freeSpins', 'is allowed for free spins only'],
    [
      'a value of free spins',
      { freeSpinValueUsd: '5' },
      'reward.freeSpinValueUsd',
      'is allowed for free spins only',
    ],
    ['a game', { gameSlug: 'slot' }, 'reward.gameSlug', 'is allowed for free spins only'],
  ])('reports the problem: %s', (_, fields, path, message) => {
    expect(rewarded({ ...cash.reward, ...fields })).toEqual(of(path, message));
  });
  test.each([
    [
      'a zero percentage',
      { percent: 0 },
      'reward.percent',
      'needs to be a number with two decimals at most, up to 1000, and above 0',
    ],
    [
      'too many decimals',
      { percent: 0.001 },
      'reward.percent',
      'needs to be a number with two decimals at most, up to 1000, and above 0',
    ],
    [
      'too high a percentage',
      { percent: 1000.01 },
      'reward.percent',
      'needs to be a number with two decimals at most, up to 1000, and above 0',
    ],
    ['no maximum', { maxAmount: null }, 'reward.maxAmount', 'is required with a percentage'],
    [
      'a zero maximum',
      { maxAmount: '0' },
      'reward.maxAmount',
      'needs to be above 0, with 6 decimals at most',
    ],
    [
      'a cash reward',
      { kind: 'CASH' as const },
      'reward.percent',
      'is allowed for BONUS only: CASH is paid immediately, without a deposit',
    ],
  ])('reports the problem of a percentage reward: %s', (_, fields, path, message) => {
    expect(rewarded({ ...percent, ...fields })).toEqual(of(path, message));
  });
  test('reports no problem for the largest and the smallest percentage', () => {
    expect(rewarded({ ...percent, percent: 1000 })).toEqual([]);
    expect(rewarded({ ...percent, percent: 0.01 })).toEqual([]);
  });

  test('reports missing and forbidden fields of free spins, and that free bets are unsupported', () => {
    const spins: Reward = { kind: 'FREE_SPINS', currencyId: 'USDT' };
    expect(rewarded({ ...spins, kind: 'FREE_BET' })).toEqual(
      of('reward.kind', 'is not supported by any configured provider'),
    );
    const full: Reward = { ...spins, freeSpins: 5, freeSpinValueUsd: '0.1', gameSlug: 'slot' };
    expect(rewarded(full)).toEqual([]);
    expect(rewarded({ ...full, freeSpinValueUsd: '0' })).toEqual(
      of('reward.freeSpinValueUsd', 'needs to be above 0, with 8 decimals at most'),
    );
    const lines = (reward: Reward) => rewarded(reward).map(({ path, message }) => `${path} ${message}`);
    expect(lines(spins)).toEqual([
      'reward.freeSpins is required for free spins',
      'reward.freeSpinValueUsd is required for free spins',
      'reward.gameSlug is required for free spins',
    ]);
    expect(lines({ ...full, amount: '5', percent: 5, maxAmount: '5' })).toEqual([
      'reward.amount is not allowed for free spins',
      'reward.percent is not allowed for free spins',
      'reward.maxAmount is not allowed for free spins',
    ]);
    const calls: object[] = [];
    const unsupported = of('reward.gameSlug', 'is not a game of theirs');
    const freeSpinProblems: Lookups['freeSpinProblems'] = (spins) => {
      calls.push(spins);
      return unsupported;
    };
    const strict: Lookups = { ...lookups, freeSpinProblems };
    expect(problems({ reward: full }, strict)).toEqual(unsupported);
    expect(calls).toEqual([{ gameSlug: 'slot', currencyId: 'USDT', valueUsd: units('0.1') }]);
  });
});

const DOLLARS = 'needs to be above 0, with 8 decimals at most';
const upTo = (most: number) => `needs to be a number with two decimals at most, up to ${most}`;
const DAY = '2026-11-24T00:00:00.000Z';
test.each([
  ['wagerMultiplier', { wagerMultiplier: 1000.01 }, upTo(1000)],
  ['wagerMultiplier', { wagerMultiplier: 1.234 }, upTo(1000)],
  ['wagerBase', { wagerBase: 'DEPOSIT_AND_BONUS' as const }, 'needs a percentage of a deposit as its reward'],
  ['maxWithdrawalMultiplier', { maxWithdrawalMultiplier: -1 }, upTo(100_000)],
  ['maxWithdrawalMultiplier', { maxWithdrawalMultiplier: 100_000.5 }, upTo(100_000)],
  ['maxBetUsd', { maxBetUsd: '0' }, DOLLARS],
  ['maxBetUsd', { maxBetUsd: '0.000000001' }, DOLLARS],
  ['budget.maxTotalUsd', { budget: { maxTotalUsd: '0' } }, DOLLARS],
  ['endAt', { startAt: DAY, endAt: DAY }, 'needs to be later than the start'],
  ['conditions.minDepositUsd', { conditions: { minDepositUsd: '0' } }, DOLLARS],
  ['conditions.depositSumUsd', { conditions: { depositSumUsd: '0' } }, DOLLARS],
  ['conditions.turnoverUsd', { conditions: { turnoverUsd: '0' } }, DOLLARS],
  [
    'conditions.depositWindowDays',
    { conditions: { depositWindowDays: 3 } },
    'is allowed with depositSumUsd only',
  ],
  [
    'conditions.turnoverWindowDays',
    { conditions: { turnoverWindowDays: 3 } },
    'is allowed with turnoverUsd only',
  ],
  [
    'conditions.registeredTo',
    { conditions: { registeredFrom: DAY, registeredTo: DAY } },
    'needs to be later than the start',
  ],
  ['conditions.countriesAllow', { conditions: { countriesAllow: ['DE', 'XX'] } }, 'XX is not a country'],
  ['conditions.countriesDeny', { conditions: { countriesDeny: ['XX'] } }, 'XX is not a country'],
  [
    'conditions.countriesDeny',
    { conditions: { countriesAllow: ['DE'], countriesDeny: ['DE'] } },
    'DE is also allowed',
  ],
])('reports a problem of %s for %j', (path, terms, message) => {
  expect(problems(terms)).toEqual(of(path, message));
});

test('returns all problems together', () => {
  const paths = problems({
    wagerMultiplier: -1,
    maxBetUsd: '0',
    reward: { ...cash.reward, currencyId: 'X' },
  });
  expect(paths.map(({ path }) => path)).toEqual(['reward.currencyId', 'wagerMultiplier', 'maxBetUsd']);
});

describe('gamesProblems', () => {
  const catalogue = {
    isSlug: (slug: string) => slug === 'dice',
    isProvider: (id: number) => id === 3,
    isCategory: (name: string) => name === 'SLOTS',
  };
  test('accepts games in the catalogue and empty lists', () => {
    expect(gamesProblems({}, catalogue)).toEqual([]);
    const games = {
      gameSlugs: ['dice'],
      providerIds: [3],
      categories: ['SLOTS'],
      contribution: { SLOTS: 100 },
      perGame: { dice: 0 },
    };
    expect(gamesProblems(games, catalogue)).toEqual([]);
    expect(gamesProblems({ perGame: { dice: 12.5 } }, catalogue)).toEqual([]);
  });
  test.each([
    ['games.gameSlugs', { gameSlugs: ['dice', 'x'] }, 'x is not a game'],
    ['games.providerIds', { providerIds: [3, 4] }, '4 is not a provider'],
    ['games.categories', { categories: ['SLOTS', 'X'] }, 'X is not a category'],
    ['games.contribution', { contribution: { X: 5 } }, 'X is not a category'],
    ['games.perGame', { perGame: { x: 5 } }, 'x is not a game'],
    ['games.contribution', { contribution: { SLOTS: 100.01 } }, `of SLOTS ${upTo(100)}`],
    ['games.perGame', { perGame: { dice: -1 } }, `of dice ${upTo(100)}`],
  ])('reports a problem of %s for %j', (path, games, message) => {
    expect(gamesProblems(games, catalogue)).toEqual(of(path, message));
  });
});

test('restores the same terms after it converts them to their stored form and back', () => {
  const conditions = { minDepositUsd: '20' };
  const terms: Terms = {
    reward: {
      kind: 'BONUS',
      currencyId: 'USDT',
      amount: null,
      percent: 12.5,
      maxAmount: '100.5',
      freeSpins: 3,
      freeSpinValueUsd: '0.1',
      gameSlug: 'slot',
    },
    wagerMultiplier: 35.25,
    wagerBase: 'DEPOSIT_AND_BONUS',
    maxBetUsd: '5',
    maxWithdrawalMultiplier: 10.01,
    validityHours: 72,
    startAt: '2026-11-24T00:00:00.000Z',
    endAt: '2026-11-25T00:00:00.000Z',
    conditions,
    budget: { maxGrants: 7, maxTotalUsd: '1000' },
  };
  const stored = toStored(terms);
  expect(stored).toEqual({
    kind: 'BONUS',
    currency_id: 'USDT',
    amount: null,
    percent_bp: 1250,
    max_amount: units('100.5'),
    free_spins: 3,
    free_spin_value_usd: units('0.1'),
    game_slug: 'slot',
    wager_multiplier_e2: 3525,
    wager_base: 'DEPOSIT_AND_BONUS',
    max_bet_usd: units('5'),
    max_withdrawal_multiplier_e2: 1001,
    validity_hours: 72,
    start_at: new Date('2026-11-24T00:00:00.000Z'),
    end_at: new Date('2026-11-25T00:00:00.000Z'),
    max_grants: 7,
    max_total_usd: units('1000'),
  });
  expect(toTerms(stored, conditions)).toEqual(terms);
});

test('stores absent terms as null', () => {
  const stored = toStored(cash);
  expect(stored).toMatchObject({
    amount: units('10'),
    percent_bp: null,
    max_amount: null,
    free_spins: null,
    free_spin_value_usd: null,
    game_slug: null,
    wager_multiplier_e2: 100,
    max_bet_usd: null,
    max_withdrawal_multiplier_e2: null,
    validity_hours: null,
    start_at: null,
    end_at: null,
    max_grants: null,
    max_total_usd: null,
  });
  expect(toTerms(stored, {})).toMatchObject({
    reward: { amount: '10', percent: null, maxAmount: null, freeSpins: null },
    maxBetUsd: null,
    maxWithdrawalMultiplier: null,
    startAt: null,
    endAt: null,
    budget: { maxGrants: null, maxTotalUsd: null },
  });
});
