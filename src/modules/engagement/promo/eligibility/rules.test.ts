import { describe, expect, test } from 'vitest';
import { units } from '../../../../platform/money.ts';
import { type Conditions, type Facts, failedRule, isOnePerPlace, needsOf, RULES, windowOf } from './rules.ts';

const at = new Date('2026-11-24T12:00:00.000Z');
const daysAgo = (days: number, ms = 0) => new Date(at.getTime() - days * 86_400_000 + ms);

/** Somebody who has nothing yet. */
const nobody: Facts = {
  at,
  registeredAt: at,
  isEmailVerified: false,
  kycLevel: 0,
  vipLevel: 0,
  affiliateCode: null,
  countries: [],
  largestDepositUsd: 0n,
  depositedUsd: new Map(),
  wageredUsd: new Map(),
  sharesAddress: new Set(),
  sharesDevice: new Set(),
};
const ask = (
  conditions: Conditions,
  facts: Partial<Facts> = {},
  { isOfDeposit = false, wagerMultiplierE2 = 1000, maxMultiplier = undefined as number | undefined } = {},
) =>
  failedRule({
    candidate: { id: 7n, conditions, isOfDeposit, wagerMultiplierE2 },
    facts: { ...nobody, ...facts },
    maxMultiplier,
  });

test('what asks nothing is for everybody', () => {
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
  expect(ask(nothing, { sharesAddress: new Set([7n]), sharesDevice: new Set([7n]), countries: ['DE'] })).toBe(
    undefined,
  );
});

