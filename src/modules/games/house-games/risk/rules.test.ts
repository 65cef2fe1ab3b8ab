import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLowRisk, type LowRiskLimits, type Risk } from '../../../money/bonus/rules.ts';
import { diceOdds, diceRisk } from '../dice/rules.ts';
import { KENO_DRAWN, KENO_NUMBERS, KENO_RISKS, KENO_SCALE, KENO_TABLE } from '../keno/rules.ts';
import { limboRisk } from '../limbo/rules.ts';
import { GRIDS, minesRisk } from '../mines/rules.ts';
import { PLINKO_RISKS, PLINKO_SCALE, PLINKO_TABLE } from '../plinko/rules.ts';
import { ROULETTE_POSITIONS } from '../roulette/layout/rules.ts';
import { type RouletteEntry, type RouletteStake, rouletteStakes, totalOf } from '../roulette/rules.ts';
import { choose, picksRisk } from '../rules.ts';
import { colorsRisk, kenoRisk, plinkoRisk, rouletteRisk } from './rules.ts';

const LIMITS: LowRiskLimits = {
  maxWinChancePercent: 95,
  minMultiplier: 1.1,
  maxCoveragePercent: 90,
  countsOpposites: false,
};
const isLow = (risk: Risk, limits: Partial<LowRiskLimits> = {}) => isLowRisk(risk, { ...LIMITS, ...limits });

const dice = (threshold: number, rtpBp = 9900) =>
  diceRisk(diceOdds({ threshold, above: true }, { rtpBp, maxMultiplier: 9900 })!);
const spin = (...bets: RouletteEntry[]) => {
  const stakes = rouletteStakes(bets, 8) as RouletteStake[];
  return rouletteRisk(stakes, totalOf(stakes));
};
const straights = (count: number, amount = '1'): RouletteEntry[] =>
  Array.from({ length: count }, (_, n) => ({ type: 'STRAIGHT', numbers: [n], amount }));

describe('dice and limbo', () => {
  test.each([
    [2, true],
    [9.99, true],
    [10, false],
    [50, false],
  ])('computes the risk of a roll above %s', (threshold, low) => {
    expect(isLow(dice(threshold))).toBe(low);
  });
  test.each([
    [101, true],
    [109, true],
    [110, false],
    [200, false],
  ])('computes the risk of a target of %s hundredths', (target, low) => {
    expect(isLow(limboRisk(target, 9900))).toBe(low);
  });
  test('uses only the probability of winning when the configured minimum multiplier is lowered', () => {
    const chanceOnly = { minMultiplier: 1 };
    expect(dice(5)).toMatchObject({ chancePpm: 949_905 });
    expect([isLow(dice(5), chanceOnly), isLow(dice(4.9), chanceOnly)]).toEqual([false, true]);
    expect(limboRisk(104, 9900)).toEqual({ chancePpm: 951_923, multiplierE4: 10_400 });
    expect([isLow(limboRisk(105, 9900), chanceOnly), isLow(limboRisk(104, 9900), chanceOnly)]).toEqual([
      false,
      true,
    ]);
  });
});

