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
type State = Answer<'GET /casino/games/house/mines/board'>;
type Result = Answer<typeof SPIN>;
type Settings = { gridCellsCount: GridSize; bombsCount: number };

/** A round of mines: begun, or found open, cell by cell to its end. */
export function useMines(settings: Settings) {
  const [round, setRound] = useState<State>();
  const [ended, setEnded] = useState<Result>();
  const [said, setSaid] = useState('');
  const resume = useResume('GET /casino/games/house/mines/board', (open) => {
    setRound(open);
    if (open) {
      setEnded(undefined);
      setSaid(words.house.goesOn);
    }
  });
  const spoken = (text: string) => {
    setSaid(text);
    return text;
  };
  const end = (result: Result) => {
    setRound(undefined);
    setEnded(result);
  };
  const say = (result: Result) =>
    `${result.multiplier === 0 ? words.mines.bomb : words.mines.out(result.multiplier)} ${paidWords(result)}`;
  const start = useBet('POST /casino/games/house/mines/play', {
    reveal: async (state) => {
      setEnded(undefined);
      setRound(state);
    },
    say: (state) => spoken(words.mines.begun(state.bombsCount)),
  });
  const opening = useBet('POST /casino/games/house/mines/open', {
    reveal: async ({ proceed, finished }) => {
      if (proceed) setRound(proceed);
      if (finished) end(finished);
      await beat(finished ? 400 : 0);
    },
    say: ({ proceed, finished }) =>
      spoken(finished ? say(finished) : proceed ? words.mines.safe(proceed.currentMultiplier) : ''),
  });
  const leaving = useBet('POST /casino/games/house/mines/cash-out', {
    reveal: async (result) => end(result),
    say: (result) => spoken(say(result)),
  });
  const spinning = useBet(SPIN, {
    reveal: async (result) => end(result),
    say: (result) => spoken(say(result)),
  });
  const { gridCellsCount, bombsCount } = settings;
  const bodyOf = (stake: Stake, cells: readonly number[]) => ({
    ...stake,
    gridCellsCount,
    bombsCount,
    cellIndices: [...cells],
  });
  /** Where a round is not as it was thought to be, the server is asked how it is. */
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  return {
    round,
    cells: ended?.board ?? round?.cells ?? {},
    betId: ended?.betId ?? round?.betInfo.betId,
    said,
    setSaid,
    say,
    isBusy: start.isBusy || opening.isBusy || leaving.isBusy || spinning.isBusy,
    refused: start.refused ?? opening.refused ?? leaving.refused ?? spinning.refused,
    isAsking: resume.isAsking,
    notAsked: resume.refused,
    ask: resume.ask,
    clear: () => setEnded(undefined),
    begin: (stake: Stake) => void orAsk(start.play({ body: { ...stake, gridCellsCount, bombsCount } })),
    open: (cellIndex: number) => void orAsk(opening.play({ body: { cellIndex } })),
    cashOut: () => void orAsk(leaving.play({ body: {} })),
    spin: (stake: Stake, cells: readonly number[]) => void spinning.play({ body: bodyOf(stake, cells) }),
    /** One automatic round, as a series of bets asks for it. */
    askSpin: async (stake: Stake, cells: readonly number[]) => ({
      bets: [await once(SPIN, { body: bodyOf(stake, cells) })],
      refused: null,
      unknown: 0,
    }),
    reveal: async (result: Result) => {
      end(result);
      await beat(400);
    },
  };
}
