import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_UNITS } from '../../../platform/money.ts';
import {
  type BetFacts,
  multiplierText,
  type PlayerFacts,
  reaches,
  refusalOf,
  refusalOfBet,
  takenOf,
  titleOf,
  toE4,
  usdOfTaken,
} from './rules.ts';

const TERMS = { gameId: 7, minBetUsd: 500n, minMultiplierE4: 15_000n };
const BET: BetFacts = {
  gameId: 7,
  status: 'SETTLED',
  amount: 2n,
  payout: 3n,
  usdAmount: 500n,
  undecided: 0n,
  hasBonusMoney: false,
  isInTime: true,
};
const PLAYER: PlayerFacts = { isBarred: false, isKept: false, isBanned: false, isExcluded: false };
const amount = fc.bigInt({ min: 0n, max: MAX_UNITS });

describe('a winning bet', () => {
  test('accepts a bet that meets every rule, including at the exact limits', () => {
    expect(refusalOf(TERMS, BET, PLAYER)).toBeUndefined();
    expect(refusalOfBet(TERMS, BET)).toBeUndefined();
  });

  test.each<[string, Partial<BetFacts>, Partial<PlayerFacts>]>([
    ['SETTLED', { status: 'ROLLBACK', gameId: 8 }, {}],
    ['SETTLED', { status: 'CREATED' }, {}],
    ['GAME', { gameId: 8, usdAmount: 499n }, {}],
    ['MIN_BET', { usdAmount: 499n, payout: 2n }, {}],
    ['MULTIPLIER', { payout: 2n, hasBonusMoney: true }, {}],
    ['MULTIPLIER', { amount: 0n }, {}],
    ['BONUS_MONEY', { hasBonusMoney: true, isInTime: false }, {}],
    ['TIME', { isInTime: false }, { isBarred: true }],
    ['BARRED', {}, { isBarred: true, isKept: true }],
    ['PLAYER', {}, { isKept: true, isBanned: true }],
    ['BANNED', {}, { isBanned: true, isExcluded: true }],
    ['EXCLUDED', {}, { isExcluded: true }],
  ])('returns %s as the first failed rule for the bet %o and the player %o', (rule, bet, player) => {
    expect(refusalOf(TERMS, { ...BET, ...bet }, { ...PLAYER, ...player })).toBe(rule);
  });

  test('checks the time and player of a bet in refusalOf, but not in refusalOfBet', () => {
    const bet = { ...BET, isInTime: false };
    expect(refusalOfBet(TERMS, bet)).toBeUndefined();
    expect(refusalOfBet(TERMS, { ...bet, hasBonusMoney: true })).toBe('BONUS_MONEY');
  });

  test('accepts the multiplier of a bet if and only if the rounded multiplier shown in lists reaches the minimum', () => {
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 1n, max: 10n ** 13n }), (stake, payout, least) => {
        const isReached = stake > 0n && (payout * 10_000n) / stake >= least;
        expect(reaches({ amount: stake, payout }, least)).toBe(isReached);
      }),
    );
    expect(reaches({ amount: 3n, payout: 4n }, 13_333n)).toBe(true);
    expect(reaches({ amount: 3n, payout: 4n }, 13_334n)).toBe(false);
    expect(reaches({ amount: 0n, payout: 4n }, 1n)).toBe(false);
  });
});

describe('a rollback', () => {
  test.each<[bigint, bigint, boolean, bigint | undefined]>([
    [50n, 50n, false, 50n],
    [50n, 51n, true, 50n],
    [50n, 49n, false, undefined],
    [50n, 49n, true, 49n],
    [50n, 0n, true, 0n],
  ])(
    'reverses a reward of %d with a balance of %d (partial reversal allowed: %s) by taking %s',
    (reward, cash, takesLess, taken) => {
      expect(takenOf(reward, { cash, takesLess })).toBe(taken);
    },
  );

  test('converts the reversed amount to dollars at the exchange rate of the payment', () => {
    const paid = { amount: 3n, usdAmount: 10n };
    expect([0n, 1n, 2n, 3n].map((taken) => usdOfTaken(paid, taken))).toEqual([0n, 3n, 6n, 10n]);
  });
});

test('formats multipliers in titles without trailing zeros', () => {
  const shown = [10_000n, 15_000n, 15_500n, 10_001n, 1n, 100n, 12_345_678n].map(multiplierText);
  expect(shown).toEqual(['1', '1.5', '1.55', '1.0001', '0.0001', '0.01', '1234.5678']);
  expect(titleOf('Dice', 1_000_000n)).toBe('Dice ≥ 100×');
});

test('accepts multipliers with up to four decimals', () => {
  expect([1, 1.5, 1.0001, 2.2, 1_000_000_000, 0.00005, 1.00001, 1.00005].map(toE4)).toEqual([
    10_000n,
    15_000n,
    10_001n,
    22_000n,
    10_000_000_000_000n,
    undefined,
    undefined,
    undefined,
  ]);
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), (e4) => {
      expect(toE4(Number(multiplierText(e4)))).toBe(e4);
    }),
  );
});
