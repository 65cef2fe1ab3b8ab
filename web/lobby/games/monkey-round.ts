import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { units } from '../../../src/platform/money.ts';
import { money, multiplier } from '../../kit/intl.ts';
import { words } from '../words.ts';
import type { useMonkey } from './monkey-stage.tsx';
import type { Ended } from './play/levels.ts';
import { paidWords } from './play/outcome.ts';
import { useResume } from './play/resume.ts';
import { send } from './play/send.ts';
import type { Stake } from './play/stake.ts';
import { announce, autoplay, together, useBet } from './play/use-bet.ts';

const START = 'POST /casino/games/house/monkey-run/bet';
const STEP = 'POST /casino/games/house/monkey-run/play';
const CASH_OUT = 'PUT /casino/games/house/monkey-run/cash-out';

export type Difficulty = 'EASY' | 'MEDIUM' | 'HARD' | 'EXPERT';
type State = Answer<typeof START>;
type Monkey = ReturnType<typeof useMonkey>;

const isLost = ({ isFinished, cashOut }: State) => isFinished && units(cashOut) === 0n;

/** Returns the outcome of a round, or undefined while it is open. */
function endedOf(state: State): Ended | undefined {
  const { isFinished, betAmount, cashOut, multipliers, step } = state;
  if (!isFinished) return undefined;
  return { betAmount, payout: cashOut, multiplier: isLost(state) ? 0 : (multipliers[step - 1] ?? 1) };
}

/** Describes a round after a move. */
function say(state: State): string {
  const { step, betAmount, cashOut, multipliers, deadPoint = step + 1 } = state;
  const paid = paidWords({ payout: cashOut, betAmount });
  if (isLost(state)) return words.monkey.lost(deadPoint, paid);
  const at = multiplier(multipliers[step - 1] ?? 1);
  return state.isFinished ? words.monkey.out(at, paid, deadPoint) : words.monkey.safe(at, money(cashOut));
}

/** The moves of a round: begin, run to a tile, and cash out. */
function useMoves(monkey: Monkey, take: (state: State) => void) {
  const start = useBet(START, {
    reveal: async (state) => {
      await monkey.place(0);
      take(state);
    },
    say: () => words.monkey.begun,
  });
  const stepping = useBet(STEP, {
    isFinishing: true,
    reveal: async (state) => {
      await monkey.run(monkey.at, state.step, isLost(state));
      take(state);
    },
    say,
    ended: endedOf,
  });
  const leaving = useBet(CASH_OUT, {
    isFinishing: true,
    isCashOut: true,
    reveal: async (state) => {
      take(state);
      await monkey.celebrate();
    },
    say,
    ended: endedOf,
  });
  return { start, stepping, leaving };
}

/** A round of monkey run, new or resumed, with one step after another until it ends. */
export function useRun(monkey: Monkey, difficulty: Difficulty) {
  const [shown, setShown] = useState<State>();
  const { start, stepping, leaving } = useMoves(monkey, setShown);
  const resume = useResume('GET /casino/games/house/monkey-run/game', (open) => {
    // Keeps a finished round visible.
    setShown((known) => open ?? (known?.isFinished ? known : undefined));
    if (!open) return;
    void monkey.place(open.step);
    announce(words.board.goesOn);
  });
  const askAuto = useAutoRound(difficulty, resume.ask);
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  const bet = together(start, stepping, leaving);
  return {
    bet,
    /** The round on the stage, which may have ended. */
    shown,
    isOpen: shown !== undefined && !shown.isFinished,
    isAsking: resume.isAsking,
    notAsked: bet.refused ? undefined : resume.refused,
    ask: resume.ask,
    clear: () => {
      setShown(undefined);
      void monkey.place(0);
    },
    begin: (stake: Stake) => void orAsk(start.play({ body: { ...stake, difficulty } })),
    step: (makeStep: number) => void orAsk(stepping.play({ body: { makeStep } })),
    cashOut: () => void orAsk(leaving.play({ body: {} })),
    /** A series of rounds that run to the same tile. */
    auto: (tile: number) => ({
      ask: (stake: Stake) => askAuto(stake, tile),
      reveal: async (state: State) => {
        setShown(undefined);
        await monkey.place(0);
        await monkey.run(0, state.step, isLost(state));
        setShown(state);
      },
      say,
    }),
  };
}

/** Plays a whole round: it begins, runs to a tile and cashes out. After a lost connection it goes on where it was. */
function useAutoRound(difficulty: Difficulty, resume: () => Promise<void>) {
  const open = useRef<State>(undefined);
  const hasFailed = useRef(false);
  const isRunning = autoplay.use();
  useEffect(() => {
    if (isRunning || !hasFailed.current) return;
    hasFailed.current = false;
    open.current = undefined;
    void resume();
  }, [isRunning, resume]);
  return async (stake: Stake, tile: number) => {
    try {
      open.current ??= await send(START, { body: { ...stake, difficulty } });
      if (open.current.step < tile) open.current = await send(STEP, { body: { makeStep: tile } });
      const end = open.current.isFinished ? open.current : await send(CASH_OUT, { body: {} });
      open.current = undefined;
      return { bets: [{ ...end, ...endedOf(end)! }], refused: null, unknown: 0 };
    } catch (error) {
      // A round that stays open is read again when the series has ended. Without a connection the series tries again first.
      hasFailed.current = true;
      throw error;
    }
  };
}
