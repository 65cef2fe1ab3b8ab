import { GRIDS, isReachable, minesMultiplier } from '../../src/modules/games/house-games/mines/rules.ts';
import {
  DIFFICULTIES,
  stepMultiplier,
  stepsOf,
  TILES,
} from '../../src/modules/games/house-games/monkey-run/rules.ts';
import { PICK_SCALE } from '../../src/modules/games/house-games/rules.ts';
import { choose, extremes, type Fraction, type Point, percent } from './fraction.ts';
import type { Prizes } from './smallest.ts';

const RTP = 9900;

/** Returns the RTP of a round that stops after `picks` safe picks, if `safe` of the `places` are safe. */
function stopReturn(multiplier: bigint, places: number, safe: number, picks: number): Fraction {
  return { value: multiplier * choose(safe, picks), whole: PICK_SCALE * choose(places, picks) };
}

function* minesStops() {
  for (const cells of GRIDS) {
    for (let bombs = 1; bombs < cells; bombs++) {
      const grid = { gridCellsCount: cells, bombsCount: bombs };
      for (let opened = 1; isReachable(grid, opened, RTP); opened++)
        yield { grid, opened, multiplier: minesMultiplier(grid, opened, RTP) };
    }
  }
}

function* minesPoints(): Generator<Point<string>> {
  for (const { grid, opened, multiplier } of minesStops()) {
    const { gridCellsCount: cells, bombsCount: bombs } = grid;
    yield {
      at: `${cells} ${bombs} ${opened}`,
      of: stopReturn(multiplier, cells, cells - bombs, opened),
    };
  }
}

/** Returns the prizes of a round that is cashed out after this many safe picks. */
const stopBet = (multiplier: bigint, places: number, safe: number, picks: number): Prizes => ({
  whole: choose(places, picks),
  prizes: [{ multiplier, scale: PICK_SCALE, ways: choose(safe, picks) }],
});

export function* minesBets(): Generator<Prizes> {
  for (const { grid, opened, multiplier } of minesStops()) {
    const { gridCellsCount: cells, bombsCount: bombs } = grid;
    yield stopBet(multiplier, cells, cells - bombs, opened);
  }
}

export const monkeyRunBets = (): Prizes[] =>
  DIFFICULTIES.flatMap((difficulty) => {
    const steps = stepsOf(difficulty);
    return Array.from({ length: steps }, (_, i) =>
      stopBet(stepMultiplier(difficulty, i + 1, RTP), TILES, steps, i + 1),
    );
  });

/**
 * Computes the RTP at every point where a round can be cashed out. `minAt` is the point with the lowest RTP: the numbers of cells, bombs
 * and opened cells.
 */
export function minesReturns() {
  const { min, max, count } = extremes(minesPoints());
  return { combinations: count, min: percent(min.of), minAt: min.at, max: percent(max.of) };
}

/** Returns the range of returns over all steps, by difficulty. */
export function monkeyRunReturns() {
  return Object.fromEntries(
    DIFFICULTIES.map((difficulty) => {
      const steps = stepsOf(difficulty);
      const points = Array.from({ length: steps }, (_, i) => ({
        at: i + 1,
        of: stopReturn(stepMultiplier(difficulty, i + 1, RTP), TILES, steps, i + 1),
      }));
      const { min, max } = extremes(points);
      return [difficulty, { min: percent(min.of), minAt: min.at, max: percent(max.of) }];
    }),
  );
}
