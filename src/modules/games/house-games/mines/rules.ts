import { invalidField } from '../../../../platform/errors.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { type Next, payoutsOf, type Return, type Terms, type Turn } from '../../betting/rules.ts';
import { draw, range } from '../../fairness/rules.ts';
import {
  hasReachedMaxProfit,
  PICK_SCALE,
  pickMultiplier,
  picksRisk,
  type Replayed,
  type StoredBet,
} from '../rules.ts';

/** Allowed numbers of cells. */
export const GRIDS = [9, 16, 25, 36, 49, 64] as const;

export type Grid = { gridCellsCount: number; bombsCount: number };

/** The player's decisions. `cellIndices` are the cells in the order in which they were opened or, in an automatic round, requested. */
export type MinesInputs = Grid & { cellIndices: number[] };

/** `bombs`: in draw order; `opened`: number of opened cells, including a bomb; `multiplier`: 0 for a loss. */
export type MinesOutcome = { bombs: number[]; opened: number; multiplier: number };

/** State of an open round: the opened safe cells, in order. The bombs are drawn again for each request. */
export type MinesState = Grid & { opened: number[] };

/** The part of an open round that the rules use. */
export type MinesRound = Terms & { rtpBp: number; state: MinesState };

/** Maximum multiplier. A cell that would pay more cannot be opened. */
const CEILING = 10_000_000n * PICK_SCALE;

/** Returns the multiplier for k safe cells in units of 1 / PICK_SCALE: 1 for zero cells, otherwise floor(rtpBp × C(n,k) / C(n−b,k)). */
export function minesMultiplier({ gridCellsCount, bombsCount }: Grid, k: number, rtpBp: number): bigint {
  return pickMultiplier({ places: gridCellsCount, traps: bombsCount, picks: k, rtpBp });
}

/** Returns the risk of a round in which the player tried to open k cells, the last of which may have been a bomb. */
export const minesRisk = (
  { gridCellsCount: places, bombsCount: traps }: Grid,
  picks: number,
  rtpBp: number,
) => picksRisk({ places, traps, picks: Math.min(picks, places - traps), rtpBp });

/**
 * Returns true if a round can have k opened safe cells: the grid contains that many safe cells, and they pay at most 10,000,000 times the
 * stake.
 */
export function isReachable(grid: Grid, k: number, rtpBp: number): boolean {
  return k <= grid.gridCellsCount - grid.bombsCount && minesMultiplier(grid, k, rtpBp) <= CEILING;
}

/** Opens one more cell. Throws 400 for a cell that is already open or not on the grid. */
export function openMines(round: MinesRound, cellIndex: number, next: Next): Turn<MinesState> {
  const { state, rtpBp } = round;
  if (cellIndex >= state.gridCellsCount || state.opened.includes(cellIndex)) {
    const message = `needs to be a cell from 0 to ${state.gridCellsCount - 1} that is not open yet`;
    throw invalidField('cellIndex', message);
  }
  const bombs = drawBombs(state, next);
  const cellIndices = [...state.opened, cellIndex];
  if (bombs.includes(cellIndex)) return { state, end: endOf(round, cellIndices, { bombs, isLost: true }) };
  const opened = { ...state, opened: cellIndices };
  if (!isOver({ terms: round, rtpBp }, state, cellIndices.length)) return { state: opened };
  return { state: opened, end: endOf(round, cellIndices, { bombs, isLost: false }) };
}

/** Ends the round with the payout for the open cells. Throws 409 ACTION_NOT_ALLOWED while no cell is open. */
export function cashOutMines(round: MinesRound, next: Next): Turn<MinesState> {
  const { state } = round;
  if (state.opened.length === 0) throw bettingErrors.ACTION_NOT_ALLOWED();
  return { state, end: endOf(round, state.opened, { bombs: drawBombs(state, next), isLost: false }) };
}

/** Ends an abandoned round: cashes out if a cell is open, otherwise voids it. */
export function giveUpMines(round: MinesRound, next: Next): Turn<MinesState> {
  return round.state.opened.length > 0 ? cashOutMines(round, next) : { state: round.state, end: 'void' };
}

/** Returns the invalid field of an automatic round, or undefined. */
export function autoSpinFault(inputs: MinesInputs, rtpBp: number): 'cellIndices' | 'bombsCount' | undefined {
  const { gridCellsCount, bombsCount, cellIndices } = inputs;
  if (bombsCount >= gridCellsCount) return 'bombsCount';
  const isOnGrid = cellIndices.every((cell) => cell < gridCellsCount);
  const isDistinct = new Set(cellIndices).size === cellIndices.length;
  return isOnGrid && isDistinct && isReachable(inputs, cellIndices.length, rtpBp) ? undefined : 'cellIndices';
}

