import { useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { words } from '../words.ts';
import { paidWords } from './outcome.ts';
import { useResume } from './resume.ts';
import type { Stake } from './stake.tsx';
import { beat, once, useBet } from './use-bet.ts';

export const GRIDS = [9, 16, 25, 36, 49, 64] as const;
export type GridSize = (typeof GRIDS)[number];

const SPIN = 'POST /casino/games/house/mines/auto-spin';
/** Time for which the revealed board is shown. */
const END_MS = 400;
type State = Answer<'GET /casino/games/house/mines/board'>;
type Result = Answer<typeof SPIN>;
type Settings = { gridCellsCount: GridSize; bombsCount: number };

const say = (result: Result) =>
  `${result.multiplier === 0 ? words.mines.bomb : words.mines.out(result.multiplier)} ${paidWords(result)}`;

type Table = { take: (round: State) => void; end: (result: Result) => void; speak: (text: string) => void };

/** The player's actions. Each one updates the display and announces the result. */
function useMoves({ take, end, speak }: Table) {
  const spoken = (text: string) => {
    speak(text);
    return text;
  };
  const closing = {
    isFinishing: true,
    reveal: async (result: Result) => end(result),
    say: (result: Result) => spoken(say(result)),
  };
  const start = useBet('POST /casino/games/house/mines/play', {
    reveal: async (state) => take(state),
    say: (state) => spoken(words.mines.begun(state.bombsCount)),
  });
  const opening = useBet('POST /casino/games/house/mines/open', {
    isFinishing: true,
    reveal: async ({ proceed, finished }) => {
      if (proceed) take(proceed);
      if (!finished) return;
      end(finished);
      await beat(END_MS);
    },
    say: ({ proceed, finished }) =>
      spoken(finished ? say(finished) : proceed ? words.mines.safe(proceed.currentMultiplier) : ''),
  });
  const leaving = useBet('POST /casino/games/house/mines/cash-out', closing);
  const spinning = useBet(SPIN, { ...closing, isFinishing: false });
  const all = [start, opening, leaving, spinning];
  return {
    start,
    opening,
    leaving,
    spinning,
    isBusy: all.some(({ isBusy }) => isBusy),
    refused: all.find(({ refused }) => refused)?.refused,
  };
}

/** A round of mines, new or resumed, with one cell after another until it ends. */
export function useMines({ gridCellsCount, bombsCount }: Settings) {
  const [round, setRound] = useState<State>();
  const [ended, setEnded] = useState<Result>();
  /** The cells that the player has opened. */
  const [opened, setOpened] = useState<readonly number[]>([]);
  const [said, setSaid] = useState('');
  const take = (open: State) => {
    setEnded(undefined);
    setRound(open);
    setOpened(Object.keys(open.cells).map(Number));
  };
  const end = (result: Result) => {
    setRound(undefined);
    setEnded(result);
  };
  const resume = useResume('GET /casino/games/house/mines/board', (open) => {
    if (!open) return setRound(undefined);
    take(open);
    setSaid(words.house.goesOn);
  });
  const { start, opening, leaving, spinning, isBusy, refused } = useMoves({ take, end, speak: setSaid });
  const bodyOf = (stake: Stake, cells: readonly number[]) => ({
    ...stake,
    gridCellsCount,
    bombsCount,
    cellIndices: [...cells],
  });
  /** After a failed action, reads the round again, because its state may differ from the displayed state. */
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  return {
    round,
    said,
    setSaid,
    say,
    isBusy,
    refused,
    cells: ended?.board ?? round?.cells ?? {},
    /** Number of cells of the displayed round. Undefined if there is no round. */
    count: ended ? Object.keys(ended.board).length : round?.gridCellsCount,
    hasEnded: ended !== undefined,
    betId: ended?.betId,
    isAsking: resume.isAsking,
    notAsked: resume.refused,
    ask: resume.ask,
    clear: () => setEnded(undefined),
    begin: (stake: Stake) => void orAsk(start.play({ body: { ...stake, gridCellsCount, bombsCount } })),
    opened,
    open: (cellIndex: number) => {
      setOpened([...opened, cellIndex]);
      void orAsk(opening.play({ body: { cellIndex } }));
    },
    cashOut: () => void orAsk(leaving.play({ body: {} })),
    spin: (stake: Stake, cells: readonly number[]) =>
      void orAsk(spinning.play({ body: bodyOf(stake, cells) })),
    /** Plays one automatic round. Returns the result in the format of a series of bets. */
    askSpin: async (stake: Stake, cells: readonly number[]) => ({
      bets: [await once(SPIN, { body: bodyOf(stake, cells) })],
      refused: null,
      unknown: 0,
    }),
    reveal: async (result: Result) => {
      end(result);
      await beat(END_MS);
    },
  };
}
