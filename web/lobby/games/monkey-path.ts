/** The size of the drawing. Its sides are cut off on narrow stages. */
export const WIDTH = 876;
export const HEIGHT = 580;
/** Distance of two stones. */
const GAP = 150;
const STONE_Y = 440;
/** Every second stone is a little higher. */
const STONE_RISE = 10;
/** Height of a jump. */
const RISE = 64;
/** The monkey's place on the stage moves to the right with its first jumps. Then the camera follows it. */
const FIRST_X = 240;
const ADVANCE = 60;
const MOST_X = 420;
/** Stones within this part of the stage are visible on phones too. */
const VISIBLE = { from: 150, to: 720 };
const SAMPLES = 12;

export type Point = { x: number; y: number };

/** Returns the place of a stone in the river. Tile 0 is the bank where a round begins. */
export const stoneAt = (tile: number): Point => ({
  x: tile * GAP,
  y: tile % 2 === 0 && tile > 0 ? STONE_Y - STONE_RISE : STONE_Y,
});

/** Returns how far the camera moves the river while the monkey is on a tile. */
export const cameraAt = (tile: number): number =>
  Math.min(FIRST_X + ADVANCE * tile, MOST_X) - stoneAt(tile).x;

/** Returns the tile for which the camera shows a stone, when the monkey is on `step`. */
export function viewOf(stone: number, step: number): number {
  const x = stoneAt(stone).x + cameraAt(step);
  return x >= VISIBLE.from && x <= VISIBLE.to ? step : Math.max(0, stone - 1);
}

/** Returns the heights of a jump from one place to another, as a parabola. */
export function jumpOf(from: Point, to: Point): number[] {
  return Array.from({ length: SAMPLES + 1 }, (_, i) => {
    const part = i / SAMPLES;
    return from.y + (to.y - from.y) * part - RISE * 4 * part * (1 - part);
  });
}

/** Returns the place in the water between the last safe stone and the trap. */
export const swimAt = (step: number): Point => ({ x: stoneAt(step).x + GAP / 2, y: STONE_Y + 76 });

const JUMP_MS = 420;
/** A run over several tiles ends within this time. */
const RUN_MS = 1200;
export const jumpMs = (jumps: number): number => Math.min(JUMP_MS, RUN_MS / jumps);