/**
 * Plays an automatic round with allowed inputs. Opens the cells in order. If an opened cell contains a bomb, the round is lost; otherwise
 * the number of opened cells determines the payout. Stops early if nothing more can be won.
 */
export function autoSpinMines(
  inputs: MinesInputs,
  on: Ground,
  next: Next,
): Return & { outcome: MinesOutcome } {
  const bombs = drawBombs(inputs, next);
  const { opened, isLost } = run(inputs, on, bombs);
  return resultOf(inputs, { bombs, opened, isLost, rtpBp: on.rtpBp });
}

/**
 * Replays a stored bet of an automatic or manual round. The number of opened cells is read from the outcome and checked against the bombs.
 * `pay` opens the cells again under the bet's terms, which checks the number against maxProfit.
 */
export function replayMines({ inputs, outcome, rtpBp }: StoredBet, next: Next): Replayed | undefined {
  const mines = inputs as MinesInputs;
  if (!isPlayable(mines, rtpBp)) return undefined;
  const { opened } = outcome as MinesOutcome;
  if (!Number.isInteger(opened) || opened < 1 || opened > mines.cellIndices.length) return undefined;
  const bombs = drawBombs(mines, next);
  const firstBomb = mines.cellIndices.findIndex((cell) => bombs.includes(cell));
  if (firstBomb >= 0 && opened > firstBomb + 1) return undefined;
  return {
    outcome: resultOf(mines, { bombs, opened, isLost: opened === firstBomb + 1, rtpBp }).outcome,
    pay: (terms) =>
      payoutsOf({ ...terms, ...resultOf(mines, { bombs, ...run(mines, { terms, rtpBp }, bombs), rtpBp }) }),
  };
}

/** All cells of a finished round by index. */
export function boardOf({ gridCellsCount }: Grid, bombs: readonly number[]): Record<string, 'GEM' | 'BOMB'> {
  const cells = range(0, gridCellsCount - 1);
  return Object.fromEntries(cells.map((cell) => [cell, bombs.includes(cell) ? 'BOMB' : 'GEM']));
}

/** The parameters that limit the number of opened cells. */
type Ground = { terms: Terms; rtpBp: number };
type Run = { opened: number; isLost: boolean };

/** Draws `bombsCount` cells from 0 … gridCellsCount − 1 and returns them in draw order. */
const drawBombs = ({ gridCellsCount, bombsCount }: Grid, next: Next): number[] =>
  draw(range(0, gridCellsCount - 1), bombsCount, next);

function run(inputs: MinesInputs, on: Ground, bombs: readonly number[]): Run {
  let opened = 0;
  for (const cell of inputs.cellIndices) {
    opened++;
    if (bombs.includes(cell)) return { opened, isLost: true };
    if (isOver(on, inputs, opened)) break;
  }
  return { opened, isLost: false };
}

/** Returns true if a round with k open cells ends automatically: there is no next cell, or nothing more can be won. */
function isOver({ terms, rtpBp }: Ground, grid: Grid, k: number): boolean {
  if (!isReachable(grid, k + 1, rtpBp)) return true;
  return hasReachedMaxProfit({ ...terms, multiplier: minesMultiplier(grid, k, rtpBp), scale: PICK_SCALE });
}

function resultOf(grid: Grid, { bombs, opened, isLost, rtpBp }: Run & { bombs: number[]; rtpBp: number }) {
  const multiplier = isLost ? 0n : minesMultiplier(grid, opened, rtpBp);
  const outcome: MinesOutcome = { bombs, opened, multiplier: Number(multiplier) / Number(PICK_SCALE) };
  return { outcome, multiplier, scale: PICK_SCALE };
}

function endOf(round: MinesRound, cellIndices: number[], drawn: { bombs: number[]; isLost: boolean }) {
  const { gridCellsCount, bombsCount } = round.state;
  const { rtpBp } = round;
  const inputs: MinesInputs = { gridCellsCount, bombsCount, cellIndices };
  const { outcome, ...paid } = resultOf(inputs, { ...drawn, opened: cellIndices.length, rtpBp });
  const risk = () => minesRisk(inputs, cellIndices.length, rtpBp);
  return { inputs, outcome, risk, paid: payoutsOf({ ...round, ...paid }) };
}

function isPlayable(inputs: MinesInputs, rtpBp: number): boolean {
  const { gridCellsCount, bombsCount, cellIndices } = inputs;
  return (
    GRIDS.includes(gridCellsCount as (typeof GRIDS)[number]) &&
    Number.isInteger(bombsCount) &&
    bombsCount >= 1 &&
    Array.isArray(cellIndices) &&
    cellIndices.every((cell) => Number.isInteger(cell) && cell >= 0) &&
    autoSpinFault(inputs, rtpBp) === undefined
  );
}
