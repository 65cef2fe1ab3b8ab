import { expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { deductionsOf, GIVEN_KINDS, type GivenKind, NGR_VERSION, ngrOf, providerFeesOf } from './rules.ts';

const given = (kind: GivenKind, usd: string) => ({ kind, usdAmount: units(usd) });
const NOTHING = {
  convertedBonus: 0n,
  rakeback: 0n,
  affiliate: 0n,
  prizes: 0n,
  adminTips: 0n,
  adminDeductions: 0n,
  providerFees: 0n,
};

test('calculates an NGR of 5.75 from a GGR of 51', () => {
  const deductions = deductionsOf(
    [
      given('promo.conversion', '40'),
      given('rakeback.claim', '1.5'),
      given('affiliate.claim', '0.75'),
      given('challenge.reward', '5'),
      given('admin.deduction', '2'),
    ],
    [],
  );
  expect(ngrOf(units('51'), deductions)).toBe(units('5.75'));
  expect(NGR_VERSION).toBe('1');
});

test.each<[GivenKind, keyof typeof NOTHING, bigint]>([
  ['promo.conversion', 'convertedBonus', 1n],
  ['promo.conversion.back', 'convertedBonus', -1n],
  ['promo.grant', 'convertedBonus', 1n],
  ['crm.funds', 'convertedBonus', 1n],
  ['rakeback.claim', 'rakeback', 1n],
  ['affiliate.claim', 'affiliate', 1n],
  ['leaderboard.prize', 'prizes', 1n],
  ['challenge.reward', 'prizes', 1n],
  ['challenge.rollback', 'prizes', -1n],
  ['admin.tip', 'adminTips', 1n],
  ['admin.deduction', 'adminDeductions', 1n],
])('counts payments of the kind %s as %s', (kind, part, sign) => {
  const deductions = deductionsOf([given(kind, '3'), given(kind, '4')], []);
  expect(deductions).toEqual({ ...NOTHING, [part]: sign * units('7') });
  // Only deductions by staff increase NGR.
  const change = part === 'adminDeductions' ? units('7') : -sign * units('7');
  expect(ngrOf(0n, deductions)).toBe(change);
});

test('includes all 11 kinds of payments', () => {
  expect(GIVEN_KINDS).toHaveLength(11);
});

test("calculates each provider's fee, rounded down and never below zero", () => {
  expect(providerFeesOf([{ ggr: units('100'), feePpm: 125_000n }])).toBe(units('12.5'));
  expect(providerFeesOf([{ ggr: -units('100'), feePpm: 125_000n }])).toBe(0n);
  expect(providerFeesOf([{ ggr: 7n, feePpm: 300_000n }])).toBe(2n);
  expect(
    providerFeesOf([
      { ggr: 3n, feePpm: 500_000n },
      { ggr: 3n, feePpm: 500_000n },
      { ggr: -9n, feePpm: 500_000n },
    ]),
  ).toBe(2n);
  expect(deductionsOf([], [{ ggr: units('10'), feePpm: 1_000_000n }])).toEqual({
    ...NOTHING,
    providerFees: units('10'),
  });
  expect(ngrOf(units('10'), { ...NOTHING, providerFees: units('10') })).toBe(0n);
});
