import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RTPS, SEED, TERMS } from '../../../../../test/kit/accounts/terms.ts';
import { allDraws, drawn, numbersOf, positions, refusalOf } from '../../../../../test/kit/games/chance.ts';
import { bySize, choose, sixDigits } from '../../../../../test/kit/games/exact.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { units } from '../../../../platform/money.ts';
import { type Next, payoutsOf, type Terms } from '../../betting/rules.ts';
import { PICK_SCALE } from '../rules.ts';
import {
  autoSpinFault,
  autoSpinMines,
  boardOf,
  cashOutMines,
  GRIDS,
  type Grid,
  giveUpMines,
  isReachable,
  type MinesInputs,
  type MinesOutcome,
  type MinesRound,
  minesMultiplier,
  openMines,
  replayMines,
} from './rules.ts';

const GRIDS_AND_BOMBS = GRIDS.flatMap((gridCellsCount) =>
  Array.from({ length: gridCellsCount - 1 }, (_, i): Grid => ({ gridCellsCount, bombsCount: i + 1 })),
);

type Point = { n: bigint; b: bigint; k: bigint; multiplier: bigint };

/** Every reachable cash-out, computed only from the definition of the game. */
function pointsAt(rtpBp: number): Point[] {
  return GRIDS_AND_BOMBS.flatMap(({ gridCellsCount, bombsCount }) => {
    const [n, b] = [BigInt(gridCellsCount), BigInt(bombsCount)];
    const points: Point[] = [];
    for (let k = 1n; k <= n - b; k++) {
      const multiplier = (BigInt(rtpBp) * choose(n, k)) / choose(n - b, k);
      if (multiplier > 10_000_000n * 10_000n) break;
      points.push({ n, b, k, multiplier });
    }
    return points;
  });
}

describe('multipliers', () => {
  test.each([
    [8000, 3510],
    [9900, 3496],
    [9990, 3494],
  ])(
    'defines the multipliers at %i basis points for exactly %i combinations of grid, bombs and open cells',
    (rtpBp, count) => {
      const points = pointsAt(rtpBp);
      expect(points).toHaveLength(count);
      const known = new Set(points.map(({ n, b, k }) => `${n} ${b} ${k}`));
      for (const { n, b, k, multiplier } of points)
        expect(minesMultiplier(gridOf(n, b), Number(k), rtpBp)).toBe(multiplier);
      for (const grid of GRIDS_AND_BOMBS)
        for (let k = 1; k <= grid.gridCellsCount; k++)
          expect(isReachable(grid, k, rtpBp)).toBe(
            known.has(`${grid.gridCellsCount} ${grid.bombsCount} ${k}`),
          );
    },
  );

  test('computes RTPs between 98.990938 % (64 cells, 1 bomb, 5 opened) and 99 % at all 3,496 cash-out points', () => {
    const returns = pointsAt(9900).map((point) => {
      const { n, b, k } = point;
      const multiplier = minesMultiplier(gridOf(n, b), Number(k), 9900);
      return { point, value: multiplier * choose(n - b, k), whole: PICK_SCALE * choose(n, k) };
    });
    const sorted = returns.toSorted(bySize);
    const least = sorted[0]!;
    const most = sorted.at(-1)!;
    expect(sixDigits(least.value, least.whole)).toBe('98.990938');
    expect([least.point.n, least.point.b, least.point.k]).toEqual([64n, 1n, 5n]);
    expect(most.value * 100n).toBe(most.whole * 99n);
  });

  test.each(RTPS)(
    'computes the configured RTP minus rounding at every cash-out point when the RTP is %i basis points',
    (rtpBp) => {
      for (const { n, b, k } of pointsAt(rtpBp)) {
        const exact = BigInt(rtpBp) * choose(n, k);
        const below = exact - minesMultiplier(gridOf(n, b), Number(k), rtpBp) * choose(n - b, k);
        expect(below >= 0n && below < choose(n - b, k)).toBe(true);
      }
    },
  );

  test('starts at a multiplier of 1, and never reaches the maximum multiplier on a grid of 25 cells', () => {
    expect(minesMultiplier(gridOf(25, 3), 0, 8000)).toBe(PICK_SCALE);
    const of25 = pointsAt(9900).filter(({ n }) => n === 25n);
    expect(of25).toHaveLength((24 * 25) / 2);
    const most = of25.reduce((max, { multiplier }) => (multiplier > max ? multiplier : max), 0n);
    expect(most).toBe(51_482_970_000n);
  });

  test.each([
    [gridOf(36, 10), 24],
    [gridOf(64, 20), 29],
    [gridOf(49, 24), 17],
    [gridOf(64, 63), 1],
    [gridOf(25, 12), 13],
  ])('end %j with %i open cells', (grid, last) => {
    const cells = safeCells(grid).slice(0, last);
    let round = roundOf(grid);
    for (const [i, cell] of cells.entries()) {
      const turn = openMines(round, cell, bombsLast(grid));
      expect(turn.end !== undefined).toBe(i === last - 1);
      round = { ...round, state: turn.state };
    }
    expect(autoSpinFault({ ...grid, cellIndices: cells }, 9900)).toBeUndefined();
    const more = [...cells, grid.gridCellsCount - 1];
    expect(autoSpinFault({ ...grid, cellIndices: more }, 9900)).toBe('cellIndices');
  });
});

