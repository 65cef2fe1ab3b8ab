import { useEffect, useRef, useState } from 'react';
import { type Answer, type Input, type Op, Refused } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
import { asRefused } from '../../kit/query.ts';
import { local } from '../../kit/storage.ts';
import { createStore } from '../../kit/store.ts';
import { holdBalances } from '../balances.ts';
import { noteRefusal } from '../exclusion.ts';
import { isPlayHeld } from '../reality-check.tsx';

/** Maximum time for which updates of the balance are held back while an animation runs. */
const MOST_REVEAL_MS = 2000;
/**
 * Maximum number of attempts while it is unknown whether the bet was booked. All attempts have the same idempotency key, so the bet is
 * booked only once.
 */
const UNKNOWN_TRIES = 5;
const UNKNOWN_PAUSE_MS = 1000;

/** True during a series of bets. Other bets are then disabled. */
export const autoplay = createStore(false);

type Betting<O extends Op> = {
  /** Shows the outcome. The balance changes when the returned promise resolves. */
  reveal?: (answer: Answer<O>) => Promise<unknown> | undefined;
  /** Describes the outcome. */
  say: (answer: Answer<O>) => string;
  /** True if the action continues an open round, which excluded players may finish. */
  isFinishing?: boolean;
};

/**
 * Places one bet per press of the button. Repeated requests for the bet have the same idempotency key. Nothing is shown before the server's
 * response.
 */
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

/** Sends a bet under one idempotency key until the server reports its result, at most UNKNOWN_TRIES times. Throws `Refused`. */
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

/** Returns true if outcomes are shown without animation: quick play, reduced motion or a hidden page. */
export const isStill = () => isQuick || prefersStill() || document.hidden;

/** Animates an element through the keyframes, or moves it immediately if animations are off. Resolves at the end. */
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

/** A short pause between two outcomes; none if animations are off. */
export const beat = (ms: number): Promise<unknown> => (isStill() ? Promise.resolve() : pause(ms));
