import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Bettor, basisPoints } from '../../betting/play.ts';
import type { OpenRound, Rounds, ShownRound } from '../../betting/rounds.ts';
import { stream } from '../../fairness/hash.ts';
import { PICK_SCALE } from '../rules.ts';
import type { RoundAction } from '../schemas.ts';
import type { HouseGames } from '../settings.ts';
import {
  autoSpinFault,
  autoSpinMines,
  boardOf,
  cashOutMines,
  type MinesOutcome,
  type MinesState,
  minesMultiplier,
  openMines,
} from './rules.ts';
import type {
  MinesAutoSpin,
  MinesBoard,
  MinesConfig,
  MinesOpen,
  MinesOpened,
  MinesPlay,
  MinesResult,
} from './schemas.ts';

export type Mines = ReturnType<typeof createMines>;
type Board = z.input<typeof MinesBoard>;
type Result = z.input<typeof MinesResult>;
type Opened = z.input<typeof MinesOpened>;

type Deps = { games: HouseGames; rounds: Rounds };

export function createMines(deps: Deps) {
  const { games, rounds } = deps;
  return {
    config: (): z.input<typeof MinesConfig> => games.config('mines'),

    /** The open round; throws 404 ROUND_NOT_FOUND. */
    board: async (userId: number): Promise<Board> =>
      toBoard(await rounds.get<MinesState>(userId, games.get('mines'))),

    async play(by: Bettor, body: z.output<typeof MinesPlay>): Promise<Board> {
      const { gridCellsCount, bombsCount } = body;
      if (bombsCount >= gridCellsCount) throw unplayable('bombsCount');
      return rounds.start({
        by,
        game: games.get('mines'),
        body,
        begin: () => ({ state: { gridCellsCount, bombsCount, opened: [] } }),
        answer: toBoard,
      });
    },

    async open(by: Bettor, body: z.output<typeof MinesOpen>): Promise<Opened> {
      return rounds.act({
        by,
        game: games.get('mines'),
        operation: 'mines.open',
        body,
        act: (round: OpenRound<MinesState>, next) => openMines(round, body.cellIndex, next!),
        answer: (round: ShownRound<MinesState>) =>
          round.end ? { finished: toResult(round) } : { proceed: toBoard(round) },
      });
    },

    async cashOut(by: Bettor, body: z.output<typeof RoundAction>): Promise<Result> {
      return rounds.act({
        by,
        game: games.get('mines'),
        operation: 'mines.cash-out',
        body,
        act: (round: OpenRound<MinesState>, next) => cashOutMines(round, next!),
        answer: toResult,
      });
    },

    autoSpin: (by: Bettor, body: z.output<typeof MinesAutoSpin>): Promise<Result> => autoSpin(deps, by, body),
  };
}

/** A round in one step. */
async function autoSpin(
  { games, rounds }: Deps,
  by: Bettor,
  body: z.output<typeof MinesAutoSpin>,
): Promise<Result> {
  const { gridCellsCount, bombsCount, cellIndices } = body;
  const inputs = { gridCellsCount, bombsCount, cellIndices };
  const game = games.get('mines');
  const rtpBp = basisPoints(game.settings.rtp);
  const fault = autoSpinFault(inputs, rtpBp);
  if (fault) throw unplayable(fault);
  return rounds.playAlone({
    by,
    game,
    body,
    inputs,
    play: ({ serverSeed, clientSeed }, nonce, terms) =>
      autoSpinMines(inputs, { terms, rtpBp }, stream(serverSeed, clientSeed, nonce)),
    answer: ({ betId, currencyId, createdAt, betUsd, payoutUsd, outcome }): Result => ({
      currencyId,
      betAmount: formatUnits(betUsd),
      payout: formatUnits(payoutUsd),
      finishedAt: createdAt,
      multiplier: outcome.multiplier,
      board: boardOf(inputs, outcome.bombs),
      betId,
    }),
  });
}

/** An open round: what has been opened, never what lies under the rest. */
function toBoard({ state, rtpBp, betUsd, betId, currencyId, createdAt }: OpenRound<MinesState>): Board {
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

function toResult({ state, end, finishedAt, betUsd, betId, currencyId }: ShownRound<MinesState>): Result {
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

function unplayable(path: 'bombsCount' | 'cellIndices') {
  const message =
    path === 'bombsCount'
      ? 'needs to be less than gridCellsCount'
      : 'needs different cells of the grid, no more than can be opened in a round';
  return invalidField(path, message);
}
