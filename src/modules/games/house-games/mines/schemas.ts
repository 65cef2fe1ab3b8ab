import { z } from 'zod';
import { CurrencyId, Decimal, Timestamp } from '../../../../http/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { GRIDS } from './rules.ts';

const LAST_CELL = Math.max(...GRIDS) - 1;
const Cell = z.number().int().min(0).max(LAST_CELL);
const gridFields = {
  gridCellsCount: z.literal(GRIDS),
  bombsCount: z.number().int().min(1).max(LAST_CELL).meta({ description: 'Less than the cells', example: 3 }),
};

export const MinesPlay = z.strictObject({ ...betFields, ...gridFields }).meta({ id: 'MinesPlay' });

export const MinesAutoSpin = z
  .strictObject({ ...betFields, ...gridFields, cellIndices: z.array(Cell).min(1).max(LAST_CELL) })
  .meta({ id: 'MinesAutoSpin' });

export const MinesOpen = z
  .strictObject({ cellIndex: Cell, windowId: betFields.windowId })
  .meta({ id: 'MinesOpen' });

const MinesBetInfo = z
  .object({ betId: z.string(), currencyId: CurrencyId, betAmount: Decimal, createdAt: Timestamp })
  .meta({ id: 'MinesBetInfo' });

export const MinesBoard = z
  .object({
    currentMultiplier: z.number(),
    nextMultiplier: z.number(),
    cells: z.record(z.string(), z.enum(['GEM'])).meta({ description: 'Opened cells by their index' }),
    openedCellsCount: z.number().int(),
    gridCellsCount: z.number().int(),
    bombsCount: z.number().int(),
    betInfo: MinesBetInfo,
  })
  .meta({ id: 'MinesState' });

export const MinesResult = z
  .object({
    currencyId: CurrencyId,
    betAmount: Decimal,
    payout: Decimal,
    finishedAt: Timestamp,
    multiplier: z.number(),
    board: z.record(z.string(), z.enum(['GEM', 'BOMB'])).meta({ description: 'Every cell by its index' }),
    betId: z.string(),
  })
  .meta({ id: 'MinesResult' });

/** The one of them that holds: whether the round goes on or is over. */
export const MinesOpened = z
  .object({ proceed: MinesBoard.optional(), finished: MinesResult.optional() })
  .meta({ id: 'MinesOpened' });

export const MinesConfig = z.object(limitFields).meta({ id: 'MinesConfig' });