describe('roulette', () => {
  test.each<[string, RouletteEntry[], boolean]>([
    [
      'both colours',
      [
        { type: 'RED', amount: '2' },
        { type: 'BLACK', amount: '2' },
      ],
      true,
    ],
    [
      'both colours in unequal amounts',
      [
        { type: 'RED', amount: '9' },
        { type: 'BLACK', amount: '1' },
      ],
      true,
    ],
    [
      'odd and even',
      [
        { type: 'ODD', amount: '1' },
        { type: 'EVEN', amount: '1' },
      ],
      true,
    ],
    [
      'low and high',
      [
        { type: 'LOW', amount: '1' },
        { type: 'HIGH', amount: '1' },
      ],
      true,
    ],
    ['every number', straights(37, '0.13'), true],
    ['34 numbers', straights(34), true],
    ['33 numbers, which pay less than 1.1 times', straights(33), true],
    ['32 numbers', straights(32), false],
    ['three dozens', [1, 2, 3].map((n) => ({ type: 'DOZEN', numbers: [n], amount: '1' })), true],
    ['two dozens', [1, 2].map((n) => ({ type: 'DOZEN', numbers: [n], amount: '1' })), false],
    ['three columns', [1, 2, 3].map((n) => ({ type: 'COLUMN', numbers: [n], amount: '1' })), true],
    ['one colour', [{ type: 'RED', amount: '4' }], false],
    [
      'a colour and odd',
      [
        { type: 'RED', amount: '1' },
        { type: 'ODD', amount: '1' },
      ],
      false,
    ],
    ['one number', straights(1), false],
  ])('judges a bet on %s', (_name, bets, low) => {
    expect(isLow(spin(...bets))).toBe(low);
  });
  test.each([2, 5, 40, 1000])(
    'computes the same risk for a bet on 33 numbers when one of them has %s chips',
    (chips) => {
      const heavier: RouletteEntry = { type: 'STRAIGHT', numbers: [7], amount: String(chips - 1) };
      expect(isLow(spin(...straights(33), heavier))).toBe(true);
      expect(isLow(spin(...straights(32), heavier))).toBe(false);
    },
  );
  test('computes the same risk for a bet on red and 15 black numbers as for one on 33 single numbers', () => {
    const black = ROULETTE_POSITIONS.find(({ type }) => type === 'BLACK')!.wins;
    const numbers = [...black].map((n): RouletteEntry => ({ type: 'STRAIGHT', numbers: [n], amount: '1' }));
    const red: RouletteEntry = { type: 'RED', amount: '18' };
    expect(isLow(spin(red, ...numbers.slice(0, 15)))).toBe(true);
    expect(isLow(spin(red, ...numbers.slice(0, 14)))).toBe(false);
  });
  test('treats bets on opposite outcomes as low risk unless the configuration counts opposites as risk', () => {
    const both = spin({ type: 'RED', amount: '1' }, { type: 'BLACK', amount: '1' });
    const open = { maxCoveragePercent: 101, maxWinChancePercent: 100, minMultiplier: 1 };
    expect([isLow(both, open), isLow(both, { ...open, countsOpposites: true })]).toEqual([true, false]);
  });
});

describe('speed-roulette', () => {
  const usd = 100n;
  test.each([
    ['one colour', [{ color: 'RED', usd }], false],
    [
      'two bets on one colour',
      [
        { color: 'RED', usd },
        { color: 'RED', usd },
      ],
      false,
    ],
    [
      'both colours',
      [
        { color: 'RED', usd },
        { color: 'BLACK', usd },
      ],
      true,
    ],
    [
      'both colours and green',
      [
        { color: 'RED', usd },
        { color: 'BLACK', usd },
        { color: 'GREEN', usd },
      ],
      true,
    ],
    [
      'a colour and green',
      [
        { color: 'RED', usd },
        { color: 'GREEN', usd },
      ],
      false,
    ],
  ] as const)('computes the risk of %s in one round', (_name, bets, low) => {
    expect(isLow(colorsRisk(bets))).toBe(low);
  });
});

describe('rounds', () => {
  test.each([
    [{ gridCellsCount: 25, bombsCount: 1 }, 1, true],
    [{ gridCellsCount: 25, bombsCount: 1 }, 2, true],
    [{ gridCellsCount: 25, bombsCount: 1 }, 3, false],
    [{ gridCellsCount: 25, bombsCount: 3 }, 1, false],
    [{ gridCellsCount: 64, bombsCount: 1 }, 6, true],
  ])('computes the risk of mines with %j after %s cells', (grid, picks, low) => {
    expect(isLow(minesRisk(grid, picks, 9900))).toBe(low);
  });
  test('computes the risk of rounds on grids of every size, up to the last cell', () => {
    for (const gridCellsCount of GRIDS)
      expect(minesRisk({ gridCellsCount, bombsCount: 1 }, gridCellsCount, 9900).chancePpm).toBeGreaterThan(0);
  });
  test('classifies one step of an easy monkey run as low risk, but not three steps', () => {
    const steps = (picks: number) => isLow(picksRisk({ places: 20, traps: 1, picks, rtpBp: 9900 }));
    expect([1, 2, 3].map(steps)).toEqual([true, false, false]);
  });
});