describe('bombs', () => {
  test.each([
    [gridOf(9, 3), 0, [4, 7, 0]],
    [gridOf(25, 3), 1, [9, 16, 14]],
    [gridOf(64, 10), 2, [40, 5, 58, 51, 33, 39, 16, 14, 37, 53]],
    [gridOf(16, 15), 3, [14, 7, 2, 9, 11, 13, 12, 6, 0, 10, 4, 15, 5, 8, 3]],
  ])('of %j with nonce %i are at %j', (grid, nonce, bombs) => {
    const next = numbersOf({ serverSeed: SEED, clientSeed: 'fair' }, nonce);
    const spin = autoSpinMines({ ...grid, cellIndices: [0] }, { terms: TERMS, rtpBp: 9900 }, next);
    expect(spin.outcome.bombs).toEqual(bombs);
  });

  test.each([1, 2, 3])(
    'computes the RTP as multiplier times probability at every cash-out point of 9 cells with %i bombs',
    (b) => {
      const grid = gridOf(9, b);
      const draws = allDraws(9, b);
      for (let k = 1; k <= 9 - b; k++) {
        const inputs = { ...grid, cellIndices: [4, 0, 8, 2, 6, 1, 3, 5].slice(0, k) };
        const won = draws.reduce(
          (sum, draw) =>
            sum + autoSpinMines(inputs, { terms: TERMS, rtpBp: 9900 }, positions(draw, 9)).multiplier,
          0n,
        );
        const [n, traps, picks] = [9n, BigInt(b), BigInt(k)];
        expect(won * choose(n, picks)).toBe(
          minesMultiplier(grid, k, 9900) * choose(n - traps, picks) * BigInt(draws.length),
        );
      }
    },
  );

  test('shows every cell with its bomb, if any, after the round', () => {
    expect(boardOf(gridOf(9, 2), [8, 0])).toEqual({
      0: 'BOMB',
      1: 'GEM',
      2: 'GEM',
      3: 'GEM',
      4: 'GEM',
      5: 'GEM',
      6: 'GEM',
      7: 'GEM',
      8: 'BOMB',
    });
  });
});

