import { describe, expect, test } from 'vitest';
import { minesMultiplier } from '../src/modules/games/house-games/mines/rules.ts';
import { PICK_SCALE } from '../src/modules/games/house-games/rules.ts';
import { units } from '../src/platform/money.ts';
import { keeper } from '../web/kit/storage.ts';
import {
  isSide,
  multiplierOf,
  sideOf,
  winningFor,
  winningOf,
  winningRange,
} from '../web/lobby/games/dice-odds.ts';
import { partOf, placeAt } from '../web/lobby/games/limbo-path.ts';
import { GRIDS, isGrid, ladderOf, openedOf, rtpBpOf } from '../web/lobby/games/mines-odds.ts';
import { cameraAt, jumpMs, jumpOf, stoneAt } from '../web/lobby/games/monkey-path.ts';
import { levelOf } from '../web/lobby/games/play/levels.ts';
import { changed, countOf, type Plan, planOf, reached } from '../web/lobby/games/play/plan.ts';
import { bucketOf, bucketX, fallMs, fallOf, layoutOf, rowsHit } from '../web/lobby/games/plinko-path.ts';

describe('level of an outcome', () => {
  test.each([
    ['loss', '2', '0', 0],
    ['return', '2', '1.20', 0.6],
    ['return', '2', '2', 1],
    ['win', '2', '2.02', 1.01],
    ['win', '1', '49.99', 49.99],
    ['big', '2.5', '50', 20],
    ['win', '100', '1999', 19.99],
  ] as const)('is %s for a bet of %s that pays %s', (level, betAmount, payout, multiplier) => {
    expect(levelOf({ betAmount, payout, multiplier })).toBe(level);
  });
});

describe('dice', () => {
  const config = { rtp: 99, maxMultiplier: 9900 };

  test('keeps every bet within the rules of the game', () => {
    const { least, most } = winningRange(config);
    for (const winning of [-5, 0, least, 4950, most, 20_000])
      for (const above of [true, false]) {
        const side = sideOf(winning, above, config);
        expect(multiplierOf(side, config), JSON.stringify(side)).toBeGreaterThanOrEqual(1.01);
        expect(winningOf(side)).toBeGreaterThanOrEqual(least);
        expect(winningOf(side)).toBeLessThanOrEqual(most);
      }
  });

  test('finds the threshold for a multiplier and the chance on both sides', () => {
    expect(sideOf(winningFor(2, config), true, config)).toEqual({ above: true, threshold: 50.5 });
    expect(sideOf(winningFor(2, config), false, config)).toEqual({ above: false, threshold: 49.5 });
    expect(multiplierOf({ above: true, threshold: 50.5 }, config)).toBe(2);
  });
});

describe('limbo', () => {
  test('rises with the multiplier up to the end of the curve', () => {
    const parts = [1, 1.5, 2, 10, 100, 1_000_000].map((multiplier) => partOf(multiplier, 2));
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(parts.at(-1)).toBeCloseTo(1, 5);
    expect(placeAt(1)).toMatchObject({ x: 744, y: 150 });
  });
});

describe('autoplay', () => {
  const plan: Plan = { count: 50, onWin: 'reset', onLoss: 'reset', stopOnLoss: units('5') };
  const tally = { left: 50, net: 0n, stake: units('1') };

  test('places several bets together only if no outcome but the last can meet a condition', () => {
    expect(countOf(plan, tally)).toBe(5);
    expect(countOf(plan, { ...tally, net: -units('3') })).toBe(2);
    expect(countOf(plan, { ...tally, left: 3 })).toBe(3);
    expect(countOf({ ...plan, stopOnProfit: units('5') }, tally)).toBe(1);
    expect(countOf({ ...plan, onLoss: 100n }, tally)).toBe(1);
  });

  test('rejects counts and percentages that are not whole numbers or too large, instead of dropping characters', () => {
    const typed = { count: '50', onWin: '', onLoss: '100', profit: '', loss: '20', win: '' };
    expect(planOf(typed)).toMatchObject({ wrong: [], plan: { count: 50, onWin: 'reset', onLoss: 100n } });
    for (const text of ['1e3', '-5', '1.5', '0x10', '٣', '10000']) {
      expect(planOf({ ...typed, count: text }).wrong, text).toEqual(['count']);
      expect(planOf({ ...typed, onLoss: text }).wrong, text).toEqual(['onLoss']);
    }
  });

  test('resets or increases the bet amount', () => {
    expect(changed(units('4'), 'reset', units('1'))).toBe(units('1'));
    expect(changed(units('1'), 50n, units('1'))).toBe(units('1.5'));
    expect(changed(units('0.01'), 10n, units('0.01'))).toBe(units('0.01'));
    expect(changed(units('0.001'), 10n, units('0.001'))).toBe(units('0.001'));
  });

  test('stops at the loss, the profit and the win that the player has set', () => {
    const stops = { ...plan, stopOnProfit: units('5'), stopOnWin: units('3') };
    expect(reached(stops, -units('4.99'), -units('1'))).toBeUndefined();
    expect(reached(stops, -units('5'), -units('1'))).toBe('loss');
    expect(reached(stops, units('5'), units('3'))).toBe('profit');
    expect(reached(stops, units('1'), units('3.01'))).toBe('win');
  });
});

