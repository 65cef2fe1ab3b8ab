import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { type Conditions, type Facts, failedRule, isOnePerPlace, needsOf, RULES, windowOf } from './rules.ts';

const at = new Date('2026-11-24T12:00:00.000Z');
const daysAgo = (days: number, ms = 0) => new Date(at.getTime() - days * 86_400_000 + ms);

/** The data of a new player without activity. */
const newPlayer: Facts = {
  at,
  registeredAt: at,
  isEmailVerified: false,
  kycLevel: 0,
  vipLevel: 0,
  affiliateCode: null,
  countries: null,
  largestDepositUsd: 0n,
  depositedUsd: new Map(),
  wageredUsd: new Map(),
  sharesAddress: new Set(),
  sharesDevice: new Set(),
  sharesPerson: new Set(),
};
const ask = (
  conditions: Conditions,
  facts: Partial<Facts> = {},
  { isOfDeposit = false, wagerMultiplierE2 = 1000, maxMultiplier = undefined as number | undefined } = {},
) =>
  failedRule({
    candidate: { id: 7n, type: 'CODE', conditions, isOfDeposit, wagerMultiplierE2 },
    facts: { ...newPlayer, ...facts },
    maxMultiplier,
  });

test('accepts every player if there are no conditions', () => {
  const nothing: Conditions = {
    minDepositUsd: null,
    depositSumUsd: null,
    depositWindowDays: null,
    turnoverUsd: null,
    turnoverWindowDays: null,
    registeredFrom: null,
    registeredTo: null,
    affiliateCodes: [],
    emailVerified: false,
    kycTier: null,
    minVipLevel: null,
    minAccountAgeDays: null,
    countriesAllow: [],
    countriesDeny: [],
    onePerIp: false,
    onePerDevice: false,
  };
  expect(ask({})).toBeUndefined();
  expect(ask(nothing)).toBeUndefined();
  expect(ask(nothing, { sharesAddress: new Set([7n]), sharesDevice: new Set([7n]), countries: 'DE' })).toBe(
    undefined,
  );
});

