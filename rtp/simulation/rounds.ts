import type { Turn } from '../../src/modules/games/betting/rules.ts';
import {
  autoSpinMines,
  cashOutMines,
  type Grid,
  type MinesState,
  minesMultiplier,
  openMines,
} from '../../src/modules/games/house-games/mines/rules.ts';
import {
  cashOutMonkeyRun,
  type Difficulty,
  type MonkeyRunState,
  playMonkeyRun,
  stepMultiplier,
  stepsOf,
  TILES,
} from '../../src/modules/games/house-games/monkey-run/rules.ts';
import { PICK_SCALE } from '../../src/modules/games/house-games/rules.ts';
import { choose, toNumber } from '../exact/fraction.ts';
import { RTP_BP, TERMS } from '../terms.ts';
import { type Case, evenly, numbers, prizeCase, type Stream, settle, twoPrizes } from './case.ts';
import type { Recorder } from './tally.ts';

const ROUND = { ...TERMS, rtpBp: RTP_BP };

/** Returns cells scattered over the board. A round that opens k cells uses the first k. */
const cellsOf = ({ gridCellsCount }: Grid, k: number): number[] =>
  numbers(0, k - 1).map((i) => (Number(i) * 5 + 2) % gridCellsCount);

/**
 * Returns a case of mines. With `isStepwise`, the round opens cell by cell and then cashes out, as a player does. Otherwise it is an
 * automatic round.
 */
function minesCase(gridCellsCount: number, bombsCount: number, k: number, isStepwise = false): Case {
  const grid = { gridCellsCount, bombsCount };
  const cellIndices = cellsOf(grid, k);
  const chance = toNumber({
    value: choose(gridCellsCount - bombsCount, k),
    whole: choose(gridCellsCount, k),
  });
  const playStepwise = ({ next, again }: Stream, recorder: Recorder): number[] => {
    let turn: Turn<MinesState> = { state: { ...grid, opened: [] } };
    for (const cell of cellIndices) {
      const stream = cell === cellIndices[0] ? next : again();
      turn = openMines({ ...ROUND, state: turn.state }, cell, stream);
      if (turn.end) break;
    }
    return finish(turn.end ? turn : cashOutMines({ ...ROUND, state: turn.state }, again()), recorder)
      .bombs as number[];
  };
  const playAtOnce = ({ next }: Stream, recorder: Recorder): number[] => {
    const played = autoSpinMines({ ...grid, cellIndices }, { terms: TERMS, rtpBp: RTP_BP }, next);
    settle(recorder, played);
    return played.outcome.bombs;
  };
  return prizeCase({
    game: 'mines',
    name: `${gridCellsCount} cells, ${bombsCount} bombs, ${k} opened${isStepwise ? ' one by one' : ''}`,
    prizes: twoPrizes(Number(minesMultiplier(grid, k, RTP_BP)) / Number(PICK_SCALE), chance),
    spreads: [evenly('bomb', numbers(0, gridCellsCount - 1), bombsCount)],
    play(stream, recorder) {
      const bombs = (isStepwise ? playStepwise : playAtOnce)(stream, recorder);
      for (const bomb of bombs) recorder.mark(0, bomb);
    },
  });
}

/** Returns a case in which the round steps on these tiles one after the other, then cashes out. */
function monkeyRunCase(difficulty: Difficulty, steps: readonly number[]): Case {
  const safe = stepsOf(difficulty);
  const traps = TILES - safe;
  const last = steps.at(-1)!;
  const reached = toNumber({ value: choose(safe, last), whole: choose(TILES, last) });
  const deadPoints = numbers(1, safe + 1);
  const chances = deadPoints.map((tile) =>
    toNumber({ value: choose(TILES - Number(tile), traps - 1), whole: choose(TILES, traps) }),
  );
  return prizeCase({
    game: 'monkey-run',
    name: `${difficulty}, to ${steps.join(', ')}`,
    prizes: twoPrizes(Number(stepMultiplier(difficulty, last, RTP_BP)) / Number(PICK_SCALE), reached),
    spreads: [
      { what: 'first trap', labels: deadPoints, chances, drawn: 1 },
      // With one trap, no further distribution is needed, because the distribution of the first trap already covers it.
      ...(traps > 1 ? [evenly('trap', numbers(1, TILES), traps)] : []),
    ],
    play({ next, again }, recorder) {
      let turn: Turn<MonkeyRunState> = { state: { difficulty, steps: [], step: 0 } };
      for (const tile of steps) {
        turn = playMonkeyRun({ ...ROUND, state: turn.state }, tile, tile === steps[0] ? next : again());
        if (turn.end) break;
      }
      if (!turn.end) turn = cashOutMonkeyRun({ ...ROUND, state: turn.state }, again());
      const outcome = finish(turn, recorder);
      recorder.mark(0, (outcome.deadPoint as number) - 1);
      if (traps > 1) for (const trap of outcome.traps as number[]) recorder.mark(1, trap - 1);
    },
  });
}

function finish<S>({ end }: Turn<S>, recorder: Recorder): Record<string, unknown> {
  if (!end || end === 'void') throw new Error('the round has not ended');
  recorder.round(TERMS.stake, end.paid.payout);
  return end.outcome as Record<string, unknown>;
}

export const ROUND_CASES: readonly Case[] = [
  minesCase(25, 3, 3),
  minesCase(25, 3, 3, true),
  minesCase(9, 4, 2),
  minesCase(64, 8, 6),
  minesCase(25, 24, 1),
  monkeyRunCase('EASY', [1, 2, 3, 4, 5]),
  monkeyRunCase('EASY', [15]),
  monkeyRunCase('MEDIUM', [4]),
  monkeyRunCase('HARD', [2, 3]),
  monkeyRunCase('EXPERT', [3]),
];
