import { type KeyboardEvent, useState } from 'react';
import {
  findPosition,
  ROULETTE_POSITIONS,
  type RoulettePosition,
} from '../../../src/modules/games/house-games/roulette/rules.ts';
import { formatUnits, type Units } from '../../../src/platform/money.ts';
import { words } from '../words.ts';
import { towards } from './roving.ts';

const RED = findPosition('RED')!.wins;

export const colourOf = (number: number): 'RED' | 'BLACK' | 'GREEN' =>
  number === 0 ? 'GREEN' : RED.has(number) ? 'RED' : 'BLACK';

/** A position on the table on which chips can be placed. Its centre and size are in units of the table's columns and rows. */
type Place = { position: RoulettePosition; x: number; y: number; wide: number; high: number };

const ROWS = 18;
const SPOT = 0;
const EVEN_CHANCES = {
  LOW: [0, 15],
  HIGH: [1.5, 15],
  EVEN: [0, 16],
  ODD: [1.5, 16],
  RED: [0, 17],
  BLACK: [1.5, 17],
} as const;
const xOf = (n: number) => ((n - 1) % 3) + 0.5;
const yOf = (n: number) => Math.floor((n - 1) / 3) + 1.5;
const spot = (x: number, y: number) => ({ x, y, wide: SPOT, high: SPOT });

/**
 * Returns a position's place on the table, which is vertical. From top to bottom the table has zero, three columns of twelve numbers, the
 * column bets, the dozens and the even chances.
 */
function placeOf({ type, numbers }: RoulettePosition): Omit<Place, 'position'> {
  const [first = 0, second = 0] = numbers;
  const hasZero = first === 0;
  switch (type) {
    case 'STRAIGHT':
      return hasZero
        ? { x: 1.5, y: 0.5, wide: 3, high: 1 }
        : { x: xOf(first), y: yOf(first), wide: 1, high: 1 };
    case 'SPLIT':
      return hasZero
        ? spot(xOf(second), 1)
        : spot((xOf(first) + xOf(second)) / 2, (yOf(first) + yOf(second)) / 2);
    case 'STREET':
      return hasZero ? spot(second, 1) : spot(0, yOf(first));
    case 'CORNER':
      return hasZero ? spot(0, 1) : spot(xOf(first) + 0.5, yOf(first) + 0.5);
    case 'LINE':
      return spot(0, yOf(first) + 0.5);
    case 'COLUMN':
      return { x: first - 0.5, y: 13.5, wide: 1, high: 1 };
    case 'DOZEN':
      return { x: first - 0.5, y: 14.5, wide: 1, high: 1 };
    default: {
      const [left, top] = EVEN_CHANCES[type];
      return { x: left + 0.75, y: top + 0.5, wide: 1.5, high: 1 };
    }
  }
}

/** All positions. Fields come first, because the spots on their edges are drawn over them. */
export const PLACES: readonly Place[] = ROULETTE_POSITIONS.map((position) => ({
  position,
  ...placeOf(position),
})).toSorted((a, b) => b.wide - a.wide);

type TableProps = {
  /** Total chips on each position, by its index. */
  chips: ReadonlyMap<number, Units>;
  hit: number | undefined;
  onLay: (place: number) => void;
  onUndo: () => void;
};

/**
 * The roulette table. It is a single Tab stop. Arrow keys move to the nearest position, Enter and Space place a chip, and Backspace removes
 * the last chip.
 */
export function Table({ chips, hit, onLay, onUndo }: TableProps) {
  const [at, setAt] = useState(0);
  const go = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Backspace') onUndo();
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    const next = towards(PLACES, at, event.key);
    if (next === undefined) return;
    setAt(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a roulette table
    <div className="table" role="group" aria-label={words.roulette.table} onKeyDown={go}>
      {PLACES.map(({ position, x, y, wide, high }, index) => {
        const amount = chips.get(index);
        const name = nameOf(position);
        return (
          <button
            key={name}
            type="button"
            data-cell={index}
            tabIndex={index === at ? 0 : -1}
            onFocus={() => setAt(index)}
            className={classOf(position, hit)}
            style={boxOf({ x, y, wide, high })}
            aria-label={`${name}, ${words.play.pays(Number(position.pays))}${amount ? `, ${formatUnits(amount)} USD` : ''}`}
            title={name}
            onClick={() => onLay(index)}
          >
            {wide > 0 && textOf(position)}
            {amount !== undefined && <span className="chip">{formatUnits(amount)}</span>}
          </button>
        );
      })}
    </div>
  );
}

const percent = (part: number, of: number) => `${((part / of) * 100).toFixed(3)}%`;

function boxOf({ x, y, wide, high }: Omit<Place, 'position'>) {
  if (wide === SPOT) return { left: percent(x, 3), top: percent(y, ROWS) };
  return {
    left: percent(x - wide / 2, 3),
    top: percent(y - high / 2, ROWS),
    width: percent(wide, 3),
    height: percent(high, ROWS),
  };
}

function classOf({ type, numbers, wins }: RoulettePosition, hit: number | undefined): string {
  const isHit = hit !== undefined && wins.has(hit) ? ' won' : '';
  if (type === 'STRAIGHT') return `field ${colourOf(numbers[0]!).toLowerCase()}${isHit}`;
  if (type === 'RED' || type === 'BLACK') return `field ${type.toLowerCase()}${isHit}`;
  return /SPLIT|STREET|CORNER|LINE/.test(type) ? 'spot' : `field${isHit}`;
}

function textOf({ type, numbers }: RoulettePosition): string {
  if (type === 'STRAIGHT') return String(numbers[0]);
  if (type === 'DOZEN') return `${numbers[0]! * 12 - 11}–${numbers[0]! * 12}`;
  if (type === 'COLUMN') return '3×';
  return words.roulette.short[type as keyof typeof words.roulette.short] ?? type;
}

const nameOf = ({ type, numbers }: RoulettePosition): string =>
  `${words.roulette.types[type]} ${numbers.join(', ')}`.trim();
