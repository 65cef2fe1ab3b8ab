import { useEffect, useRef, useState } from 'react';
import type { Answer, Input, Op, Refused } from '../../../../client/call.ts';
import { useIsLive } from '../../../kit/live.ts';
import { asRefused } from '../../../kit/query.ts';
import { createStore } from '../../../kit/store.ts';
import { holdBalances } from '../../balances.ts';
import { noteRefusal } from '../../exclusion.ts';
import { isPlayHeld } from '../../play-hold.ts';
import type { Ended } from './levels.ts';
import { beginReveal, skipReveal } from './motion.ts';
import { endedIn, showOutcome } from './outcome.ts';
import { pendingBets, send } from './send.ts';
import { sound } from './sound.ts';

/** A reveal ends at the latest after this time. Then the balance changes. */
const MOST_REVEAL_MS = 2000;

/** True during a series of bets. Other bets are then disabled. */
export const autoplay = createStore(false);

/** The text at the foot of the stage, which screen readers announce. */
export const announced = createStore('');
/** Shows a text as the outcome of the game. Screen readers read a text only if it changes, so the same text again gets an invisible sign. */
export function announce(text: string): void {
  const isSame = text !== '' && announced.get() === text;
  announced.set(isSame ? `${text}\u200b` : text);
}

/**
 * `busy`: the response is awaited. `revealing`: the outcome is being shown, and a press of the button skips that. `unknown`: the server does
 * not know yet whether the bet was placed.
 */
export type Phase = 'ready' | 'busy' | 'revealing' | 'unknown';

type Betting<O extends Op> = {
  /** Shows the outcome. The balance changes when the returned promise resolves. */
  reveal?: (answer: Answer<O>) => Promise<unknown> | undefined;
  /** Describes the outcome. */
  say: (answer: Answer<O>) => string;
  /** Returns the outcome if the response ends the bet. The default finds it in the response of a game with one step. */
  ended?: (answer: Answer<O>) => Ended | undefined;
  /** True if the action pays out an open round. */
  isCashOut?: boolean;
  /** True if the action continues an open round, which excluded players may finish. */
  isFinishing?: boolean;
  /** Number of bets that may be revealed at once. */
  atOnce?: number;
};

export type Bet = {
  phase: Phase;
  isBusy: boolean;
  refused: Refused | undefined;
  /** True if another bet may be placed while the last one is revealed. */
  canAdd: boolean;
  /** Removes the error, because the player has changed the bet. */
  forget: () => void;
};

export const gameOf = (op: string): string => /\/house\/([^/]+)/.exec(op)?.[1] ?? '';

/**
 * Places one bet per press of the button. Nothing is shown before the server's response. A bet without a response when the page was reloaded
 * is asked for again.
 */
export function useBet<O extends Op>(op: O, betting: Betting<O>) {
  const { isFinishing = false, atOnce = 1 } = betting;
  const isThere = useRef(true);
  const [isUnknown, setUnknown] = useState(false);
  const { take, isAsking, revealing, refused, forget } = useOutcome(op, betting, isThere);
  const isAuto = autoplay.use();
  const watch = { onUnknown: () => setUnknown(true), isWanted: () => isThere.current };
  const taken = (asked: () => Promise<Answer<O>>) => take(asked).finally(() => setUnknown(false));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after a reload
  useEffect(() => {
    isThere.current = true;
    for (const asked of pendingBets(op, watch)) {
      setUnknown(true);
      void taken(asked);
    }
    return () => {
      isThere.current = false;
    };
  }, []);
  const phase: Phase = isUnknown ? 'unknown' : isAsking ? 'busy' : revealing > 0 ? 'revealing' : 'ready';
  const canAdd = phase === 'revealing' && revealing < atOnce;
  const play = async (input: Input<O>): Promise<Answer<O> | undefined> => {
    if (isPlayHeld(isFinishing) || !(phase === 'ready' || canAdd)) return undefined;
    sound('press');
    return taken(() => send(op, input, watch));
  };
  const bet: Bet = { phase, isBusy: isAuto || phase !== 'ready', refused, canAdd, forget };
  return { ...bet, play };
}

/** Waits for the response of a bet and shows its outcome. The balance changes afterwards. */
function useOutcome<O extends Op>(op: O, betting: Betting<O>, isThere: { readonly current: boolean }) {
  const latest = useRef(betting);
  const [isAsking, setAsking] = useState(false);
  const [revealing, setRevealing] = useState(0);
  const [refused, setRefused] = useState<Refused>();
  useForgetting(refused, setRefused);
  useEffect(() => {
    latest.current = betting;
  });
  const show = async (answer: Answer<O>) => {
    setRevealing((count) => count + 1);
    if (isThere.current) await shownBy(latest.current, answer);
    setRevealing((count) => count - 1);
    const { ended = endedIn, isCashOut, say } = latest.current;
    const outcome = ended(answer);
    if (outcome) showOutcome(gameOf(op), outcome, isCashOut);
    if (isThere.current) announce(say(answer));
  };
  const take = async (asked: () => Promise<Answer<O>>): Promise<Answer<O> | undefined> => {
    setAsking(true);
    setRefused(undefined);
    const release = holdBalances();
    try {
      const answer = await asked();
      setAsking(false);
      await show(answer);
      return answer;
    } catch (error) {
      noteRefusal(error);
      setRefused(asRefused(error));
      return undefined;
    } finally {
      setAsking(false);
      release();
    }
  };
  return { take, isAsking, revealing, refused, forget: () => setRefused(undefined) };
}

/** Shows the outcome, for MOST_REVEAL_MS at most. */
export async function shownBy<A>(betting: { reveal?: (answer: A) => unknown }, answer: A): Promise<void> {
  beginReveal();
  const shown = Promise.resolve(betting.reveal?.(answer));
  const timer = setTimeout(skipReveal, MOST_REVEAL_MS);
  await Promise.race([shown, new Promise((done) => setTimeout(done, MOST_REVEAL_MS + 50))]);
  clearTimeout(timer);
}

/** Removes an error of the connection or of the server as soon as the connection is there again. */
function useForgetting(refused: Refused | undefined, setRefused: (refused: undefined) => void): void {
  const isLive = useIsLive();
  const isOurs = refused !== undefined && (refused.status === 0 || refused.status >= 500);
  const wasLive = useRef(isLive);
  useEffect(() => {
    const isBack = isLive && !wasLive.current;
    wasLive.current = isLive;
    if (isOurs && isBack) setRefused(undefined);
  }, [isLive, isOurs, setRefused]);
  useEffect(() => {
    if (!isOurs) return;
    const clear = () => setRefused(undefined);
    window.addEventListener('online', clear);
    return () => window.removeEventListener('online', clear);
  }, [isOurs, setRefused]);
}

/** Combines the actions of a round into one state for the panel. */
export function together(...bets: readonly Bet[]): Bet {
  const active = bets.find(({ phase }) => phase !== 'ready');
  return {
    phase: active?.phase ?? 'ready',
    isBusy: bets.some(({ isBusy }) => isBusy),
    refused: bets.find(({ refused }) => refused)?.refused,
    canAdd: false,
    forget: () => {
      for (const { forget } of bets) forget();
    },
  };
}