test('never classifies a keno card or a plinko board as low risk', () => {
  for (const risk of KENO_RISKS)
    for (let count = 1; count <= 10; count++) {
      const selected = Array.from({ length: count }, (_, n) => n + 1);
      expect(isLow(kenoRisk({ risk, selected })), `${risk} ${count}`).toBe(false);
    }
  for (const risk of PLINKO_RISKS)
    for (let rowsCount = 8; rowsCount <= 16; rowsCount++)
      expect(isLow(plinkoRisk({ risk, rowsCount })), `${risk} ${rowsCount}`).toBe(false);
  expect(kenoRisk({ risk: 'LOW', selected: [1] })).toEqual({ chancePpm: 250_000, multiplierE4: 18_500 });
  expect(plinkoRisk({ risk: 'LOW', rowsCount: 8 })).toEqual({ chancePpm: 726_562, multiplierE4: 11_741 });
});

/** Returns the expected loss as a percentage of the stake, with profits counted as zero. `returns`: weighted multiples of the stake. */
const atRisk = (returns: readonly (readonly [returned: number, weight: number])[]): number => {
  const all = returns.reduce((sum, [, weight]) => sum + weight, 0);
  return (
    returns.reduce((sum, [returned, weight]) => sum + (Math.max(0, 1 - returned) * weight) / all, 0) * 100
  );
};

describe('a bet that counts towards wagering', () => {
  const LEAST = 9.5;
  const amount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10_000 })).map(String);
  const chip = fc.record({ position: fc.constantFrom(...ROULETTE_POSITIONS), amount });
  const straight = fc.record({ numbers: fc.nat({ max: 36 }).map((n) => [n]), amount });
  const chips = fc.oneof(
    fc.array(
      chip.map(({ position: { type, numbers }, amount }) => ({ type, numbers, amount })),
      { minLength: 1, maxLength: 40 },
    ),
    fc.array(
      straight.map((one) => ({ type: 'STRAIGHT' as const, ...one })),
      { minLength: 25, maxLength: 120 },
    ),
  );

  test('counts a roulette layout towards wagering only if it risks at least a tenth of its stake', () => {
    fc.assert(
      fc.property(chips, (entries) => {
        const stakes = rouletteStakes(entries, 8) as RouletteStake[];
        const total = totalOf(stakes);
        const returns = Array.from({ length: 37 }, (_, pocket) => {
          const won = stakes.filter(({ position }) => position.wins.has(pocket));
          const paid = won.reduce((sum, stake) => sum + stake.amount * stake.position.pays, 0n);
          return [Number(paid) / Number(total), 1] as const;
        });
        if (!isLow(rouletteRisk(stakes, total))) expect(atRisk(returns)).toBeGreaterThanOrEqual(10);
      }),
      { numRuns: 2000 },
    );
  });

  test('counts dice, limbo, mines, plinko and keno bets towards wagering only if they risk at least 9.5 % of their stake', () => {
    const two = ({ chancePpm, multiplierE4 }: Risk) =>
      atRisk([
        [multiplierE4 / 10_000, chancePpm],
        [0, 1_000_000 - chancePpm],
      ]);
    const single = [
      ...Array.from({ length: 970 }, (_, i) => dice((i + 20) / 10)),
      ...Array.from({ length: 400 }, (_, i) => limboRisk(101 + i, 9900)),
      ...GRIDS.flatMap((gridCellsCount) =>
        Array.from({ length: 20 }, (_, i) =>
          minesRisk({ gridCellsCount, bombsCount: 1 }, i + 1, 9900),
        ).filter(({ chancePpm }) => chancePpm > 0),
      ),
    ];
    for (const risk of single) if (!isLow(risk)) expect(two(risk)).toBeGreaterThanOrEqual(LEAST);
    for (const risk of PLINKO_RISKS)
      for (const [rows, board] of Object.entries(PLINKO_TABLE[risk])) {
        const returns = board.map(
          (won, i) => [Number(won) / Number(PLINKO_SCALE), Number(choose(Number(rows), i))] as const,
        );
        expect(atRisk(returns), `plinko ${risk} ${rows}`).toBeGreaterThanOrEqual(LEAST);
      }
    for (const risk of KENO_RISKS)
      for (const [i, row] of KENO_TABLE[risk].entries()) {
        const weight = (hits: number) =>
          choose(KENO_DRAWN, hits) * choose(KENO_NUMBERS - KENO_DRAWN, i + 1 - hits);
        const returns = row.map(
          (won, hits) => [Number(won) / Number(KENO_SCALE), Number(weight(hits))] as const,
        );
        expect(atRisk(returns), `keno ${risk} ${i + 1}`).toBeGreaterThanOrEqual(LEAST);
      }
  });
});
