import { describe, expect, test } from 'vitest';
import { ONE } from '../../../platform/money.ts';
import type { Return } from '../../games/betting/rules.ts';
import { amountsOf, type GameSettings, oneOf, playHouseGame, playSlot } from './rules.ts';

const WORDS = 2 ** 32;
/** Returns the smallest random number that picks choice number `n` out of `of` choices. */
const nth = (n: number, of: number) => Math.ceil((n * WORDS) / of);
/** Returns a stream of random numbers that throws if it is read beyond its end. */
function stream(...numbers: number[]) {
  const left = [...numbers];
  return () => {
    if (left.length === 0) throw new Error('read beyond the end');
    return left.shift()!;
  };
}
const RTP99 = { rtp: 99 };
const pays = (outcome: Return | undefined) => outcome && Number(outcome.multiplier) / Number(outcome.scale);
const play = (game: string, settings: GameSettings, ...numbers: number[]) =>
  pays(playHouseGame(game, settings, stream(...numbers)));

describe('dice', () => {
  // The numbers select one of the thresholds 25, 50, 66, 75 and 90, the side (above or below), and the roll out of 10,001.
  test.each([
    [0, 0, 2501, 1.32],
    [0, 0, 2500, 0],
    [0, 1, 2499, 3.96],
    [1, 0, 5001, 1.98],
    [1, 1, 5000, 0],
    [1, 1, 4999, 1.98],
    [2, 1, 0, 1.5],
    [3, 0, 10_000, 3.96],
    [4, 0, 9001, 9.9],
    [4, 1, 0, 1.1],
  ])('computes the payout for threshold %i, side %i and roll %i: %f', (threshold, side, roll, expected) => {
    expect(play('dice', RTP99, nth(threshold, 5), nth(side, 2), nth(roll, 10_001))).toBe(expected);
  });

  test('respects the maximum multiplier and the RTP from the settings', () => {
    const highest = (maxMultiplier: number) =>
      play('dice', { rtp: 99, maxMultiplier }, nth(4, 5), nth(0, 2), nth(10_000, 10_001));
    expect([highest(9.9), highest(9.8)]).toEqual([9.9, undefined]);
    expect(play('dice', { rtp: 97.25 }, nth(1, 5), nth(0, 2), nth(10_000, 10_001))).toBe(1.945);
  });
});

describe('limbo', () => {
  // The targets are 1.2, 1.5, 2, 3, 5 and 9. The resulting multiplier (the point) is 0.99 × 2^32 / u.
  test.each([
    [0, 1.2],
    [1, 1.5],
    [2, 2],
    [3, 3],
    [4, 5],
    [5, 9],
  ])('pays target number %i (%f) when the generated multiplier reaches the target', (n, target) => {
    const last = Math.floor((0.99 * WORDS) / target);
    expect(play('limbo', RTP99, nth(n, 6), last)).toBe(target);
    expect(play('limbo', RTP99, nth(n, 6), last + 2)).toBe(0);
  });

  test('respects the target range from the settings', () => {
    const settings = { rtp: 99, minMultiplier: 1.5, maxMultiplier: 5 };
    expect([0, 1, 4, 5].map((n) => play('limbo', settings, nth(n, 6), 1))).toEqual([
      undefined,
      1.5,
      5,
      undefined,
    ]);
  });
});

test('plays keno with one to ten of forty numbers, using the payout table of the risk level', () => {
  const zeros = (n: number) => Array.from({ length: n }, () => 0);
  // Bets on the lowest number while the lowest ten are drawn, which is one hit at risk level CLASSIC.
  expect(play('keno', RTP99, nth(0, 10), 0, nth(0, 4), ...zeros(10))).toBe(3.96);
  // Bets on the ten numbers that are drawn, which is ten hits at risk level HIGH.
  expect(play('keno', RTP99, nth(9, 10), ...zeros(10), nth(3, 4), ...zeros(10))).toBe(1000);
  // Bets on the highest number while the lowest ten are drawn, which is no hit at risk level LOW.
  expect(play('keno', RTP99, nth(0, 10), nth(39, 40), nth(1, 4), ...zeros(10))).toBe(0.7);
});

test('plays plinko with eight to sixteen rows, using the payout table of the risk level', () => {
  const lefts = (n: number) => Array.from({ length: n }, () => 0);
  expect(play('plinko', RTP99, nth(0, 9), nth(0, 3), ...lefts(8))).toBe(5.6);
  expect(play('plinko', RTP99, nth(8, 9), nth(2, 3), ...lefts(16))).toBe(1000);
});

test('plays roulette with one position and one of 37 pockets', () => {
  // The first position of the layout is the number 0.
  expect(play('roulette', RTP99, 0, nth(0, 37))).toBe(36);
  expect(play('roulette', RTP99, 0, nth(1, 37))).toBe(0);
  // The last position of the layout is HIGH.
  expect(play('roulette', RTP99, WORDS - 1, nth(36, 37))).toBe(2);
  expect(play('roulette', RTP99, WORDS - 1, nth(18, 37))).toBe(0);
});

