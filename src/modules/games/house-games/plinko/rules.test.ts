import { describe, expect, test } from 'vitest';
import { given } from '../../../../../test/kit/games/chance.ts';
import { choose, sixDigits } from '../../../../../test/kit/games/exact.ts';
import { stream } from '../../fairness/hash.ts';
import {
  PLINKO_RISKS,
  PLINKO_SCALE,
  PLINKO_TABLE,
  type PlinkoRisk,
  playPlinko,
  replayPlinko,
} from './rules.ts';

const ROWS = [8, 9, 10, 11, 12, 13, 14, 15, 16];
const HALF = 2 ** 31;
/**
 * Returns words that send the ball right in the first `rights` rows and left in the others. They are the lowest word that sends it right
 * and the highest word that sends it left.
 */
const path = (rights: number, rows: number) =>
  Array.from({ length: rows }, (_, row) => (row < rights ? HALF : HALF - 1));

const cases = PLINKO_RISKS.flatMap((risk) =>
  ROWS.flatMap((rowsCount) =>
    Array.from({ length: rowsCount + 1 }, (_, bucket) => ({ risk, rowsCount, bucket })),
  ),
);

test('defines symmetric multipliers for the buckets of every board', () => {
  expect(cases).toHaveLength(351);
  for (const risk of PLINKO_RISKS) {
    expect(Object.keys(PLINKO_TABLE[risk])).toEqual(ROWS.map(String));
    for (const rows of ROWS) {
      expect(PLINKO_TABLE[risk][rows]).toHaveLength(rows + 1);
      expect(PLINKO_TABLE[risk][rows]!.toReversed()).toEqual(PLINKO_TABLE[risk][rows]);
    }
  }
  expect(PLINKO_TABLE.LOW[8]).toEqual([560n, 210n, 110n, 100n, 50n, 100n, 110n, 210n, 560n]);
  expect(PLINKO_TABLE.HIGH[16]!.slice(0, 9)).toEqual([
    100_000n,
    13_000n,
    2600n,
    900n,
    400n,
    200n,
    20n,
    20n,
    20n,
  ]);
});

test('pays the multiplier in the table for every bucket, whatever path the ball took', () => {
  const wrong = cases.filter(({ risk, rowsCount, bucket }) => {
    const words = path(bucket, rowsCount);
    const due = PLINKO_TABLE[risk][rowsCount]![bucket]!;
    return [words, words.toReversed()].some((way) => {
      const { outcome, multiplier, scale } = playPlinko({ risk, rowsCount }, given(way));
      const isDrawn = outcome.results.join() === way.map((word) => (word < HALF ? 0 : 1)).join();
      return multiplier !== due || scale !== 100n || outcome.multiplier !== Number(due) / 100 || !isDrawn;
    });
  });
  expect(wrong).toEqual([]);
});

test('uses exactly one random word for each row', () => {
  for (const rowsCount of ROWS) {
    const { outcome } = playPlinko({ risk: 'LOW', rowsCount }, given(path(0, rowsCount)));
    expect(outcome.results).toHaveLength(rowsCount);
    expect(() => playPlinko({ risk: 'LOW', rowsCount }, given(path(0, rowsCount - 1)))).toThrow();
  }
});

test("computes the path from the bet's random stream", () => {
  const seed = '0123456789abcdef'.repeat(4);
  const play = (nonce: number) => {
    const { results, multiplier } = playPlinko(
      { risk: 'HIGH', rowsCount: 16 },
      stream(seed, 'fair', nonce),
    ).outcome;
    return [results.join(''), multiplier];
  };
  expect([0, 1, 2, 3].map(play)).toEqual([
    ['0100111000010001', 0.2],
    ['0110000010111101', 0.2],
    ['1011110011000000', 0.2],
    ['1101111101011111', 9],
  ]);
});

describe('replay', () => {
  const stored = (inputs: unknown) => ({ game: 'plinko', rtpBp: 9900, inputs, outcome: {} });
  const terms = { betUsd: 200n, stake: 100n, rate: 2n * 10n ** 12n, decimals: 8, maxProfitUsd: 10n ** 12n };

  test('replays a bet with the same outcome and payout', () => {
    const inputs = { risk: 'MEDIUM', rowsCount: 12 } as const;
    const again = replayPlinko(stored(inputs), given(path(2, 12)))!;
    expect(again.outcome).toEqual(playPlinko(inputs, given(path(2, 12))).outcome);
    expect(again.pay(terms)).toEqual({ payout: 400n, payoutUsd: 800n });
  });

  test.each(ROWS)('accepts %i rows', (rowsCount) => {
    expect(replayPlinko(stored({ risk: 'LOW', rowsCount }), given(path(0, rowsCount)))).toBeDefined();
  });

  test.each([
    [{}],
    [{ risk: 'LOW', rowsCount: 7 }],
    [{ risk: 'LOW', rowsCount: 17 }],
    [{ risk: 'LOW', rowsCount: 8.5 }],
    [{ risk: 'LOW', rowsCount: '8' }],
    [{ risk: 'CLASSIC', rowsCount: 8 }],
    [{ risk: 'constructor', rowsCount: 8 }],
    [{ rowsCount: 8 }],
  ])('rejects %j', (inputs) => {
    expect(replayPlinko(stored(inputs), given(path(0, 16)))).toBeUndefined();
  });
});

describe('RTP in rational arithmetic, by rows', () => {
  const RETURNS: Record<PlinkoRisk, string> = {
    LOW: '98.984375 98.984375 99.003906 99.003906 98.979492 98.999023 99.000244 99.000854 98.998718',
    MEDIUM: '98.906250 99.140625 98.906250 99.023438 98.989258 98.994141 98.994141 98.998413 98.988342',
    HIGH: '99.062500 99.062500 99.062500 99.160156 99.116211 99.086914 98.978271 99.026489 98.976440',
  };

  test.each(PLINKO_RISKS)('%s', (risk) => {
    const returns = ROWS.map((rows) => {
      const paid = PLINKO_TABLE[risk][rows]!.map((multiplier, bucket) => multiplier * choose(rows, bucket));
      return sixDigits(
        paid.reduce((a, b) => a + b),
        2n ** BigInt(rows) * PLINKO_SCALE,
      );
    });
    expect(returns.join(' ')).toBe(RETURNS[risk]);
  });
});
