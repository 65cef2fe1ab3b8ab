import { type RefObject, useLayoutEffect, useRef } from 'react';
import { multiplier as times } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { Bomb, Gem } from './mines-art.tsx';
import { move } from './play/motion.ts';
import type { useRoving } from './roving.ts';

const POP_MS = 180;
const SHAKE_MS = 160;
const REST_MS = 220;
const REST_STAGGER_MS = 12;
/** The opened cells of an automatic round are shown one after another. */
const AUTO_STAGGER_MS = 40;

const POP = [
  { transform: 'scale(.6)', opacity: 0 },
  { transform: 'none', opacity: 1 },
];
const TURN = [{ transform: 'scale(.94)' }, { transform: 'none' }];
const FADE = [{ opacity: 1 }, { opacity: 0 }];
const SHAKE = ['0, 0', '3px, -3px', '-3px, 3px', '3px, 3px', '-3px, -3px', '0, 0'].map((by) => ({
  transform: `translate(${by})`,
}));
const REST = [{ opacity: 0 }, { opacity: 0.3 }];

type What = 'GEM' | 'BOMB';
type GridProps = {
  roving: ReturnType<typeof useRoving<HTMLDivElement>>;
  grid: RefObject<HTMLDivElement | null>;
  count: number;
  cells: Readonly<Record<string, What>>;
  /** The cells that the player opened, in order. The others are dim on a fully revealed board. */
  opened: readonly number[];
  /** The cells chosen for autoplay. */
  picked: readonly number[];
  awaited: number | undefined;
  /** Identifies the round of autoplay. Undefined for manual rounds, which reveal each cell when the player opens it. */
  roundId: string | undefined;
  canPress: (cell: number) => boolean;
  onPress: (cell: number) => void;
};

export function Grid(props: GridProps) {
  const { roving, grid, count, cells, opened, picked, awaited, roundId, canPress, onPress } = props;
  const columns = Math.sqrt(count);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid
    <div
      ref={(place) => {
        roving.grid.current = place;
        grid.current = place;
      }}
      className={`mines-grid of-${columns}`}
      role="group"
      aria-label={words.mines.grid}
      onKeyDown={roving.onKeyDown}
      style={{ '--columns': columns }}
    >
      {Array.from({ length: count }, (_, index) => {
        const what = cells[index];
        const order = opened.indexOf(index);
        const state = what ? words.mines.cells[what] : picked.includes(index) ? words.mines.cells.PICKED : '';
        const place = words.mines.cell(Math.floor(index / columns) + 1, (index % columns) + 1);
        return (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the cell
            key={index}
            type="button"
            {...roving.cell(index)}
            className={classOf({
              what,
              isOpened: order >= 0,
              isPicked: picked.includes(index),
              isAwaited: awaited === index,
            })}
            aria-disabled={!canPress(index)}
            aria-busy={awaited === index}
            aria-label={state ? words.mines.holds(place, state) : place}
            onClick={() => canPress(index) && onPress(index)}
          >
            {what && (
              <Content
                key={`${roundId} ${what}`}
                what={what}
                isOpened={order >= 0}
                delayMs={
                  order < 0 ? index * REST_STAGGER_MS : roundId === undefined ? 0 : order * AUTO_STAGGER_MS
                }
              />
            )}
          </button>
        );
      })}
    </div>
  );
}

type Cell = { what: What | undefined; isOpened: boolean; isPicked: boolean; isAwaited: boolean };

const classOf = ({ what, isOpened, isPicked, isAwaited }: Cell) =>
  [
    'cell',
    what && isOpened && what.toLowerCase(),
    what && (isOpened ? 'open' : 'open rest'),
    isPicked && 'picked',
    isAwaited && 'awaited',
  ]
    .filter(Boolean)
    .join(' ');

type ContentProps = { what: What; isOpened: boolean; delayMs: number };

/** A gem or a bomb. It appears under the cover, and a bomb shakes its cell. */
function Content({ what, isOpened, delayMs }: ContentProps) {
  const place = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it appears once
  useLayoutEffect(() => {
    const inside = place.current!;
    if (!isOpened) return void move(inside, REST, REST_MS, 'out', delayMs);
    void move(inside.lastElementChild, POP, POP_MS, 'pop', delayMs);
    void move(inside.firstElementChild, FADE, POP_MS, 'out', delayMs);
    void move(
      inside.parentElement,
      what === 'BOMB' ? SHAKE : TURN,
      what === 'BOMB' ? SHAKE_MS : POP_MS,
      'out',
      delayMs,
    );
  }, []);
  return (
    <span ref={place} className="inside">
      {isOpened && <i className="cover" />}
      {what === 'GEM' ? <Gem /> : <Bomb />}
    </span>
  );
}

/** Number of steps of the ladder that are shown. */
const STEPS = 7;
/** The number of these that phones show. */
const PHONE_STEPS = 4;

type LadderProps = {
  of: readonly number[];
  gems: number;
  /** `now`: the current multiplier can be cashed out. `picked`: autoplay opens as many tiles. */
  mark: 'now' | 'picked' | undefined;
};

/** The multipliers for the next numbers of gems. */
export function Ladder({ of, gems, mark }: LadderProps) {
  const start = Math.max(0, Math.min(gems - 5, of.length - STEPS));
  const phoneStart = Math.max(0, Math.min(gems - 3, of.length - PHONE_STEPS));
  return (
    <ol className="mines-ladder" aria-label={words.mines.ladder}>
      {of.slice(start, start + STEPS).map((multiplier, i) => {
        const step = start + i + 1;
        const isNow = step === gems && mark !== undefined;
        const isFar = step <= phoneStart || step > phoneStart + PHONE_STEPS;
        return (
          <li
            key={step}
            className={`${isNow ? 'now' : step <= gems ? 'done' : ''} ${isFar ? 'far' : ''}`}
            aria-current={isNow ? 'step' : undefined}
          >
            <b>{times(multiplier)}</b>
            <small key={String(isNow)}>
              {isNow && mark === 'now' ? words.mines.now : words.mines.gems(step)}
            </small>
          </li>
        );
      })}
    </ol>
  );
}
