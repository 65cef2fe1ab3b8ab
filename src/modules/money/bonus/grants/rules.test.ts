import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_UNITS, type Units, units } from '../../../../platform/money.ts';
import { bonusOn, convertible, lostOf, outcomeOf, progressPercent, turnoverOf } from './rules.ts';

const total = (amounts: readonly Units[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

test.each([
  ['50', 1000, '500'],
  ['150', 3000, '4500'],
  ['0.00000003', 50, '0.00000001'],
  ['10', 0, '0'],
])('turnover of %s at a multiplier of %i hundredths is %s', (base, multiplierE2, required) => {
  expect(turnoverOf(units(base), multiplierE2)).toBe(units(required));
});

test.each([
  ['half of a deposit', '100', 5000, null, 6, '50'],
  ['up to the most', '1000', 5000, '200', 6, '200'],
  ['exactly the most', '400', 5000, '200', 6, '200'],
  ['at the decimals of the currency', '0.333333', 5000, null, 6, '0.166666'],
  ['the most at the decimals of the currency too', '9', 10_000, '1.23456789', 2, '1.23'],
  ['less than can be expressed', '0.000001', 5000, null, 6, '0'],
])('a percentage: %s', (_, deposit, percentBp, most, decimals, bonus) => {
  const max = most === null ? null : units(most);
  expect(bonusOn(units(deposit), { percentBp, max, decimals })).toBe(units(bonus));
});

test.each([
  [500n, 500n, 10n, false, 'COMPLETED'],
  [500n, 501n, 10n, true, 'COMPLETED'],
  [500n, 500n, 0n, false, 'COMPLETED'],
  [500n, 499n, 10n, false, undefined],
  [500n, 499n, 0n, true, undefined],
  [500n, 499n, 0n, false, 'LOST'],
  [0n, 0n, 10n, false, 'COMPLETED'],
])('required %i, done %i, balance %i, money out %s: %s', (wagerRequired, wagerDone, balance, isOut, end) => {
  expect(outcomeOf({ wagerRequired, wagerDone, balance }, isOut)).toBe(end);
});

test.each([
  ['500', '107', 21.4],
  ['3', '1', 33.33],
  ['3', '2', 66.66],
  ['500', '-1', 0],
  ['500', '0', 0],
  ['500', '499.99999999', 99.99],
  ['500', '500', 100],
  ['500', '700', 100],
  ['0', '0', 100],
])('of %s, %s are %d percent', (required, done, percent) => {
  const wagerDone = done.startsWith('-') ? -units(done.slice(1)) : units(done);
  expect(progressPercent({ wagerRequired: units(required), wagerDone })).toBe(percent);
});

describe('a conversion', () => {
  const grant = { grantedAmount: units('50'), converted: 0n, decimals: 6 };
  test.each([
    ['without a cap: everything', '70.5', null, '0', '70.5'],
    ['within the cap', '70', 200, '0', '70'],
    ['up to the cap', '170', 200, '0', '100'],
    ['what the cap leaves', '70', 200, '60', '40'],
    ['nothing beyond the cap', '70', 200, '100', '0'],
    ['nothing where the cap was exceeded', '70', 100, '60', '0'],
    ['a cap of nothing', '70', 0, '0', '0'],
    ['dust stays behind', '0.12345678', null, '0', '0.123456'],
    ['a cap with dust too', '70', 1, '0', '0.5'],
  ])('%s', (_, amount, maxWithdrawalMultiplierE2, converted, to) => {
    const capped = { ...grant, converted: units(converted), maxWithdrawalMultiplierE2 };
    expect(convertible(units(amount), capped)).toBe(units(to));
  });

  test('the whole of the largest amount', () => {
    const capped = { ...grant, decimals: 8, maxWithdrawalMultiplierE2: null };
    expect(convertible(MAX_UNITS, capped)).toBe(MAX_UNITS);
  });
});

describe('payouts that come late', () => {
  test.each([
    [[5, 3], 8, [0, 0]],
    [[5, 3], 6, [0, 2]],
    [[5, 3], 5, [0, 3]],
    [[5, 3], 4, [1, 3]],
    [[5, 3], 0, [5, 3]],
    [[], 4, []],
  ])('of %j with %i kept, %j are lost', (payouts, kept, lost) => {
    expect(lostOf(payouts.map(BigInt), BigInt(kept))).toEqual(lost.map(BigInt));
  });

  test('lose together what is not kept, and none of them more than it paid', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { maxLength: 6 });
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 0n, max: 100n }), (payouts, percent) => {
        const kept = (total(payouts) * percent) / 100n;
        const lost = lostOf(payouts, kept);
        expect(total(lost)).toBe(total(payouts) - kept);
        expect(lost.every((amount, i) => amount >= 0n && amount <= payouts[i]!)).toBe(true);
      }),
      { seed: 40 },
    );
  });
});
