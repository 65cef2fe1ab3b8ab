import { z } from 'zod';
import { CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { GRIDS } from './rules.ts';

const LAST_CELL = Math.max(...GRIDS) - 1;
const Cell = z.number().int().min(0).max(LAST_CELL);
const gridFields = {
  gridCellsCount: z.literal(GRIDS),
  bombsCount: z.number().int().min(1).max(LAST_CELL).meta({ description: 'Less than the cells', example: 3 }),
};

export const MinesPlay = strictObject('MinesPlay', { ...betFields, ...gridFields });

export const MinesAutoSpin = strictObject('MinesAutoSpin', {
  ...betFields,
  ...gridFields,
  cellIndices: z.array(Cell).min(1).max(LAST_CELL),
});

export const MinesOpen = strictObject('MinesOpen', { cellIndex: Cell, windowId: betFields.windowId });

const MinesBetInfo = object('MinesBetInfo', {
  betId: z.string(),
  currencyId: CurrencyId,
  betAmount: Decimal,
  createdAt: Timestamp,
});

export const MinesBoard = object('MinesState', {
  currentMultiplier: z.number(),
  nextMultiplier: z.number(),
  cells: z.record(z.string(), z.enum(['GEM'])).meta({ description: 'Opened cells by their index' }),
  openedCellsCount: z.number().int(),
  gridCellsCount: z.number().int(),
  bombsCount: z.number().int(),
  betInfo: MinesBetInfo,
});

export const MinesResult = object('MinesResult', {
  currencyId: CurrencyId,
  betAmount: Decimal,
  payout: Decimal,
  finishedAt: Timestamp,
  multiplier: z.number(),
  board: z.record(z.string(), z.enum(['GEM', 'BOMB'])).meta({ description: 'Every cell by its index' }),
  betId: z.string(),
});

/** The one of them that holds: whether the round goes on or is over. */
export const MinesOpened = object('MinesOpened', {
  proceed: MinesBoard.optional(),
  finished: MinesResult.optional(),
});

export const MinesConfig = object('MinesConfig', limitFields);
