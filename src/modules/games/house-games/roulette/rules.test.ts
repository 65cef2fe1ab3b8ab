import { describe, expect, test } from 'vitest';
import { given, wordFor } from '../../../../../test/kit/games/chance.ts';
import { sixDigits } from '../../../../../test/kit/games/exact.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { findPosition, ROULETTE_POSITIONS, ROULETTE_TYPES, type RouletteType } from './layout/rules.ts';
import { playRoulette, type RouletteEntry, replayRoulette, rouletteStakes, totalOf } from './rules.ts';

const WHEEL = Array.from({ length: 37 }, (_, n) => n);
const RED = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];
const ones = BigInt(100_000_000);

/** Subsets of the wheel's numbers, in ascending order. */
function* subsets(size: number, from = 0): Generator<number[]> {
  if (size === 0) return yield [];
  for (let n = from; n <= 36; n++) for (const rest of subsets(size - 1, n + 1)) yield [n, ...rest];
}

const sameAs = (numbers: number[], ...others: number[][]) => others.some((o) => o.join() === numbers.join());
/** The layout as described in the rules: true if these numbers, in ascending order, are a position of the type. */
const LAYOUT: Record<string, (numbers: number[]) => boolean> = {
  STRAIGHT: ([n]) => n! <= 36,
  SPLIT: (s) => {
    const [n, m] = s as [number, number];
    if (n === 0) return m <= 3;
    return (m === n + 1 && n % 3 !== 0) || m === n + 3;
  },
  STREET: (s) =>
    sameAs(s, [0, 1, 2], [0, 2, 3]) || (s[0]! % 3 === 1 && s[1] === s[0]! + 1 && s[2] === s[0]! + 2),
  CORNER: (s) => {
    const n = s[0]!;
    return (
      sameAs(s, [0, 1, 2, 3]) || (n > 0 && n % 3 !== 0 && n <= 32 && sameAs(s, [n, n + 1, n + 3, n + 4]))
    );
  },
  LINE: (s) => s[0]! % 3 === 1 && s[0]! <= 31 && s.every((n, i) => n === s[0]! + i),
};
const SIZES: Record<string, number> = { STRAIGHT: 1, SPLIT: 2, STREET: 3, CORNER: 4, LINE: 6 };
const POSITIONS: Record<string, number> = { STRAIGHT: 37, SPLIT: 60, STREET: 14, CORNER: 23, LINE: 11 };
const INSIDE = Object.keys(SIZES) as RouletteType[];
const NAMED = ['DOZEN', 'COLUMN'] as const;
const EVEN_MONEY = ['RED', 'BLACK', 'ODD', 'EVEN', 'LOW', 'HIGH'] as const;

/** Winning numbers and payouts from the rules. */
const WINS: Record<string, (n: number, named: number) => boolean> = {
  DOZEN: (n, d) => n > 12 * (d - 1) && n <= 12 * d,
  COLUMN: (n, c) => n > 0 && n % 3 === c % 3,
  RED: (n) => RED.includes(n),
  BLACK: (n) => n > 0 && !RED.includes(n),
  ODD: (n) => n % 2 === 1,
  EVEN: (n) => n > 0 && n % 2 === 0,
  LOW: (n) => n >= 1 && n <= 18,
  HIGH: (n) => n >= 19,
};