describe('a round', () => {
  const grid = gridOf(25, 3);
  const next = () => bombsLast(grid)();

  test('continues the round after a safe cell and stores only the opened cell', () => {
    const turn = openMines(roundOf(grid), 7, bombsLast(grid));
    expect(turn).toEqual({ state: { ...grid, opened: [7] } });
    expect(openMines(roundOf(grid, [7]), 3, bombsLast(grid))).toEqual({ state: { ...grid, opened: [7, 3] } });
  });

  test('loses the round when a bomb is opened', () => {
    expect(openMines(roundOf(grid, [7, 3]), 24, bombsLast(grid))).toEqual({
      state: { ...grid, opened: [7, 3] },
      end: {
        inputs: { ...grid, cellIndices: [7, 3, 24] },
        outcome: { bombs: [22, 23, 24], opened: 3, multiplier: 0 },
        paid: { payout: 0n, payoutUsd: 0n },
        risk: expect.any(Function),
      },
    });
  });

  test('pays the multiplier for the number of open cells', () => {
    expect(cashOutMines(roundOf(grid, [7, 3, 0]), bombsLast(grid)).end).toEqual({
      inputs: { ...grid, cellIndices: [7, 3, 0] },
      outcome: { bombs: [22, 23, 24], opened: 3, multiplier: 1.4785 },
      paid: { payout: units('1.47'), payoutUsd: units('1.47') },
      risk: expect.any(Function),
    });
  });

  test.each([25, 63, 7])('rejects opening cell %i', (cell) => {
    const message = 'needs to be a cell from 0 to 24 that is not open yet';
    expect(() => openMines(roundOf(grid, [7]), cell, next)).toThrow(
      commonErrors.VALIDATION_FAILED({ fields: [{ path: 'cellIndex', message }] }),
    );
  });

  test('rejects a cash-out before any cell is open', () => {
    expect(refusalOf(() => cashOutMines(roundOf(grid), next))).toBe('409 ACTION_NOT_ALLOWED');
  });

  test('cashes out an abandoned round, or voids the round if no cell is open', () => {
    const begun = roundOf(grid, [7, 3]);
    const { state, end } = cashOutMines(begun, bombsLast(grid));
    expect(giveUpMines(begun, bombsLast(grid))).toEqual({
      state,
      end: { ...(end as object), risk: expect.any(Function) },
    });
    expect(giveUpMines(roundOf(grid), bombsLast(grid))).toEqual({ state: roundOf(grid).state, end: 'void' });
  });

  // The multipliers for 25 cells and 3 bombs at 99 % are 1.125, 1.2857, 1.4785, 1.7132 …
  test.each([
    ['reached exactly', '100', '47.85', 3],
    ['missed by a cent', '100', '47.86', 4],
    ['passed', '100', '30', 3],
    ['reached with the rounded payout', '0.99', '0.47', 3],
    ['missed by the cent', '0.99', '0.48', 4],
    ['finer than payouts are', '100', '47.859', 3],
  ])(
    'maxProfit %s: ends a bet of %s with a maximum profit of %s after %i cells',
    (_, bet, maxProfit, last) => {
      const money = { betUsd: units(bet), stake: units(bet), maxProfitUsd: units(maxProfit) };
      let round: MinesRound = { ...roundOf(grid), ...money };
      for (let cell = 0; cell < last; cell++) {
        const turn = openMines(round, cell, bombsLast(grid));
        expect(turn.end !== undefined).toBe(cell === last - 1);
        round = { ...round, state: turn.state };
      }
      const inputs = { ...grid, cellIndices: [0, 1, 2, 3, 4, 24] };
      const spin = autoSpinMines(inputs, { terms: { ...TERMS, ...money }, rtpBp: 9900 }, bombsLast(grid));
      expect(spin.outcome.opened).toBe(last);
      expect(spin.multiplier).toBe(minesMultiplier(grid, last, 9900));
    },
  );
});

describe('automatic rounds', () => {
  const on = { terms: TERMS, rtpBp: 9900 };

  test.each([
    [gridOf(9, 9), [0], 'bombsCount'],
    [gridOf(9, 64), [0], 'bombsCount'],
    [gridOf(9, 3), [9], 'cellIndices'],
    [gridOf(9, 3), [0, 9], 'cellIndices'],
    [gridOf(9, 3), [0, 1, 0], 'cellIndices'],
    [gridOf(9, 3), [0, 1, 2, 3, 4, 5, 6], 'cellIndices'],
    [gridOf(9, 3), [0, 1, 2, 3, 4, 5], undefined],
    [gridOf(64, 30), Array.from({ length: 25 }, (_, i) => i), 'cellIndices'],
  ] as const)('reports the invalid field of %j and %j: %s', (grid, cells, fault) => {
    expect(autoSpinFault({ ...grid, cellIndices: [...cells] }, 9900)).toBe(fault);
  });

  test('opens the cells of an automatic round in the given order until it opens a bomb', () => {
    const grid = gridOf(9, 2);
    const spin = (cellIndices: number[]) => autoSpinMines({ ...grid, cellIndices }, on, bombsLast(grid));
    expect(spin([6, 0, 8, 1])).toEqual({
      outcome: { bombs: [7, 8], opened: 3, multiplier: 0 },
      multiplier: 0n,
      scale: PICK_SCALE,
    });
    expect(spin([6, 0])).toMatchObject({
      outcome: { opened: 2 },
      multiplier: minesMultiplier(grid, 2, 9900),
    });
    expect(spin([8]).outcome.opened).toBe(1);
  });
});

