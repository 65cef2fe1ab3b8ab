import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { multiplier } from '../../kit/intl.ts';
import { asRefused } from '../../kit/query.ts';
import { words } from '../words.ts';
import { type GridSize, openedOf } from './mines-odds.ts';
import { beat, move } from './play/motion.ts';
import { endedIn, paidWords } from './play/outcome.ts';
import { useResume } from './play/resume.ts';
import { send } from './play/send.ts';
import { sound } from './play/sound.ts';
import type { Stake } from './play/stake.ts';
import { announce, together, useBet } from './play/use-bet.ts';

const AUTO = 'POST /casino/games/house/mines/auto-spin';
const GEM_MS = 180;
/** Time in which the rest of the board is shown. */
const END_MS = 500;
const LIFT_MS = 260;
const LIFT_STAGGER_MS = 30;
const LIFT = ['translateY(0)', 'translateY(-9px)', 'translateY(0)'].map((transform) => ({ transform }));

type State = Answer<'GET /casino/games/house/mines/board'>;
type Result = Answer<typeof AUTO>;
type Ended = { result: Result; opened: readonly number[]; isAuto?: boolean };

const say = (result: Result) =>
  result.multiplier === 0
    ? words.mines.lost(paidWords(result))
    : words.mines.out(multiplier(result.multiplier), paidWords(result));

/** The visible state of a round, and the ways to change it. */
function useShown() {
  const grid = useRef<HTMLDivElement>(null);
  const [round, setRound] = useState<State>();
  const [ended, setEnded] = useState<Ended>();
  /** The cell that was pressed last. */
  const [pressed, setPressed] = useState<number>();
  const opened = Object.keys(round?.cells ?? {}).map(Number);
  const take = (open: State | undefined) => {
    if (open) setEnded(undefined);
    setRound(open);
  };
  const end = (next: Ended) => {
    setRound(undefined);
    setEnded(next);
  };
  return { grid, round, ended, pressed, opened, take, end, setPressed, clear: () => setEnded(undefined) };
}
type Table = ReturnType<typeof useShown>;

/** The moves of a round: begin, open a cell, and cash out. */
function useMoves({ grid, opened, pressed, take, end }: Table) {
  const start = useBet('POST /casino/games/house/mines/play', {
    reveal: async (state) => take(state),
    say: (state) => words.mines.begun(state.bombsCount),
  });
  const opening = useBet('POST /casino/games/house/mines/open', {
    isFinishing: true,
    reveal: async ({ proceed, finished }) => {
      if (proceed) {
        take(proceed);
        sound('reveal', { semitones: proceed.openedCellsCount - 1 });
        await beat(GEM_MS);
      }
      if (!finished) return;
      sound(finished.multiplier === 0 ? 'trap' : 'reveal', { semitones: opened.length });
      end({ result: finished, opened: pressed === undefined ? opened : [...opened, pressed] });
      await beat(END_MS);
    },
    say: ({ proceed, finished }) =>
      finished ? say(finished) : proceed ? words.mines.safe(multiplier(proceed.currentMultiplier)) : '',
    ended: ({ finished }) => endedIn(finished),
  });
  const leaving = useBet('POST /casino/games/house/mines/cash-out', {
    isFinishing: true,
    isCashOut: true,
    reveal: async (result) => {
      end({ result, opened });
      await lift(grid, opened);
    },
    say,
  });
  return { start, opening, leaving };
}

/** Lifts the gems of a cash-out in a wave. */
const lift = (grid: RefObject<HTMLDivElement | null>, opened: readonly number[]) =>
  Promise.all(
    opened.map((cell, i) =>
      move(
        grid.current?.querySelector(`[data-cell="${cell}"] svg`) ?? null,
        LIFT,
        LIFT_MS,
        'out',
        i * LIFT_STAGGER_MS,
      ),
    ),
  );

/** A round of mines, new or resumed, with one cell after another until it ends. */
export function useMines(chosen: { gridCellsCount: GridSize; bombsCount: number }) {
  const shown = useShown();
  const { round, ended, pressed, opened, take, end, setPressed } = shown;
  const { start, opening, leaving } = useMoves(shown);
  const resume = useResume('GET /casino/games/house/mines/board', (open) => {
    take(open);
    if (open) announce(words.board.goesOn);
  });
  /** After a failed move, reads the round again, because its state may differ from the displayed state. */
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
    setPressed(undefined);
  };
  const bet = together(start, opening, leaving);
  return {
    grid: shown.grid,
    bet,
    round,
    ended,
    opened: ended?.opened ?? opened,
    cells: ended?.result.board ?? round?.cells ?? {},
    /** The pressed cell, until the server's response reveals it. */
    awaited: opening.phase === 'busy' || opening.phase === 'unknown' ? pressed : undefined,
    isAsking: resume.isAsking,
    notAsked: bet.refused ? undefined : resume.refused,
    ask: resume.ask,
    clear: shown.clear,
    begin: (stake: Stake) => {
      shown.clear();
      void orAsk(start.play({ body: { ...stake, ...chosen } }));
    },
    open: (cellIndex: number) => {
      setPressed(cellIndex);
      void orAsk(opening.play({ body: { cellIndex } }));
    },
    cashOut: () => void orAsk(leaving.play({ body: {} })),
    /** A series of rounds that open the same cells. */
    auto: (cells: readonly number[]) => ({
      ask: async (stake: Stake) => {
        try {
          const bet = await send(AUTO, { body: { ...stake, ...chosen, cellIndices: [...cells] } });
          return { bets: [bet], refused: null, unknown: 0 };
        } catch (error) {
          if (asRefused(error).code === 'ROUND_OPEN') void resume.ask();
          throw error;
        }
      },
      reveal: async (result: Result) => {
        const cellsOpened = openedOf(cells, result.board);
        sound(result.multiplier === 0 ? 'trap' : 'reveal', { semitones: cellsOpened.length - 1 });
        end({ result, opened: cellsOpened, isAuto: true });
        await beat(END_MS);
      },
      say,
    }),
  };
}