type Case = [name: string, conditions: Conditions, facts: Partial<Facts>, isMet: boolean];
const CASES: Readonly<Record<(typeof RULES)[number], readonly Case[]>> = {
  MIN_DEPOSIT: [
    ['no deposit', { minDepositUsd: '20' }, {}, false],
    ['too small a deposit', { minDepositUsd: '20' }, { largestDepositUsd: units('19.99999999') }, false],
    ['exactly the minimum', { minDepositUsd: '20' }, { largestDepositUsd: units('20') }, true],
    ['more than the minimum', { minDepositUsd: '20' }, { largestDepositUsd: units('21') }, true],
    [
      'the largest deposit instead of the sum',
      { minDepositUsd: '20' },
      { depositedUsd: new Map([[0, units('90')]]) },
      false,
    ],
  ],
  DEPOSIT_SUM: [
    ['no deposits', { depositSumUsd: '50' }, {}, false],
    ['too small a sum', { depositSumUsd: '50' }, { depositedUsd: new Map([[0, units('49')]]) }, false],
    ['a sufficient sum', { depositSumUsd: '50' }, { depositedUsd: new Map([[0, units('50')]]) }, true],
    [
      'a sufficient total sum but too small a recent sum',
      { depositSumUsd: '50', depositWindowDays: 7 },
      {
        depositedUsd: new Map([
          [0, units('90')],
          [7, units('49.9')],
        ]),
      },
      false,
    ],
    [
      'enough of late',
      { depositSumUsd: '50', depositWindowDays: 7 },
      { depositedUsd: new Map([[7, units('50')]]) },
      true,
    ],
    [
      'the sum instead of the largest deposit',
      { depositSumUsd: '50' },
      { largestDepositUsd: units('90') },
      false,
    ],
  ],
  TURNOVER: [
    ['no turnover', { turnoverUsd: '50' }, {}, false],
    ['too small a sum', { turnoverUsd: '50' }, { wageredUsd: new Map([[0, units('49')]]) }, false],
    ['a sufficient sum', { turnoverUsd: '50' }, { wageredUsd: new Map([[0, units('50')]]) }, true],
    [
      'too small a recent sum',
      { turnoverUsd: '50', turnoverWindowDays: 3 },
      { wageredUsd: new Map([[0, units('90')]]) },
      false,
    ],
    [
      'enough of late',
      { turnoverUsd: '50', turnoverWindowDays: 3 },
      { wageredUsd: new Map([[3, units('50')]]) },
      true,
    ],
    [
      'turnover instead of deposits',
      { turnoverUsd: '50' },
      { depositedUsd: new Map([[0, units('90')]]) },
      false,
    ],
  ],
  REGISTERED: [
    [
      'a registration before the start',
      { registeredFrom: at.toISOString() },
      { registeredAt: daysAgo(0, -1) },
      false,
    ],
    ['a registration at the start', { registeredFrom: at.toISOString() }, { registeredAt: at }, true],
    ['a registration at the end', { registeredTo: at.toISOString() }, { registeredAt: at }, true],
    [
      'a registration after the end',
      { registeredTo: at.toISOString() },
      { registeredAt: daysAgo(0, 1) },
      false,
    ],
    [
      'a registration between start and end',
      { registeredFrom: daysAgo(2).toISOString(), registeredTo: at.toISOString() },
      { registeredAt: daysAgo(1) },
      true,
    ],
  ],
  AFFILIATE_CODE: [
    ['a player without a referral', { affiliateCodes: ['Friend'] }, {}, false],
    ['another code', { affiliateCodes: ['Friend'] }, { affiliateCode: 'other' }, false],
    [
      'one of the codes, ignoring case',
      { affiliateCodes: ['x', 'Friend'] },
      { affiliateCode: 'friend' },
      true,
    ],
  ],
  EMAIL: [
    ['an unverified email address', { emailVerified: true }, {}, false],
    ['a verified email address', { emailVerified: true }, { isEmailVerified: true }, true],
  ],
  KYC_TIER: [
    ['no tier when the first one is required', { kycTier: 'BASIC' }, {}, false],
    ['the first tier', { kycTier: 'BASIC' }, { kycLevel: 1 }, true],
    ['the first tier when the second one is required', { kycTier: 'IDENTITY' }, { kycLevel: 1 }, false],
    ['the second tier', { kycTier: 'IDENTITY' }, { kycLevel: 2 }, true],
    ['the third tier', { kycTier: 'ADDRESS' }, { kycLevel: 3 }, true],
    ['the third tier when the last one is required', { kycTier: 'SOURCE_OF_FUNDS' }, { kycLevel: 3 }, false],
    ['the last tier', { kycTier: 'SOURCE_OF_FUNDS' }, { kycLevel: 4 }, true],
  ],
  VIP_LEVEL: [
    ['too low a level', { minVipLevel: 2 }, { vipLevel: 1 }, false],
    ['the required level', { minVipLevel: 2 }, { vipLevel: 2 }, true],
    ['no required level', { minVipLevel: 0 }, {}, true],
  ],
  ACCOUNT_AGE: [
    [
      'an account that is one millisecond too young',
      { minAccountAgeDays: 3 },
      { registeredAt: daysAgo(3, 1) },
      false,
    ],
    ['an account that is old enough', { minAccountAgeDays: 3 }, { registeredAt: daysAgo(3) }, true],
  ],
  COUNTRY: [
    ['an unknown country with allowed countries', { countriesAllow: ['DE'] }, {}, false],
    ['one allowed country', { countriesAllow: ['AT', 'DE'] }, { countries: 'DE' }, true],
    ['several allowed countries', { countriesAllow: ['AT', 'DE'] }, { countries: 'AT DE' }, true],
    ['a second country that is not allowed', { countriesAllow: ['DE'] }, { countries: 'DE FR' }, false],
    ['an unknown country with denied countries', { countriesDeny: ['DE'] }, {}, true],
    ['none of the denied countries', { countriesDeny: ['DE'] }, { countries: 'FR' }, true],
    ['a second country that is denied', { countriesDeny: ['DE'] }, { countries: 'DE FR' }, false],
    [
      'an allowed country that is not denied',
      { countriesAllow: ['FR'], countriesDeny: ['DE'] },
      { countries: 'FR' },
      true,
    ],
  ],
  IP: [
    ['no other player', { onePerIp: true }, {}, true],
    ['other players with another promotion', { onePerIp: true }, { sharesAddress: new Set([8n]) }, true],
    ['another player with the promotion', { onePerIp: true }, { sharesAddress: new Set([8n, 7n]) }, false],
    ['the same device at another address', { onePerIp: true }, { sharesDevice: new Set([7n]) }, true],
  ],
  DEVICE: [
    ['no other player', { onePerDevice: true }, {}, true],
    ['other players with another promotion', { onePerDevice: true }, { sharesDevice: new Set([8n]) }, true],
    ['another player with the promotion', { onePerDevice: true }, { sharesDevice: new Set([7n]) }, false],
    ['another device at the same address', { onePerDevice: true }, { sharesAddress: new Set([7n]) }, true],
  ],
  PERSON: [
    ['another account of the person with the promotion', {}, { sharesPerson: new Set([7n]) }, false],
    ['another account of the person with another promotion', {}, { sharesPerson: new Set([8n]) }, true],
  ],
};
describe.each(Object.entries(CASES))('rule %s', (rule, cases) => {
  test.each(cases)('checks the condition: %s', (_, conditions, facts, isMet) => {
    expect(ask(conditions, facts)).toBe(isMet ? undefined : rule);
  });
});