describe('mines', () => {
  const rtpBp = 9900;

  test('shows the multipliers that the server pays', () => {
    for (const size of GRIDS)
      for (const bombs of [1, 3, size - 1]) {
        const grid = { gridCellsCount: size, bombsCount: bombs };
        const paid = (gems: number) => Number(minesMultiplier(grid, gems, rtpBp)) / Number(PICK_SCALE);
        const ladder = ladderOf({ size, bombs }, rtpBp);
        expect(ladder).toEqual(ladder.map((_, i) => paid(i + 1)));
        expect(Math.max(...ladder)).toBeLessThanOrEqual(10_000_000);
      }
  });

  test('finds the return to player of an open round from its next multiplier', () => {
    const grid = { size: 25, bombs: 3 };
    for (const rtp of [8000, 9731, 9900])
      for (const gems of [0, 1, 5, 20])
        expect(rtpBpOf(grid, gems, ladderOf(grid, rtp)[gems]!), `${rtp} ${gems}`).toBe(rtp);
  });

  test('counts the tiles of an automatic round up to the first mine', () => {
    const board = { 0: 'GEM', 1: 'BOMB', 2: 'GEM', 3: 'GEM' } as const;
    expect(openedOf([2, 1, 0], board)).toEqual([2, 1]);
    expect(openedOf([2, 3], board)).toEqual([2, 3]);
  });
});

describe('plinko', () => {
  test('lets the ball end in its bucket, within the longest reveal', () => {
    for (let rows = 8; rows <= 16; rows++) {
      const layout = layoutOf(rows);
      const results = Array.from({ length: rows }, (_, row) => (row % 3 === 0 ? 1 : 0));
      const { across, down } = fallOf(layout, results);
      const end = Number(/translateX\((.*)px\)/.exec(String(across.at(-1)!.transform))![1]);
      expect(end).toBeCloseTo(bucketX(layout, bucketOf(results)));
      for (const frames of [across, down]) {
        const offsets = frames.map(({ offset }) => offset as number);
        expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        expect([offsets[0], offsets.at(-1)]).toEqual([0, 1]);
      }
      expect(rowsHit(rows, 0.999)).toBe(rows);
      expect(fallMs(rows)).toBeLessThan(2000);
    }
  });
});

describe('monkey run', () => {
  test('jumps from stone to stone and stays on the stage', () => {
    for (let tile = 1; tile < 20; tile++) {
      const heights = jumpOf(stoneAt(tile - 1), stoneAt(tile));
      expect(heights[0]).toBe(stoneAt(tile - 1).y);
      expect(heights.at(-1)).toBe(stoneAt(tile).y);
      expect(Math.min(...heights)).toBeLessThan(stoneAt(tile).y - 50);
      expect(cameraAt(tile) + stoneAt(tile).x).toBeLessThanOrEqual(420);
      expect(tile * jumpMs(tile)).toBeLessThanOrEqual(1200);
    }
  });
});

describe('kept settings of a game', () => {
  const stored = (text: string | null) =>
    keeper(() => ({ getItem: () => text, setItem: () => {}, removeItem: () => {} }));

  test('are restored', () => {
    expect(stored('{"threshold":74.38,"above":true}').read('', isSide)).toEqual({
      threshold: 74.38,
      above: true,
    });
    expect(stored('{"size":25,"bombs":24}').read('', isGrid)).toEqual({ size: 25, bombs: 24 });
  });

  test.each([
    null,
    '',
    '{',
    'null',
    '7',
    '[]',
    '{"threshold":"50","above":true}',
    '{"threshold":0,"above":true}',
  ])('are ignored when the browser stored %s', (text) =>
    expect(stored(text).read('', isSide)).toBeUndefined(),
  );

  test.each([
    '{"size":26,"bombs":3}',
    '{"size":9,"bombs":9}',
    '{"size":9,"bombs":0}',
    '{"size":9,"bombs":1.5}',
  ])('are ignored when the grid is %s', (text) => expect(stored(text).read('', isGrid)).toBeUndefined());
});