describe('positions', () => {
  test('defines 157 positions: 37 numbers, 60 splits, 14 streets, 23 corners, 11 lines and 12 outside bets', () => {
    expect(ROULETTE_POSITIONS).toHaveLength(157);
    const counts = ROULETTE_TYPES.map((type) => ROULETTE_POSITIONS.filter((p) => p.type === type).length);
    expect(counts).toEqual([37, 60, 14, 23, 11, 3, 3, 1, 1, 1, 1, 1, 1]);
  });

  test.each(INSIDE)('accepts exactly the number sets of the table layout for %s', (type) => {
    let found = 0;
    const wrong: number[][] = [];
    for (const numbers of subsets(SIZES[type]!)) {
      const position = findPosition(type, numbers);
      if (position) found++;
      if ((position !== undefined) !== LAYOUT[type]!(numbers)) wrong.push(numbers);
    }
    expect(wrong).toEqual([]);
    expect(found).toBe(POSITIONS[type]);
  });

  test('accepts the numbers of a position in any order', () => {
    for (const position of ROULETTE_POSITIONS) {
      const [first, ...rest] = position.numbers;
      expect(findPosition(position.type, position.numbers.toReversed())).toBe(position);
      if (first !== undefined) expect(findPosition(position.type, [...rest, first])).toBe(position);
    }
  });

  test('rejects repeated numbers and too many or too few numbers', () => {
    const found = [];
    for (const { type, numbers } of ROULETTE_POSITIONS)
      for (const n of WHEEL) {
        if (findPosition(type, [...numbers, n]) && numbers.length > 0) found.push([type, [...numbers, n]]);
        // After replacing a number, the set is valid only if it is another position of the same type.
        const [first, ...rest] = numbers;
        if (first !== undefined && rest.includes(n) && findPosition(type, [n, ...rest]))
          found.push([type, [n, ...rest]]);
      }
    expect(found).toEqual([]);
    for (const type of INSIDE)
      for (const size of [0, 1, 2, 3])
        if (size !== SIZES[type])
          for (const numbers of subsets(size)) expect(findPosition(type, numbers)).toBeUndefined();
    for (const type of INSIDE) expect(findPosition(type)).toBeUndefined();
  });

  test('requires 1, 2 or 3 for dozens and columns, and no numbers for even-money bets', () => {
    for (const type of NAMED) {
      expect(WHEEL.filter((n) => findPosition(type, [n]))).toEqual([1, 2, 3]);
      for (const numbers of [[], undefined, [1, 2], [1, 1], [1, 2, 3]])
        expect(findPosition(type, numbers)).toBeUndefined();
    }
    for (const type of EVEN_MONEY) {
      expect(findPosition(type)).toBe(findPosition(type, []));
      expect(findPosition(type)).toBeDefined();
      for (const n of WHEEL) expect(findPosition(type, [n])).toBeUndefined();
    }
  });
});

