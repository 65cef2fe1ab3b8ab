import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import {
  type BetGrant,
  contributionOf,
  countedOf,
  type GameTerms,
  isInForce,
  splitPayout,
  splitStake,
} from './rules.ts';

const SLOT = { slug: 'seven-orchards', providerId: 4, categories: ['SLOTS', 'NEW'] };

describe('the contribution of a stake', () => {
  test.each<[string, GameTerms, number]>([
    ['is 100 % by default', {}, 10_000],
    ['is that of the category', { contribution: { SLOTS: 12.5 } }, 1250],
    ['is that of the first category that has one', { contribution: { NEW: 50, TABLE: 1 } }, 5000],
    ['is that of the main category if two have one', { contribution: { NEW: 50, SLOTS: 20 } }, 2000],
    [
      'is that of the game rather than the category',
      { contribution: { SLOTS: 50 }, perGame: { 'seven-orchards': 0.01 } },
      1,
    ],
    ['is 0 if the game has 0', { perGame: { 'seven-orchards': 0 } }, 0],
    ['is 100 % for a listed slug', { gameSlugs: ['seven-orchards'] }, 10_000],
    ['is 100 % for a listed provider', { gameSlugs: ['dice'], providerIds: [4] }, 10_000],
    ['is 100 % for any listed category', { providerIds: [0], categories: ['NEW'] }, 10_000],
    ['is 0 outside the listed slugs', { gameSlugs: ['dice'] }, 0],
    ['is 0 outside the listed providers', { providerIds: [0] }, 0],
    [
      'is 0 outside the listed categories, even if the game has one',
      { categories: ['TABLE'], perGame: { 'seven-orchards': 100 } },
      0,
    ],
    ['is at most 100 %', { perGame: { 'seven-orchards': 250 } }, 10_000],
    ['is at least 0', { perGame: { 'seven-orchards': -5 } }, 0],
  ])('%s', (_, terms, bp) => {
    expect(contributionOf(terms, SLOT)).toBe(bp);
  });

  test('rounds the contribution of a stake to the wagered amount down', () => {
    expect(countedOf(units('10'), 1250)).toBe(units('1.25'));
    expect(countedOf(9n, 1250)).toBe(1n);
    expect(countedOf(units('10'), 0)).toBe(0n);
    expect(countedOf(units('10'), 10_000)).toBe(units('10'));
  });
});

test('pays a stake from cash first and then from the bonus, or rejects it', () => {
  expect(splitStake(10n, 10n, 5n)).toEqual({ cash: 10n, bonus: 0n });
  expect(splitStake(10n, 20n, 5n)).toEqual({ cash: 10n, bonus: 0n });
  expect(splitStake(10n, 3n, 7n)).toEqual({ cash: 3n, bonus: 7n });
  expect(splitStake(10n, 0n, 10n)).toEqual({ cash: 0n, bonus: 10n });
  expect(splitStake(10n, 3n, 6n)).toBeUndefined();
});

test('splits a payout in the same ratio as its stake, rounded to the decimals of the currency', () => {
  const of = (payout: string, staked: string, bonusStaked: string, decimals = 6) => {
    const { cash, bonus } = splitPayout(units(payout), {
      staked: units(staked),
      bonusStaked: units(bonusStaked),
      decimals,
    });
    return [cash, bonus];
  };
  expect(of('25', '10', '7')).toEqual([units('7.5'), units('17.5')]);
  expect(of('25', '10', '0')).toEqual([units('25'), 0n]);
  expect(of('25', '10', '10')).toEqual([0n, units('25')]);
  expect(of('0', '10', '7')).toEqual([0n, 0n]);
  expect(of('1', '3', '1')).toEqual([units('0.666666'), units('0.333334')]);
  expect(of('1', '3', '1', 2)).toEqual([units('0.66'), units('0.34')]);
  // A cash bet is paid out in cash.
  expect(of('1.12345678', '10', '0')).toEqual([units('1.12345678'), 0n]);
  // All stakes were returned, but there is still a payout.
  expect(of('1', '0', '1')).toEqual([units('1'), 0n]);
  expect(of('1', '0', '0')).toEqual([units('1'), 0n]);
});

test('splits a payout without losing or creating money', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(amount, amount, amount, fc.integer({ min: 0, max: 8 }), (payout, staked, part, decimals) => {
      const bonusStaked = staked === 0n ? 0n : part % (staked + 1n);
      const { cash, bonus } = splitPayout(payout, { staked, bonusStaked, decimals });
      expect(cash + bonus).toBe(payout);
      expect(cash >= 0n && bonus >= 0n).toBe(true);
      if (staked > 0n)
        expect(cash * staked <= payout * (staked - bonusStaked) || bonusStaked === 0n).toBe(true);
    }),
  );
});

test('lets bets use only an active grant that has not expired', () => {
  const grant = { status: 'ACTIVE', isDue: false } as BetGrant;
  expect(isInForce(grant)).toBe(true);
  expect(isInForce({ ...grant, isDue: true })).toBe(false);
  expect(isInForce({ ...grant, status: 'COMPLETED' })).toBe(false);
});
