export const GRIDS = [9, 16, 25, 36, 49, 64] as const;
export type GridSize = (typeof GRIDS)[number];
export type Grid = { size: number; bombs: number };

export type ChosenGrid = Grid & { size: GridSize };

/** Returns true if a stored value is a grid that can be bet on. */
export function isGrid(stored: unknown): stored is ChosenGrid {
  const { size = 0, bombs = 0 } = (stored ?? {}) as Partial<Grid>;
  return GRIDS.some((one) => one === size) && Number.isInteger(bombs) && bombs >= 1 && bombs < size;
}

/** Multipliers are in ten-thousandths of the bet amount. */
const SCALE = 10_000;
/** The maximum multiplier. The server opens no tile that would exceed it. */
const MOST = 10_000_000n * BigInt(SCALE);

/**
 * Returns the number of ways to choose k of n cells. The server's rules have this function too, but they would bring the rules of all games
 * with them.
 */
function choose(n: number, k: number): bigint {
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

/** Returns the multipliers for 1, 2 … gems that a round can reach. `rtpBp`: return to player in hundredths of a percent. */
export function ladderOf({ size, bombs }: Grid, rtpBp: number): number[] {
  const ladder: number[] = [];
  for (let picks = 1; picks <= size - bombs; picks++) {
    const multiplier = (BigInt(rtpBp) * choose(size, picks)) / choose(size - bombs, picks);
    if (multiplier > MOST) break;
    ladder.push(Number(multiplier) / SCALE);
  }
  return ladder;
}

/**
 * Returns the return to player of an open round, which may have begun before the game's setting changed. The multiplier of its next gem
 * determines it exactly.
 */
export function rtpBpOf({ size, bombs }: Grid, gems: number, nextMultiplier: number): number {
  const next = BigInt(Math.round(nextMultiplier * SCALE));
  const [all, safe] = [choose(size, gems + 1), choose(size - bombs, gems + 1)];
  return Number((next * safe + all - 1n) / all);
}

/** Returns the cells that were opened: those that the player chose, up to the first bomb. */
export function openedOf(
  chosen: readonly number[],
  board: Readonly<Record<string, 'GEM' | 'BOMB'>>,
): number[] {
  const bomb = chosen.findIndex((cell) => board[cell] === 'BOMB');
  return bomb < 0 ? [...chosen] : chosen.slice(0, bomb + 1);
}