describe('winning numbers', () => {
  test('wins on the stated or implied numbers of each of the 157 positions, and on zero only when zero is stated', () => {
    const wrong = ROULETTE_POSITIONS.flatMap(({ type, numbers, wins }) =>
      WHEEL.filter((n) => wins.has(n) !== (WINS[type]?.(n, numbers[0]!) ?? numbers.includes(n))).map((n) => [
        type,
        numbers,
        n,
      ]),
    );
    expect(wrong).toEqual([]);
    const withZero = ROULETTE_POSITIONS.filter(({ wins }) => wins.has(0));
    expect(withZero.map(({ numbers }) => numbers)).toEqual([
      [0],
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 1, 2],
      [0, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  test('computes an RTP of 36/37 = 97.297297 % for every position over all 37 results', () => {
    const returns = ROULETTE_POSITIONS.map(({ type, numbers }) => {
      const stakes = rouletteStakes([{ type, numbers, amount: '1' }], 2);
      if (!Array.isArray(stakes)) throw new Error(stakes.message);
      const paid = WHEEL.map((n) => playRoulette(stakes, ones, wordFor(n, 37)).multiplier);
      return sixDigits(
        paid.reduce((a, b) => a + b),
        37n * ones,
      );
    });
    expect(returns).toHaveLength(157);
    expect(new Set(returns)).toEqual(new Set(['97.297297']));
  });

  test.each([
    ['STRAIGHT', 36],
    ['SPLIT', 18],
    ['STREET', 12],
    ['CORNER', 9],
    ['LINE', 6],
    ['DOZEN', 3],
    ['COLUMN', 3],
    ...EVEN_MONEY.map((type) => [type, 2] as const),
  ] as const)('of %s pay %d in total', (type, pays) => {
    const all = ROULETTE_POSITIONS.filter((p) => p.type === type);
    expect(all.map((p) => p.pays)).toEqual(all.map(() => BigInt(pays)));
  });
});

describe('entries', () => {
  const red = (amount: string): RouletteEntry => ({ type: 'RED', amount });

  test('keeps the order of entries, allows repeated positions and computes their exact sum', () => {
    const stakes = rouletteStakes(
      [red('0.10'), red('0.2'), { type: 'SPLIT', numbers: [3, 0], amount: '0.3' }],
      2,
    );
    if (!Array.isArray(stakes)) throw new Error(stakes.message);
    expect(stakes.map(({ position, amount }) => [position.type, position.numbers, amount])).toEqual([
      ['RED', [], 10_000_000n],
      ['RED', [], 20_000_000n],
      ['SPLIT', [0, 3], 30_000_000n],
    ]);
    expect(totalOf(stakes)).toBe(60_000_000n);
  });

  test.each([
    [[red('1'), red('0')], 2, '1.amount'],
    [[red('0.00')], 2, '0.amount'],
    [[red('0.005'), red('0.005')], 2, '0.amount'],
    [[red('0.0000001')], 6, '0.amount'],
    [[red('-1')], 8, '0.amount'],
    [[red('1e2')], 8, '0.amount'],
    [[red('1'), red('1'), { type: 'SPLIT', numbers: [1, 1], amount: '1' }], 8, '2.numbers'],
    [[{ type: 'STRAIGHT', amount: '1' }], 8, '0.numbers'],
    [[{ type: 'RED', numbers: [1], amount: '1' }], 8, '0.numbers'],
  ] as [RouletteEntry[], number, string][])(
    'rejects the entries %j with %d decimals and reports %s',
    (bets, decimals, path) => {
      const message = path.endsWith('numbers')
        ? `are no ${bets[Number.parseInt(path, 10)]!.type} of the layout`
        : `needs to be above zero with at most ${decimals} decimals`;
      expect(rouletteStakes(bets, decimals)).toEqual({ path, message });
    },
  );

  test('accepts amounts with the maximum number of decimals without rounding them', () => {
    for (const [amount, decimals] of [
      ['0.00000001', 8],
      ['0.000001', 6],
      ['0.010000', 2],
    ] as const)
      expect(rouletteStakes([red(amount)], decimals)).toHaveLength(1);
  });
});

describe('spin', () => {
  const play = (bets: RouletteEntry[], n: number) => {
    const stakes = rouletteStakes(bets, 8);
    if (!Array.isArray(stakes)) throw new Error(stakes.message);
    return playRoulette(stakes, totalOf(stakes), wordFor(n, 37));
  };

  test('maps an equal share of the random words to every number', () => {
    for (const n of WHEEL) {
      expect(play([{ type: 'RED', amount: '1' }], n).outcome.randomPosition).toBe(n);
      const last = n === 36 ? 2 ** 32 - 1 : wordFor(n + 1, 37) - 1;
      expect(playRoulette([], 1n, last).outcome.randomPosition).toBe(n);
    }
  });

  test('pays all winning entries by type, and rounds the displayed multiplier down to four decimals', () => {
    const bets: RouletteEntry[] = [
      { type: 'STRAIGHT', numbers: [17], amount: '1' },
      { type: 'STRAIGHT', numbers: [17], amount: '0.5' },
      { type: 'CORNER', numbers: [17, 13, 14, 16], amount: '2' },
      { type: 'BLACK', amount: '3' },
      { type: 'RED', amount: '0.5' },
    ];
    expect(play(bets, 17)).toEqual({
      outcome: { randomPosition: 17, multiplier: 11.1428 },
      multiplier: 78n * ones,
      scale: 7n * ones,
    });
    expect(play(bets, 0)).toMatchObject({ outcome: { multiplier: 0 }, multiplier: 0n });
  });

  test("draws the number from the bet's random stream", () => {
    const seed = '0123456789abcdef'.repeat(4);
    const hit = [0, 1, 2, 3].map((nonce) => playRoulette([], 1n, firstNumber(seed, 'fair', nonce)).outcome);
    expect(hit.map((outcome) => outcome.randomPosition)).toEqual([16, 14, 23, 33]);
  });

  test('gets the same result on replay, and rounds the total payout of all entries only once', () => {
    const bets: RouletteEntry[] = [
      { type: 'STRAIGHT', numbers: [5], amount: '0.01' },
      { type: 'HIGH', amount: '0.02' },
    ];
    const stored = (inputs: unknown) => ({ game: 'roulette', rtpBp: 9730, inputs, outcome: {} });
    const again = replayRoulette(stored({ bets }), given([wordFor(5, 37)]))!;
    expect(again.outcome).toEqual({ randomPosition: 5, multiplier: 12 });
    // The payout for one third of 10 units: 3.33 × 36.
    const terms = { rate: 3n * 10n ** 17n, decimals: 8, maxProfitUsd: 10n ** 12n };
    expect(again.pay({ ...terms, betUsd: 3_000_000n, stake: 10n })).toEqual({
      payout: 120n,
      payoutUsd: 36_000_000n,
    });
    const entry = { type: 'RED', amount: '1' };
    for (const inputs of [
      {},
      { bets: [] },
      { bets: Array.from({ length: 201 }, () => entry) },
      { bets: [{ ...entry, type: 'GREEN' }] },
      { bets: [{ ...entry, numbers: [1] }] },
      { bets: [{ ...entry, amount: '0' }] },
    ])
      expect(replayRoulette(stored(inputs), given([0]))).toBeUndefined();
    for (const length of [1, 200])
      expect(replayRoulette(stored({ bets: Array.from({ length }, () => entry) }), given([0]))).toBeDefined();
  });
});
