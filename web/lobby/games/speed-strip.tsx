import { memo, type RefObject, useRef } from 'react';
import { colorOf, POSITIONS } from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { everyFrame, isStill, move } from './play/motion.ts';
import { sound } from './play/sound.ts';

/** Order of the numbers: zero, then alternately red and black. */
const ORDER: readonly number[] = [0, 1, 8, 2, 9, 3, 10, 4, 11, 5, 12, 6, 13, 7, 14];
const SPIN_MS = 2600;
const EASING = 'cubic-bezier(.12, .75, .1, 1)';
const TURNS = 3;
/** The strip repeats, so that it fills wide screens in every position. */
const REPEATS = 6;
const CELLS = REPEATS * POSITIONS;
const TICKS = 26;

const tiles = Array.from({ length: CELLS }, (_, at) => ORDER[at % POSITIONS]!);

/** Moves a tile to the middle. The middle of the stage is at the start of the strip. */
const shownAt = (tile: number) => ({ transform: `translateX(${(-(tile + 0.5) / CELLS) * 100}%)` });

/** The strip of numbers. `spin` resolves when the number is in the middle. All players see the same number at the same time. */
export function useStrip() {
  const strip = useRef<HTMLDivElement>(null);
  const at = useRef(0);
  const spin = async (position: number, sinceMs: number) => {
    const from = POSITIONS + at.current;
    at.current = ORDER.indexOf(position);
    const to = (1 + TURNS) * POSITIONS + at.current;
    if (sinceMs < SPIN_MS) {
      void ticks(SPIN_MS - sinceMs);
      // A negative delay: the strip already moves on the screens of other players.
      await move(strip.current, [shownAt(from), shownAt(to)], SPIN_MS, EASING, -sinceMs);
    }
    // The same picture, from which the next spin begins.
    await move(strip.current, [shownAt(POSITIONS + at.current), shownAt(POSITIONS + at.current)], 0);
  };
  return { strip, spin };
}

async function ticks(ms: number): Promise<void> {
  if (isStill()) return;
  let heard = 0;
  await everyFrame(ms, (progress) => {
    const passed = Math.floor((1 - (1 - progress) ** 3) * TICKS);
    if (passed > heard && progress < 1) sound('tick');
    heard = passed;
  });
}

type StripProps = { strip: RefObject<HTMLDivElement | null>; label: string; isShown: boolean };

export const Strip = memo(({ strip, label, isShown }: StripProps) => (
  <div className={isShown ? 'speed-strip stopped' : 'speed-strip'} role="img" aria-label={label}>
    <div ref={strip} className="strip-tiles">
      {tiles.map((number, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the strip never changes
        <b key={index} className={`on-${colorOf(number).toLowerCase()}`}>
          {number}
        </b>
      ))}
    </div>
    <i className="line" />
    <i className="ring" />
  </div>
));
