import {
  findPosition,
  ROULETTE_POSITIONS,
  type RoulettePosition,
  type RouletteType,
} from '../../../src/modules/games/house-games/roulette/layout/rules.ts';
import { neighboursOf } from './wheel-order.ts';

/** A position on the table. Its centre and size are in columns and rows of the table. Positions between fields have no size. */
export type Place = { position: RoulettePosition; x: number; y: number; wide: number; high: number };

export const COLUMNS = 14;
export const ROWS = 5;
const SPOT = { wide: 0, high: 0 };
const EVEN_CHANCES: readonly RouletteType[] = ['LOW', 'EVEN', 'RED', 'BLACK', 'ODD', 'HIGH'];

const xOf = (n: number) => Math.ceil(n / 3) + 0.5;
const yOf = (n: number) => 2.5 - ((n - 1) % 3);

/**
 * Returns a position's place on the table, which is horizontal. Zero is on the left, then twelve columns of three numbers and the column
 * bets. The dozens and the even chances are below.
 */
function placeOf({ type, numbers }: RoulettePosition): Omit<Place, 'position'> {
  const [first = 0, second = 0, third = 0] = numbers;
  const hasZero = first === 0;
  switch (type) {
    case 'STRAIGHT':
      return hasZero
        ? { x: 0.5, y: 1.5, wide: 1, high: 3 }
        : { x: xOf(first), y: yOf(first), wide: 1, high: 1 };
    case 'SPLIT':
      return hasZero
        ? { x: 1, y: yOf(second), ...SPOT }
        : { x: (xOf(first) + xOf(second)) / 2, y: (yOf(first) + yOf(second)) / 2, ...SPOT };
    case 'STREET':
      return hasZero
        ? { x: 1, y: (yOf(second) + yOf(third)) / 2, ...SPOT }
        : { x: xOf(first), y: 3, ...SPOT };
    case 'CORNER':
      return hasZero ? { x: 1, y: 3, ...SPOT } : { x: xOf(first) + 0.5, y: yOf(first) - 0.5, ...SPOT };
    case 'LINE':
      return { x: xOf(first) + 0.5, y: 3, ...SPOT };
    case 'COLUMN':
      return { x: 13.5, y: 3.5 - first, wide: 1, high: 1 };
    case 'DOZEN':
      return { x: 4 * first - 1, y: 3.5, wide: 4, high: 1 };
    default:
      return { x: 2 * EVEN_CHANCES.indexOf(type) + 2, y: 4.5, wide: 2, high: 1 };
  }
}

const ALL = ROULETTE_POSITIONS.map((position) => ({ position, ...placeOf(position) }));

/** Sorts the fields below the numbers as they are seen. */
const rank = ({ x, y }: Place) => (y > 3 ? y * COLUMNS + x : 0);

/** All positions. Fields come first, because the positions between them are drawn over them. */
export const PLACES: readonly Place[] = [
  ...ALL.filter(({ wide }) => wide > 0).toSorted((a, b) => rank(a) - rank(b)),
  ...ALL.filter(({ wide }) => wide === 0),
];

/** The numbers that a press of a number bets on: the number, also its neighbours on the wheel, or the nearest position of a type that includes it. */
export const KINDS = ['STRAIGHT', 'NEIGHBOURS', 'SPLIT', 'STREET', 'CORNER', 'LINE'] as const;
export type Kind = (typeof KINDS)[number];

const indexOf = (n: number) => PLACES.findIndex(({ position }) => position === findPosition('STRAIGHT', [n]));

type Point = { x: number; y: number };

/**
 * Returns the positions that a press on a field means. `at`: the point that is pressed, in columns and rows, unless it was pressed by
 * keyboard. `edge`: the part of a field, per direction, that counts as its edge.
 */
export function pressed(field: number, kind: Kind, at?: Point, edge?: Point): readonly number[] {
  const { type, numbers } = PLACES[field]!.position;
  if (type !== 'STRAIGHT') return [field];
  if (kind === 'NEIGHBOURS') return neighboursOf(numbers[0]!).map(indexOf);
  if (!at) return [field];
  if (kind === 'STRAIGHT') return [(edge && between(at, edge)) ?? field];
  const near = PLACES.map((place, index) => ({ ...place, index }))
    .filter(({ position }) => position.type === kind && position.numbers.includes(numbers[0]!))
    .toSorted((a, b) => distance(a, at) - distance(b, at));
  return [near[0]?.index ?? field];
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);

/** Returns the position between fields at a point. Undefined if the point is not near an edge of its field. */
function between({ x, y }: Point, edge: Point): number | undefined {
  const [px, py] = [snapped(x, edge.x), snapped(y, edge.y)];
  const found = PLACES.findIndex((place) => place.wide === 0 && place.x === px && place.y === py);
  return found < 0 ? undefined : found;
}

function snapped(at: number, edge: number): number {
  const line = Math.round(at);
  return Math.abs(at - line) <= edge ? line : Math.floor(at) + 0.5;
}
