import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { bettingErrors } from '../../betting/errors.ts';
import type { OpenRound, ShownRound } from '../../betting/rounds.ts';
import { basisPoints } from '../../betting/rules.ts';
import { stream } from '../../fairness/hash.ts';
import { PICK_SCALE } from '../rules.ts';
import { ACTION, betFields, limitFields, READ, RoundAction, START } from '../schemas.ts';
import { configOf, type HouseGameDeps } from '../settings.ts';
import {
  autoSpinFault,
  autoSpinMines,
  boardOf,
  cashOutMines,
  GRIDS,
  type MinesOutcome,
  type MinesState,
  minesMultiplier,
  minesRisk,
  openMines,
} from './rules.ts';

const LAST_CELL = Math.max(...GRIDS) - 1;
const Cell = z.number().int().min(0).max(LAST_CELL);
const gridFields = {
  gridCellsCount: z.literal(GRIDS),
  bombsCount: z
    .number()
    .int()
    .min(1)
    .max(LAST_CELL)
    .meta({ description: 'Must be less than the number of cells', example: 3 }),
};

const MinesPlay = strictObject('MinesPlay', { ...betFields, ...gridFields });

const MinesAutoSpin = strictObject('MinesAutoSpin', {
  ...betFields,
  ...gridFields,
  cellIndices: z.array(Cell).min(1).max(LAST_CELL),
});

const MinesOpen = strictObject('MinesOpen', { cellIndex: Cell, windowId: betFields.windowId });

const MinesBetInfo = object('MinesBetInfo', {
  betId: z.string(),
  currencyId: CurrencyId,
  betAmount: Decimal,
  createdAt: Timestamp,
});

const MinesBoard = object('MinesState', {
  currentMultiplier: z.number(),
  nextMultiplier: z.number(),
  cells: z
    .record(z.string(), z.enum(['GEM']))
    .meta({ description: 'The opened cells, with the cell index as key' }),
  openedCellsCount: z.number().int(),
  gridCellsCount: z.number().int(),
  bombsCount: z.number().int(),
  betInfo: MinesBetInfo,
});

const MinesResult = object('MinesResult', {
  currencyId: CurrencyId,
  betAmount: Decimal,
  payout: Decimal,
  finishedAt: Timestamp,
  multiplier: z.number(),
  board: z
    .record(z.string(), z.enum(['GEM', 'BOMB']))
    .meta({ description: 'All cells, with the cell index as key' }),
  betId: z.string(),
});

/** The response contains only one of these fields, depending on whether the round continues. */
const MinesOpened = object('MinesOpened', {
  proceed: MinesBoard.optional(),
  finished: MinesResult.optional(),
});

const MinesConfig = object('MinesConfig', limitFields);

export const startMines = operation({
  ...START,
  path: '/casino/games/house/mines/play',
  summary: 'Start a round of mines',
  body: MinesPlay,
  response: MinesBoard,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) => {
    const { gridCellsCount, bombsCount } = body;
    if (bombsCount >= gridCellsCount) throw invalidGrid('bombsCount');
    return rounds.start({
      by,
      game: games.get('mines'),
      body,
      begin: () => ({ state: { gridCellsCount, bombsCount, opened: [] } }),
      answer: toBoard,
    });
  },
});

export const openCell = operation({
  ...ACTION,
  path: '/casino/games/house/mines/open',
  summary: 'Open a cell in the open round of mines',
  description: 'Returns `proceed` if the round continues and `finished` if it is over.',
  body: MinesOpen,
  response: MinesOpened,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.act({
      by,
      game: games.get('mines'),
      operation: 'mines.open',
      body,
      act: (round: OpenRound<MinesState>, next) => openMines(round, body.cellIndex, next!),
      answer: (round: ShownRound<MinesState>) =>
        round.end ? { finished: toResult(round) } : { proceed: toBoard(round) },
    }),
});