type Case = [name: string, conditions: Conditions, facts: Partial<Facts>, isMet: boolean];
const CASES: Readonly<Record<(typeof RULES)[number], readonly Case[]>> = {
  MIN_DEPOSIT: [
    ['no deposit', { minDepositUsd: '20' }, {}, false],
    ['too small a one', { minDepositUsd: '20' }, { largestDepositUsd: units('19.99999999') }, false],
    ['exactly', { minDepositUsd: '20' }, { largestDepositUsd: units('20') }, true],
    ['more', { minDepositUsd: '20' }, { largestDepositUsd: units('21') }, true],
    ['the sum does not count', { minDepositUsd: '20' }, { depositedUsd: new Map([[0, units('90')]]) }, false],
  ],
  DEPOSIT_SUM: [
    ['nothing known', { depositSumUsd: '50' }, {}, false],
    ['too little ever', { depositSumUsd: '50' }, { depositedUsd: new Map([[0, units('49')]]) }, false],
    ['enough ever', { depositSumUsd: '50' }, { depositedUsd: new Map([[0, units('50')]]) }, true],
    [
      'enough ever, too little of late',
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
    ['the largest does not count', { depositSumUsd: '50' }, { largestDepositUsd: units('90') }, false],
  ],
  TURNOVER: [
    ['nothing known', { turnoverUsd: '50' }, {}, false],
    ['too little ever', { turnoverUsd: '50' }, { wageredUsd: new Map([[0, units('49')]]) }, false],
    ['enough ever', { turnoverUsd: '50' }, { wageredUsd: new Map([[0, units('50')]]) }, true],
    [
      'too little of late',
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
    ['deposits do not count', { turnoverUsd: '50' }, { depositedUsd: new Map([[0, units('90')]]) }, false],
  ],
  REGISTERED: [
    ['before', { registeredFrom: at.toISOString() }, { registeredAt: daysAgo(0, -1) }, false],
    ['from then on', { registeredFrom: at.toISOString() }, { registeredAt: at }, true],
    ['until then', { registeredTo: at.toISOString() }, { registeredAt: at }, true],
    ['after', { registeredTo: at.toISOString() }, { registeredAt: daysAgo(0, 1) }, false],
    [
      'between',
      { registeredFrom: daysAgo(2).toISOString(), registeredTo: at.toISOString() },
      { registeredAt: daysAgo(1) },
      true,
    ],
  ],
  AFFILIATE_CODE: [
    ['nobody referred them', { affiliateCodes: ['Friend'] }, {}, false],
    ['another code', { affiliateCodes: ['Friend'] }, { affiliateCode: 'other' }, false],
    ['one of the codes, in any case', { affiliateCodes: ['x', 'Friend'] }, { affiliateCode: 'friend' }, true],
  ],
  EMAIL: [
    ['unproven', { emailVerified: true }, {}, false],
    ['proven', { emailVerified: true }, { isEmailVerified: true }, true],
  ],
  KYC_TIER: [
    ['none for the first', { kycTier: 'BASIC' }, {}, false],
    ['the first', { kycTier: 'BASIC' }, { kycLevel: 1 }, true],
    ['the first for the second', { kycTier: 'IDENTITY' }, { kycLevel: 1 }, false],
    ['the second', { kycTier: 'IDENTITY' }, { kycLevel: 2 }, true],
    ['the third', { kycTier: 'ADDRESS' }, { kycLevel: 3 }, true],
    ['the third for the last', { kycTier: 'SOURCE_OF_FUNDS' }, { kycLevel: 3 }, false],
    ['the last', { kycTier: 'SOURCE_OF_FUNDS' }, { kycLevel: 4 }, true],
  ],
  VIP_LEVEL: [
    ['too low', { minVipLevel: 2 }, { vipLevel: 1 }, false],
    ['reached', { minVipLevel: 2 }, { vipLevel: 2 }, true],
    ['none needed', { minVipLevel: 0 }, {}, true],
  ],
  ACCOUNT_AGE: [
    ['a millisecond too young', { minAccountAgeDays: 3 }, { registeredAt: daysAgo(3, 1) }, false],
    ['old enough', { minAccountAgeDays: 3 }, { registeredAt: daysAgo(3) }, true],
  ],
  COUNTRY: [
    ['unknown, for some', { countriesAllow: ['DE'] }, {}, false],
    ['one of them', { countriesAllow: ['AT', 'DE'] }, { countries: ['DE', 'DE'] }, true],
    ['all of them', { countriesAllow: ['AT', 'DE'] }, { countries: ['DE', 'AT'] }, true],
    ['known by another too', { countriesAllow: ['DE'] }, { countries: ['DE', 'FR'] }, false],
    ['unknown, not for some', { countriesDeny: ['DE'] }, {}, true],
    ['not one of those', { countriesDeny: ['DE'] }, { countries: ['FR'] }, true],
    ['known by one of those too', { countriesDeny: ['DE'] }, { countries: ['FR', 'DE'] }, false],
    [
      'allowed and not denied',
      { countriesAllow: ['FR'], countriesDeny: ['DE'] },
      { countries: ['FR'] },
      true,
    ],
  ],
  IP: [
    ['nobody else', { onePerIp: true }, {}, true],
    ['others have another promotion', { onePerIp: true }, { sharesAddress: new Set([8n]) }, true],
    ['somebody else has it', { onePerIp: true }, { sharesAddress: new Set([8n, 7n]) }, false],
    ['with the same device alone', { onePerIp: true }, { sharesDevice: new Set([7n]) }, true],
  ],
  DEVICE: [
    ['nobody else', { onePerDevice: true }, {}, true],
    ['others have another promotion', { onePerDevice: true }, { sharesDevice: new Set([8n]) }, true],
    ['somebody else has it', { onePerDevice: true }, { sharesDevice: new Set([7n]) }, false],
    ['at the same address alone', { onePerDevice: true }, { sharesAddress: new Set([7n]) }, true],
  ],
};
describe.each(Object.entries(CASES))('%s', (rule, cases) => {
  test.each(cases)('%s', (_, conditions, facts, isMet) => {
    expect(ask(conditions, facts)).toBe(isMet ? undefined : rule);
  });
});

test('a percentage asks nothing of deposits before: it waits for one', () => {
  expect(ask({ minDepositUsd: '20' }, {}, { isOfDeposit: true })).toBeUndefined();
  expect(ask({ depositSumUsd: '20' }, {}, { isOfDeposit: true })).toBe('DEPOSIT_SUM');
});

test.each([
  [undefined, 100_000, undefined],
  [10, 1000, undefined],
  [10, 1001, 'COUNTRY'],
  [0, 0, undefined],
  [0, 1, 'COUNTRY'],
])('at most %j times, %i hundredths: %s', (maxMultiplier, wagerMultiplierE2, rule) => {
  expect(ask({}, { countries: ['GB'] }, { maxMultiplier, wagerMultiplierE2 })).toBe(rule);
});

test('of several the first rule is named, and only those that are asked', () => {
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
  const facts = { ...nobody, sharesAddress: new Set([7n]), sharesDevice: new Set([7n]) };
  const candidate = { id: 7n, conditions: all, isOfDeposit: false, wagerMultiplierE2: 0 };
  const asked = { candidate, facts, maxMultiplier: undefined };
  RULES.forEach((rule, i) => {
    expect(failedRule(asked, RULES.slice(i))).toBe(rule);
  });
  expect(failedRule(asked)).toBe('MIN_DEPOSIT');
  expect(failedRule(asked, ['VIP_LEVEL', 'COUNTRY'])).toBe('VIP_LEVEL');
  expect(failedRule(asked, [])).toBeUndefined();
});

test('only what promotions ask has to be read', () => {
  expect(needsOf([{ id: 1n, conditions: {} }])).toEqual({
    depositWindows: [],
    turnoverWindows: [],
    onePerAddress: [],
  });
  const needs = needsOf([
    { id: 1n, conditions: { depositSumUsd: '5', depositWindowDays: 7, onePerIp: true } },
    {
      id: 2n,
      conditions: { depositSumUsd: '9', depositWindowDays: 7, turnoverUsd: '1', onePerDevice: true },
    },
    { id: 3n, conditions: { depositSumUsd: '9', turnoverUsd: '1', turnoverWindowDays: 30 } },
    { id: 4n, conditions: { depositWindowDays: 90, turnoverWindowDays: 90, onePerIp: false } },
  ]);
  expect(needs).toEqual({ depositWindows: [7, 0], turnoverWindows: [0, 30], onePerAddress: [1n, 2n] });
  expect([windowOf(null), windowOf(undefined), windowOf(5)]).toEqual([0, 0, 5]);
});

test('one per place: by address or by device', () => {
  expect(isOnePerPlace({})).toBe(false);
  expect(isOnePerPlace({ onePerIp: false, onePerDevice: false })).toBe(false);
  expect(isOnePerPlace({ onePerIp: true })).toBe(true);
  expect(isOnePerPlace({ onePerDevice: true })).toBe(true);
});