const game = fc.constantFrom(...GRIDS_AND_BOMBS).chain((grid) =>
  fc.record({
    grid: fc.constant(grid),
    order: fc.shuffledSubarray(
      Array.from({ length: grid.gridCellsCount }, (_, i) => i),
      { minLength: 1 },
    ),
    stopAfter: fc.integer({ min: 1, max: 64 }),
    rtpBp: fc.constantFrom(...RTPS),
    nonce: fc.nat(1_000_000),
    betUsd: fc.integer({ min: 1, max: 100_000 }).map((cents) => BigInt(cents) * 1_000_000n),
    maxProfitUsd: fc.integer({ min: 1, max: 10_000_000 }).map((cents) => BigInt(cents) * 1_000_000n),
  }),
);

describe('any game', () => {
  test('ends every possible game as the rules define, and gets the same result on replay', () => {
    fc.assert(
      fc.property(game, ({ grid, order, stopAfter, rtpBp, nonce, betUsd, maxProfitUsd }) => {
        const terms = { ...TERMS, betUsd, stake: betUsd, maxProfitUsd };
        const stream = (): Next => numbersOf({ serverSeed: SEED, clientSeed: 'any' }, nonce);
        const bombs = drawn([0, grid.gridCellsCount - 1], grid.bombsCount, stream());
        const { opened, end } = playOut(
          { ...terms, rtpBp, state: { ...grid, opened: [] } },
          { order, stopAfter, stream },
        );
        // A second implementation of the game's definition computes the number of cells and the payout.
        const hit = order.slice(0, stopAfter).findIndex((cell) => bombs.includes(cell));
        const limit = lastOf(grid, rtpBp, terms);
        const safe = Math.min(limit, stopAfter, order.length, hit < 0 ? Number.POSITIVE_INFINITY : hit);
        const isLost = hit >= 0 && hit === safe && hit < limit;
        expect(opened).toEqual(order.slice(0, safe));
        const inputs: MinesInputs = { ...grid, cellIndices: order.slice(0, isLost ? safe + 1 : safe) };
        const multiplier = isLost ? 0n : minesMultiplier(grid, safe, rtpBp);
        const outcome: MinesOutcome = {
          bombs,
          opened: inputs.cellIndices.length,
          multiplier: Number(multiplier) / 10_000,
        };
        const paid = payoutsOf({ ...terms, multiplier, scale: PICK_SCALE });
        expect(end).toEqual({ inputs, outcome, paid, risk: expect.any(Function) });
        const again = replayMines({ game: 'mines', rtpBp, inputs, outcome }, stream())!;
        expect(again.outcome).toEqual(outcome);
        expect(again.pay(terms)).toEqual(paid);
        expect(autoSpinMines(inputs, { terms, rtpBp }, stream())).toEqual({
          outcome,
          multiplier,
          scale: PICK_SCALE,
        });
      }),
      { seed: 35, numRuns: 500 },
    );
  });
});