export const cashOut = operation({
  ...ACTION,
  path: '/casino/games/house/mines/cash-out',
  summary: 'Cash out the open round of mines',
  body: RoundAction,
  response: MinesResult,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.act({
      by,
      game: games.get('mines'),
      operation: 'mines.cash-out',
      body,
      act: (round: OpenRound<MinesState>, next) => cashOutMines(round, next!),
      answer: toResult,
    }),
});

export const autoSpin = operation({
  ...START,
  path: '/casino/games/house/mines/auto-spin',
  summary: 'Play a whole round of mines automatically',
  description: 'Opens the cells in the given order, then cashes out.',
  body: MinesAutoSpin,
  response: MinesResult,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) => {
    const { gridCellsCount, bombsCount, cellIndices } = body;
    const inputs = { gridCellsCount, bombsCount, cellIndices };
    const game = games.get('mines');
    const rtpBp = basisPoints(game.settings.rtp);
    const fault = autoSpinFault(inputs, rtpBp);
    if (fault) throw invalidGrid(fault);
    return rounds.playAlone(
      { by, game, body },
      {
        inputs,
        risk: () => minesRisk(inputs, cellIndices.length, rtpBp),
        play: ({ serverSeed, clientSeed }, nonce, terms) =>
          autoSpinMines(inputs, { terms, rtpBp }, stream(serverSeed, clientSeed, nonce)),
        answer: ({ betId, currencyId, createdAt, betUsd, payoutUsd, outcome }) => ({
          currencyId,
          betAmount: formatUnits(betUsd),
          payout: formatUnits(payoutUsd),
          finishedAt: createdAt,
          multiplier: outcome.multiplier,
          board: boardOf(inputs, outcome.bombs),
          betId,
        }),
      },
    );
  },
});

export const getBoard = operation({
  ...READ,
  path: '/casino/games/house/mines/board',
  summary: 'Get the open round of mines',
  response: MinesBoard,
  errors: [bettingErrors.ROUND_NOT_FOUND],
  handler: async ({ games, rounds }: HouseGameDeps, { user }) =>
    toBoard(await rounds.get<MinesState>(user.id, games.get('mines'))),
});

export const getMinesConfig = operation(
  configOf('mines', {
    summary: 'Get the limits of mines',
    response: MinesConfig,
    read: ({ games }) => games.config('mines'),
  }),
);

/** The player's view of an open round. It never contains the closed cells. */
function toBoard({
  state,
  rtpBp,
  betUsd,
  betId,
  currencyId,
  createdAt,
}: OpenRound<MinesState>): z.input<typeof MinesBoard> {
  const { opened, gridCellsCount, bombsCount } = state;
  const multiplierOf = (k: number) => Number(minesMultiplier(state, k, rtpBp)) / Number(PICK_SCALE);
  return {
    currentMultiplier: multiplierOf(opened.length),
    nextMultiplier: multiplierOf(opened.length + 1),
    cells: Object.fromEntries(opened.map((cell) => [cell, 'GEM'])),
    openedCellsCount: opened.length,
    gridCellsCount,
    bombsCount,
    betInfo: {
      betId: String(betId),
      currencyId,
      betAmount: formatUnits(betUsd),
      createdAt: iso(createdAt),
    },
  };
}

function toResult({
  state,
  end,
  finishedAt,
  betUsd,
  betId,
  currencyId,
}: ShownRound<MinesState>): z.input<typeof MinesResult> {
  const { outcome, paid } = end as { outcome: MinesOutcome } & Exclude<typeof end, 'void' | undefined>;
  return {
    currencyId,
    betAmount: formatUnits(betUsd),
    payout: formatUnits(paid.payoutUsd),
    finishedAt: finishedAt!,
    multiplier: outcome.multiplier,
    board: boardOf(state, outcome.bombs),
    betId: String(betId),
  };
}

function invalidGrid(path: 'bombsCount' | 'cellIndices') {
  const message =
    path === 'bombsCount'
      ? 'needs to be less than gridCellsCount'
      : 'needs different cells of the grid, no more than can be opened in a round';
  return invalidField(path, message);
}
