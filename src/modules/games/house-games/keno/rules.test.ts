import { describe, expect, test } from 'vitest';
import { given } from '../../../../../test/kit/games/chance.ts';
import { choose, sixDigits } from '../../../../../test/kit/games/exact.ts';
import { stream } from '../../fairness/hash.ts';
import {
  areDifferent,
  KENO_MULTIPLIERS,
  KENO_RISKS,
  KENO_SCALE,
  KENO_TABLE,
  type KenoRisk,
  playKeno,
  replayKeno,
} from './rules.ts';

/** Ten 32-bit words that draw the numbers 1 to 10, in this order. */
const LOWEST = Array.from({ length: 10 }, () => 0);
const COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
/** Returns `count` selected numbers, `hits` of which are among 1 to 10. */
const selection = (count: number, hits: number) => [...range(31, count - hits), ...range(1, hits)];

const cases = KENO_RISKS.flatMap((risk) =>
  COUNTS.flatMap((count) => range(0, count + 1).map((hits) => ({ risk, count, hits }))),
);

test('defines an exact multiplier for every risk, count of selected numbers and number of hits', () => {
  expect(cases).toHaveLength(260);
  for (const risk of KENO_RISKS) {
    expect(KENO_TABLE[risk].map((row) => row.length)).toEqual(COUNTS.map((count) => count + 1));
    expect(Object.keys(KENO_MULTIPLIERS[risk])).toEqual(COUNTS.map(String));
    const shown = Object.values(KENO_MULTIPLIERS[risk]).flat();
    expect(KENO_TABLE[risk].flat()).toEqual(shown.map((m) => BigInt(m.toFixed(2).replace('.', ''))));
  }
  expect(KENO_MULTIPLIERS.CLASSIC['7']).toEqual([0, 0, 0.47, 3, 4.5, 14, 31, 60]);
  expect(KENO_MULTIPLIERS.LOW['3']).toEqual([0, 1.1, 1.38, 26]);
  expect(KENO_MULTIPLIERS.HIGH['10']).toEqual([0, 0, 0, 0, 3.5, 8, 13, 63, 500, 800, 1000]);
});

test('pays the multiplier in the table for every count of selected numbers and hits', () => {
  const wrong = cases.filter(({ risk, count, hits }) => {
    const { outcome, multiplier, scale } = playKeno(
      { risk, selected: selection(count, hits) },
      given(LOWEST),
    );
    const due = KENO_MULTIPLIERS[risk][count]![hits]!;
    return outcome.multiplier !== due || multiplier * 100n !== BigInt(Math.round(due * 100)) * scale;
  });
  expect(wrong).toEqual([]);
});

test('draws ten numbers between 1 and 40 in order and uses exactly ten random words', () => {
  const play = (words: number[]) => playKeno({ risk: 'LOW', selected: [1] }, given(words)).outcome.results;
  expect(play(LOWEST)).toEqual(range(1, 10));
  expect(play(LOWEST.map(() => 2 ** 32 - 1))).toEqual(range(31, 10).reverse());
  expect(() => play(LOWEST.slice(1))).toThrow();
});

test('ignores the order of the selected numbers', () => {
  const play = (selected: number[]) => playKeno({ risk: 'HIGH', selected }, given(LOWEST));
  expect(play([40, 3, 1, 2])).toEqual(play([1, 2, 3, 40]));
});

test("draws the numbers from the bet's random stream", () => {
  const seed = '0123456789abcdef'.repeat(4);
  const play = (nonce: number) =>
    playKeno({ risk: 'MEDIUM', selected: [3, 7, 16] }, stream(seed, 'fair', nonce)).outcome;
  expect([0, 1, 2, 3].map(play)).toEqual([
    { results: [19, 33, 3, 14, 34, 39, 31, 2, 7, 18], multiplier: 2.8 },
    { results: [16, 26, 23, 7, 15, 18, 9, 3, 37, 4], multiplier: 50 },
    { results: [26, 4, 37, 33, 21, 25, 11, 9, 24, 34], multiplier: 0 },
    { results: [37, 20, 6, 23, 30, 34, 32, 24, 3, 29], multiplier: 0 },
  ]);
});

describe('replay', () => {
  const stored = (inputs: unknown) => ({ game: 'keno', rtpBp: 9900, inputs, outcome: {} });
  const terms = { betUsd: 200n, stake: 100n, rate: 2n * 10n ** 12n, decimals: 8, maxProfitUsd: 10n ** 12n };

  test('replays a bet with the same outcome and payout', () => {
    const inputs = { risk: 'CLASSIC', selected: [1, 2, 40] } as const;
    const again = replayKeno(stored(inputs), given(LOWEST))!;
    expect(again.outcome).toEqual(playKeno(inputs, given(LOWEST)).outcome);
    expect(again.pay(terms)).toEqual({ payout: 310n, payoutUsd: 620n });
  });

  test.each([1, 10])('accepts a selection of %i numbers', (count) => {
    expect(replayKeno(stored({ risk: 'LOW', selected: range(1, count) }), given(LOWEST))).toBeDefined();
  });

  test.each([
    [{}],
    [{ risk: 'LOW' }],
    [{ risk: 'low', selected: [1] }],
    [{ risk: 'toString', selected: [1] }],
    [{ risk: 'LOW', selected: [] }],
    [{ risk: 'LOW', selected: range(1, 11) }],
    [{ risk: 'LOW', selected: [0] }],
    [{ risk: 'LOW', selected: [41] }],
    [{ risk: 'LOW', selected: [1, 41] }],
    [{ risk: 'LOW', selected: [1.5] }],
    [{ risk: 'LOW', selected: ['1'] }],
    [{ risk: 'LOW', selected: [4, 4] }],
    [{ risk: 'LOW', selected: '1' }],
  ])('rejects %j', (inputs) => {
    expect(replayKeno(stored(inputs), given(LOWEST))).toBeUndefined();
  });

  test('rejects a repeated number at any position', () => {
    expect(areDifferent([1, 2, 3])).toBe(true);
    for (const twice of [
      [1, 1],
      [1, 2, 1],
      [3, 2, 1, 2],
    ])
      expect(areDifferent(twice)).toBe(false);
  });
});

describe('RTP in rational arithmetic, by count of selected numbers', () => {
  const RETURNS: Record<KenoRisk, string> = {
    CLASSIC:
      '99.000000 99.038462 99.018219 98.960499 98.985803 98.966517 98.981535 99.022828 98.975340 99.037352',
    LOW: '98.750000 98.846154 98.866397 98.922202 98.903053 99.008371 98.938760 99.004180 99.068864 98.759737',
    MEDIUM:
      '98.750000 98.653846 98.987854 98.782690 98.944086 98.834665 98.961786 98.923635 98.942020 98.974315',
    HIGH: '99.000000 98.653846 98.987854 98.905788 98.889375 98.998796 98.961786 98.957105 98.964456 99.008323',
  };

  test.each(KENO_RISKS)('%s', (risk) => {
    const returns = KENO_TABLE[risk].map((row, i) => {
      const count = i + 1;
      const paid = row.map((multiplier, hits) => {
        return multiplier * choose(count, hits) * choose(40 - count, 10 - hits);
      });
      return sixDigits(
        paid.reduce((a, b) => a + b),
        choose(40, 10) * KENO_SCALE,
      );
    });
    expect(returns.join(' ')).toBe(RETURNS[risk]);
  });
});
