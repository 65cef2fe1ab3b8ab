import { local } from '../../../kit/storage.ts';
import { createStore } from '../../../kit/store.ts';

const quick = createStore(local.get('quick') === 'true');
/** With quick play, reveals jump to their end. */
export const quickPlay = {
  use: quick.use,
  toggle(): void {
    quick.set(!quick.get());
    local.set('quick', String(quick.get()));
    if (quick.get()) finishAll();
  },
};

const reduced = matchMedia('(prefers-reduced-motion: reduce)');
/** Functions that end the running animations. */
const running = new Set<() => void>();
let isSkipping = false;

function finishAll(): void {
  for (const finish of running) finish();
}

document.addEventListener('visibilitychange', () => document.hidden && finishAll());

export const beginReveal = (): void => {
  isSkipping = false;
};

/** Ends the current reveal: running animations jump to their end, and the rest of the reveal is not animated. */
export function skipReveal(): void {
  isSkipping = true;
  finishAll();
}

/** Returns true if outcomes are shown without movement: quick play, reduced motion, a hidden page or a skipped reveal. */
export const isStill = (): boolean => isSkipping || quick.get() || reduced.matches || document.hidden;

/** Returns true if the glow and the coins of a win are left out. Quick play keeps them. */
export const isCalm = (): boolean => reduced.matches || document.hidden;

type Easing = 'out' | 'inout' | 'drop' | 'pop' | (string & {});
/** The easings of tokens.css, which the Web Animations API cannot read from there. */
const EASINGS: Readonly<Record<string, string>> = {
  out: 'cubic-bezier(.2, .8, .2, 1)',
  inout: 'cubic-bezier(.65, 0, .35, 1)',
  drop: 'cubic-bezier(.4, 0, .9, .6)',
  pop: 'linear(0, .36 8%, .86 18%, 1.09 29%, 1.06 36%, .99 52%, 1.004 70%, 1)',
};

/**
 * Moves an element through keyframes of `transform` and `opacity`, and leaves it at the last one. It jumps there if outcomes are shown without
 * movement. Resolves at the end. During a delay it stays at the first keyframe.
 */
export async function move(
  element: Element | null,
  frames: readonly Keyframe[],
  ms: number,
  easing: Easing = 'out',
  delayMs = 0,
): Promise<void> {
  if (!element) return;
  const animation = element.animate([...frames], {
    ...(isStill() ? { duration: 0 } : { duration: ms, delay: delayMs }),
    easing: EASINGS[easing] ?? easing,
    fill: 'both',
  });
  const finish = () => animation.finish();
  running.add(finish);
  await animation.finished.catch(() => undefined);
  running.delete(finish);
}

/** Waits between two parts of a reveal. Does not wait if outcomes are shown without movement. */
export function beat(ms: number): Promise<void> {
  if (isStill()) return Promise.resolve();
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      running.delete(finish);
      done();
    };
    const timer = setTimeout(finish, ms);
    running.add(finish);
  });
}

/** Calls `draw` for every frame with the progress from 0 to 1, for figures that count. The last call is always with 1. */
export function everyFrame(ms: number, draw: (progress: number) => void): Promise<void> {
  return new Promise((done) => {
    const started = performance.now();
    let frame = 0;
    const finish = () => {
      cancelAnimationFrame(frame);
      running.delete(finish);
      draw(1);
      done();
    };
    const step = () => {
      const progress = (performance.now() - started) / ms;
      if (progress >= 1) return finish();
      draw(progress);
      frame = requestAnimationFrame(step);
    };
    if (isStill()) return finish();
    running.add(finish);
    step();
  });
}