test('plays speed-roulette with one color and one of 15 positions', () => {
  const colours = [
    [1, 2],
    [8, 2],
    [0, 14],
  ];
  for (const [n, [position, pay]] of colours.entries()) {
    expect(play('speed-roulette', RTP99, nth(n, 3), nth(position!, 15))).toBe(pay);
    expect(play('speed-roulette', RTP99, nth(n, 3), nth(position === 14 ? 0 : 14, 15))).toBe(n === 1 ? 2 : 0);
  }
});

describe('mines with one to five bombs under 25 cells, of which the first one to six are opened', () => {
  test.each([
    // With one bomb and one opened cell, a bomb under the first cell loses, but a bomb under the second cell does not.
    [[nth(0, 5), nth(0, 6), nth(0, 25)], 0],
    [[nth(0, 5), nth(0, 6), nth(1, 25)], 1.0312],
    // With six opened cells, a bomb under the sixth cell loses, but a bomb under the seventh does not.
    [[nth(0, 5), nth(5, 6), nth(5, 25)], 0],
    [[nth(0, 5), nth(5, 6), nth(6, 25)], 1.3026],
    // With five bombs: first none of them is under the first cell, then one of them is.
    [[nth(4, 5), nth(0, 6), ...[24, 23, 22, 21, 20].map((n, i) => nth(n, 25 - i))], 1.2375],
    [[nth(4, 5), nth(0, 6), ...[24, 23, 22, 21, 0].map((n, i) => nth(n, 25 - i))], 0],
  ])('pays for the random numbers %j: %f', (numbers, expected) => {
    expect(play('mines', RTP99, ...numbers)).toBe(expected);
  });
});

describe('monkey-run with a difficulty and one to five of 20 tiles', () => {
  test.each([
    [[nth(0, 4), nth(0, 5), nth(0, 20)], 0],
    [[nth(0, 4), nth(0, 5), nth(1, 20)], 1.0421],
    [[nth(0, 4), nth(4, 5), nth(4, 20)], 0],
    [[nth(0, 4), nth(4, 5), nth(5, 20)], 1.32],
    [[nth(1, 4), nth(0, 5), ...[19, 18, 17].map((n, i) => nth(n, 20 - i))], 1.1647],
    [[nth(1, 4), nth(0, 5), ...[19, 18, 0].map((n, i) => nth(n, 20 - i))], 0],
  ])('pays for the random numbers %j: %f', (numbers, expected) => {
    expect(play('monkey-run', RTP99, ...numbers)).toBe(expected);
  });
});

const shares = (next: (n: number) => Return | undefined) =>
  Map.groupBy(
    Array.from({ length: 1000 }, (_, n) => pays(next(nth(n, 1000)))),
    (pay) => pay,
  );
const counts = (groups: ReturnType<typeof shares>) =>
  Object.fromEntries([...groups].map(([pay, all]) => [pay, all.length]));

test('pays blackjack and slots bets with the exact probabilities, in thousandths', () => {
  expect(counts(shares((n) => playHouseGame('blackjack', RTP99, stream(n))))).toEqual({
    0: 491,
    1: 85,
    2: 379,
    2.5: 45,
  });
  expect(counts(shares((n) => playSlot(stream(n))))).toEqual({
    0: 690,
    0.2: 70,
    0.5: 70,
    1: 60,
    2: 55,
    5: 35,
    9: 20,
  });
});

test('returns undefined for unknown games, including inherited property names', () => {
  for (const slug of ['poker', 'toString', 'constructor', ''])
    expect(playHouseGame(slug, RTP99, stream(0, 0, 0))).toBeUndefined();
});

test('selects each choice for an equal share of the random words', () => {
  expect([0, 1, 2].map((n) => oneOf(['a', 'b', 'c'], stream(nth(n, 3))))).toEqual(['a', 'b', 'c']);
});

describe('amountsOf', () => {
  /** A stake of 10 US dollars in a currency with two decimals and a rate of three dollars. */
  const terms = {
    betUsd: 10n * ONE,
    stake: 333_000_000n,
    rate: 3_000_000_000_000n,
    decimals: 2,
    maxProfitUsd: 1000n * ONE,
  };
  const usual = { highRollerUsd: 100, luckyMultiplier: 10 };

  test('returns amounts rounded down to the currency, and their value in US dollars', () => {
    expect(amountsOf(terms, { multiplier: 198n, scale: 100n }, usual)).toEqual({
      amount: 333_000_000n,
      payout: 659_000_000n,
      usdAmount: 999_000_000n,
      usdPayout: 1_977_000_000n,
    });
  });

  test("caps the profit at the game's limit", () => {
    const capped = amountsOf({ ...terms, maxProfitUsd: 3n * ONE }, { multiplier: 5n, scale: 1n }, usual);
    expect(capped?.payout).toBe(433_000_000n);
  });

  test('returns undefined for a high-roller stake or a lucky win', () => {
    const lost = { multiplier: 0n, scale: 1n };
    const exact = { ...terms, stake: 10n * ONE, rate: 1_000_000_000_000n };
    expect(amountsOf(exact, lost, { ...usual, highRollerUsd: 11 })).toBeDefined();
    expect(amountsOf(exact, lost, { ...usual, highRollerUsd: 10 })).toBeUndefined();
    expect(amountsOf(exact, { multiplier: 1000n, scale: 100n }, usual)).toBeUndefined();
    expect(amountsOf(exact, { multiplier: 999n, scale: 100n }, usual)?.payout).toBe(9_990_000_000n);
  });
});