test('ignores the minimum deposit for a percentage bonus, because the bonus waits for a deposit', () => {
  expect(ask({ minDepositUsd: '20' }, {}, { isOfDeposit: true })).toBeUndefined();
  expect(ask({ depositSumUsd: '20' }, {}, { isOfDeposit: true })).toBe('DEPOSIT_SUM');
});

test.each([
  [undefined, 100_000, undefined],
  [10, 1000, undefined],
  [10, 1001, 'COUNTRY'],
  [0, 0, undefined],
  [0, 1, 'COUNTRY'],
])(
  'with a maximum wagering multiplier of %j, decides whether %i hundredths are allowed: %s',
  (maxMultiplier, wagerMultiplierE2, rule) => {
    expect(ask({}, { countries: 'GB' }, { maxMultiplier, wagerMultiplierE2 })).toBe(rule);
  },
);

test('returns the first of the requested rules that fails', () => {
  const all: Conditions = {
    minDepositUsd: '1',
    depositSumUsd: '1',
    turnoverUsd: '1',
    registeredFrom: daysAgo(-1).toISOString(),
    affiliateCodes: ['x'],
    emailVerified: true,
    kycTier: 'BASIC',
    minVipLevel: 1,
    minAccountAgeDays: 1,
    countriesAllow: ['DE'],
    onePerIp: true,
    onePerDevice: true,
  };
  const seven = new Set([7n]);
  const facts = { ...newPlayer, sharesAddress: seven, sharesDevice: seven, sharesPerson: seven };
  const candidate = { id: 7n, type: 'CODE', conditions: all, isOfDeposit: false, wagerMultiplierE2: 0 };
  const check = { candidate, facts, maxMultiplier: undefined };
  RULES.forEach((rule, i) => {
    expect(failedRule(check, RULES.slice(i))).toBe(rule);
  });
  expect(failedRule(check)).toBe('MIN_DEPOSIT');
  expect(failedRule(check, ['VIP_LEVEL', 'COUNTRY'])).toBe('VIP_LEVEL');
  expect(failedRule(check, [])).toBeUndefined();
});

test('returns only the facts that are needed to check the promotions', () => {
  expect(needsOf([{ id: 1n, type: 'MANUAL', conditions: {} }])).toEqual({
    depositWindows: [],
    turnoverWindows: [],
    onePerAddress: [],
    onePerPerson: [],
  });
  const needs = needsOf([
    { id: 1n, type: 'WELCOME', conditions: { depositSumUsd: '5', depositWindowDays: 7, onePerIp: true } },
    {
      id: 2n,
      type: 'CODE',
      conditions: { depositSumUsd: '9', depositWindowDays: 7, turnoverUsd: '1', onePerDevice: true },
    },
    { id: 3n, type: 'DEPOSIT', conditions: { depositSumUsd: '9', turnoverUsd: '1', turnoverWindowDays: 30 } },
    {
      id: 4n,
      type: 'MANUAL',
      conditions: { depositWindowDays: 90, turnoverWindowDays: 90, onePerIp: false },
    },
  ]);
  expect(needs).toEqual({
    depositWindows: [7, 0],
    turnoverWindows: [0, 30],
    onePerAddress: [1n, 2n],
    onePerPerson: [1n, 2n],
  });
  expect([windowOf(null), windowOf(undefined), windowOf(5)]).toEqual([0, 0, 5]);
});

test('reports whether a promotion is limited per address or device', () => {
  expect(isOnePerPlace({})).toBe(false);
  expect(isOnePerPlace({ onePerIp: false, onePerDevice: false })).toBe(false);
  expect(isOnePerPlace({ onePerIp: true })).toBe(true);
  expect(isOnePerPlace({ onePerDevice: true })).toBe(true);
});
