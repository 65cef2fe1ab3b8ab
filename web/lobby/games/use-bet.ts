import { useEffect, useRef, useState } from 'react';
import { type Answer, type Input, type Op, Refused } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
import { asRefused } from '../../kit/query.ts';
import { local } from '../../kit/storage.ts';
import { createStore } from '../../kit/store.ts';
import { holdBalances } from '../balances.ts';
import { noteRefusal } from '../exclusion.ts';
import { isPlayHeld } from '../reality-check.tsx';

/** The longest that a balance waits for what is shown. */
const MOST_REVEAL_MS = 2000;
/** How often a bet whose outcome nobody knows is sent again, under the same key: it is booked once. */
const UNKNOWN_TRIES = 5;
const UNKNOWN_PAUSE_MS = 1000;

/** Whether bets are being made one after the other: nothing else is bet meanwhile. */
export const autoplay = createStore(false);

type Betting<O extends Op> = {
  /** Shows the outcome; the balance follows when it is over. */
  reveal?: (answer: Answer<O>) => Promise<unknown> | undefined;
  /** The outcome in words. */
  say: (answer: Answer<O>) => string;
  /** It goes on with a round that is open: whoever is excluded may finish it. */
  isFinishing?: boolean;
};

/** One press of a button that stakes money: one key, however often it is sent. Nothing is shown as done before the server has said so. */
export function useBet<O extends Op>(op: O, { reveal, say, isFinishing = false }: Betting<O>) {
  const [isPlaying, setBusy] = useState(false);
  const isBusy = autoplay.use() || isPlaying;
  const [refused, setRefused] = useState<Refused>();
  const [said, setSaid] = useState('');
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const play = async (input: Input<O>): Promise<Answer<O> | undefined> => {
    if (isPlayHeld(isFinishing)) return undefined;
    setBusy(true);
    setRefused(undefined);
    const release = holdBalances();
    try {
      const answer = await once(op, input);
      const shown = Promise.resolve(isThere.current ? reveal?.(answer) : undefined);
      await Promise.race([shown, pause(MOST_REVEAL_MS)]);
      setSaid(say(answer));
      return answer;
    } catch (error) {
      noteRefusal(error);
      setRefused(asRefused(error));
      return undefined;
    } finally {
      release();
      setBusy(false);
    }
  };
  return { play, isBusy, refused, said, setSaid };
}

/** Sends a bet under one key until it is known what became of it. Throws `Refused`. */
export async function once<O extends Op>(op: O, input: Input<O>): Promise<Answer<O>> {
  const key = crypto.randomUUID();
  for (let tries = 1; ; tries++)
    try {
      return await call(op, input, { key });
    } catch (error) {
      const isUnknown = error instanceof Refused && error.code === 'BET_OUTCOME_UNKNOWN';
      if (!isUnknown || tries === UNKNOWN_TRIES) throw error;
      await pause(UNKNOWN_PAUSE_MS * tries);
    }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
let isQuick = local.get('quick') === 'true';
export const quickPlay = {
  get: () => isQuick,
  set(next: boolean) {
    isQuick = next;
    local.set('quick', String(next));
  },
};

/** Whether what happens is shown at once: for whoever asked for it, and where nobody looks. */
export const isStill = () => isQuick || prefersStill() || document.hidden;

/** Moves an element from keyframe to keyframe; at once where nothing shall move. Resolves when it has arrived. */
export async function move(
  element: Element | null,
  frames: readonly Keyframe[],
  ms: number,
  easing = 'cubic-bezier(.2, .7, .2, 1)',
): Promise<void> {
  if (!element) return;
  const duration = isStill() ? 0 : ms;
  const animation = element.animate([...frames], { duration, easing, fill: 'forwards' });
  await animation.finished.catch(() => undefined);
}

/** A moment between two things that are shown; none where nothing shall move. */
export const beat = (ms: number): Promise<unknown> => (isStill() ? Promise.resolve() : pause(ms));