describe('a stored bet', () => {
  const grid = gridOf(9, 2);
  const again = (inputs: object, outcome: object) =>
    replayMines({ game: 'mines', rtpBp: 9900, inputs, outcome }, bombsLast(grid));
  const cells = (...cellIndices: number[]) => ({ ...grid, cellIndices });

  test.each([
    ['opened beyond the first bomb', cells(0, 8, 1), { opened: 3 }],
    ['opened beyond a bomb in the first cell', cells(8, 1), { opened: 2 }],
    ['opened more than was asked for', cells(0, 1), { opened: 3 }],
    ['opened nothing', cells(0, 1), { opened: 0 }],
    ['a fractional opened count', cells(0, 1), { opened: 1.5 }],
    ['no opened count', cells(0, 1), {}],
    ['a cell twice', cells(0, 0), { opened: 2 }],
    ['a cell outside the grid', cells(9), { opened: 1 }],
    ['a negative cell', cells(-1), { opened: 1 }],
    ['a negative cell after another', cells(0, -1), { opened: 1 }],
    ['a fractional cell', cells(0.5), { opened: 1 }],
    ['no cell', cells(), { opened: 0 }],
    ['no list of cells', { ...grid, cellIndices: '0' }, { opened: 1 }],
    ['more cells than are safe', cells(0, 1, 2, 3, 4, 5, 6, 7), { opened: 7 }],
    ['no such grid', { ...cells(0), gridCellsCount: 10 }, { opened: 1 }],
    ['no bomb', { ...cells(0), bombsCount: 0 }, { opened: 1 }],
    ['a fractional bomb', { ...cells(0), bombsCount: 1.5 }, { opened: 1 }],
    ['bombs alone', { ...cells(0), bombsCount: 9 }, { opened: 1 }],
  ])('rejects a stored bet: %s', (_, inputs, outcome) => {
    expect(again(inputs, outcome)).toBeUndefined();
  });

  test('replays a bet with the correct bombs and multiplier', () => {
    const outcome = { bombs: [1, 2], opened: 2, multiplier: 100 };
    expect(again(cells(0, 8), outcome)?.outcome).toEqual({ bombs: [7, 8], opened: 2, multiplier: 0 });
  });

  test('corrects the payout of a stored automatic round that stopped too early or too late', () => {
    const inputs = cells(0, 1, 2, 3);
    const stopped = again(inputs, { opened: 2 })!;
    expect(stopped.outcome).toEqual({ bombs: [7, 8], opened: 2, multiplier: 1.6971 });
    const payoutAt = (k: number, terms: Terms) =>
      payoutsOf({ ...terms, multiplier: minesMultiplier(grid, k, 9900), scale: PICK_SCALE });
    expect(stopped.pay(TERMS)).toEqual(payoutAt(4, TERMS));
    const capped = { ...TERMS, maxProfitUsd: units('0.6') };
    expect(stopped.pay(capped)).toEqual(payoutAt(2, capped));
    expect(again(inputs, { opened: 4 })!.pay(capped)).toEqual(payoutAt(2, capped));
  });
});

/** Opens cells until the round ends automatically or the player stops. */
function playOut(
  start: MinesRound,
  { order, stopAfter, stream }: { order: number[]; stopAfter: number; stream: () => Next },
) {
  let round = start;
  for (const cell of order.slice(0, stopAfter)) {
    const turn = openMines(round, cell, stream());
    round = { ...round, state: turn.state };
    if (turn.end) return { opened: round.state.opened, end: turn.end };
    expect(Object.keys(turn.state)).toEqual(['gridCellsCount', 'bombsCount', 'opened']);
  }
  return { opened: round.state.opened, end: cashOutMines(round, stream()).end };
}

/** Returns the number of cells after which a round ends automatically. */
function lastOf(grid: Grid, rtpBp: number, { betUsd, maxProfitUsd }: Terms): number {
  const [n, b] = [BigInt(grid.gridCellsCount), BigInt(grid.bombsCount)];
  let last = 0;
  for (let k = 1n; k <= n - b; k++) {
    const multiplier = (BigInt(rtpBp) * choose(n, k)) / choose(n - b, k);
    if (multiplier > 100_000_000_000n) break;
    last = Number(k);
    const cents = ((betUsd / 1_000_000n) * multiplier) / 10_000n;
    if (cents - betUsd / 1_000_000n >= maxProfitUsd / 1_000_000n) break;
  }
  return last;
}

function roundOf(grid: Grid, opened: number[] = []): MinesRound {
  return { ...TERMS, rtpBp: 9900, state: { ...grid, opened } };
}

/** Returns a stream whose numbers place the bombs in the last cells. */
function bombsLast({ gridCellsCount, bombsCount }: Grid): Next {
  const first = gridCellsCount - bombsCount;
  return positions(Array.from({ length: bombsCount }).fill(first) as number[], gridCellsCount);
}

const safeCells = ({ gridCellsCount, bombsCount }: Grid) =>
  Array.from({ length: gridCellsCount - bombsCount }, (_, i) => i);

function gridOf(n: number | bigint, b: number | bigint): Grid {
  return { gridCellsCount: Number(n), bombsCount: Number(b) };
}
