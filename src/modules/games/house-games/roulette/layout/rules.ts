/** The layout of a wheel with one zero. Pages that draw the table load it without the rules of bets. */

/** Total return of a winning entry, by type. */
const PAYS = {
  STRAIGHT: 36n,
  SPLIT: 18n,
  STREET: 12n,
  CORNER: 9n,
  LINE: 6n,
  DOZEN: 3n,
  COLUMN: 3n,
  RED: 2n,
  BLACK: 2n,
  ODD: 2n,
  EVEN: 2n,
  LOW: 2n,
  HIGH: 2n,
} as const;

export type RouletteType = keyof typeof PAYS;
export const ROULETTE_TYPES = Object.keys(PAYS) as RouletteType[];

/** A position on the layout: its name in a request (`numbers` ascending), its winning numbers and its payout. */
export type RoulettePosition = {
  type: RouletteType;
  numbers: readonly number[];
  wins: ReadonlySet<number>;
  pays: bigint;
};

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
const LAYOUT = Array.from({ length: 36 }, (_, index) => index + 1);
const ROWS = Array.from({ length: 12 }, (_, row) => [3 * row + 1, 3 * row + 2, 3 * row + 3] as const);
const FOLLOWED = ROWS.slice(0, -1);

/** All 157 positions of the layout of a wheel with one zero. */
export const ROULETTE_POSITIONS: readonly RoulettePosition[] = [
  ...inside('STRAIGHT', [[0], ...LAYOUT.map((n) => [n])]),
  ...inside('SPLIT', [
    [0, 1],
    [0, 2],
    [0, 3],
    ...ROWS.flatMap(([a, b, c]) => [
      [a, b],
      [b, c],
    ]),
    ...LAYOUT.slice(0, 33).map((n) => [n, n + 3]),
  ]),
  ...inside('STREET', [[0, 1, 2], [0, 2, 3], ...ROWS]),
  ...inside('CORNER', [
    [0, 1, 2, 3],
    ...FOLLOWED.flatMap(([a, b]) => [a, b].map((n) => [n, n + 1, n + 3, n + 4])),
  ]),
  ...inside(
    'LINE',
    FOLLOWED.map(([n]) => LAYOUT.slice(n - 1, n + 5)),
  ),
  ...[1, 2, 3].map((d) => outside('DOZEN', [d], (n) => Math.ceil(n / 12) === d)),
  ...[1, 2, 3].map((c) => outside('COLUMN', [c], (n) => ROWS.some((row) => row[c - 1] === n))),
  outside('RED', [], (n) => RED.has(n)),
  outside('BLACK', [], (n) => !RED.has(n)),
  outside('ODD', [], (n) => (n & 1) === 1),
  outside('EVEN', [], (n) => (n & 1) === 0),
  outside('LOW', [], (n) => n <= 18),
  outside('HIGH', [], (n) => n >= 19),
];

const BY_NAME = new Map(
  ROULETTE_POSITIONS.map((position) => [nameOf(position.type, position.numbers), position]),
);

/** Returns the position of an entry, or undefined if the layout has no such position. */
export function findPosition(
  type: RouletteType,
  numbers: readonly number[] = [],
): RoulettePosition | undefined {
  return BY_NAME.get(nameOf(type, numbers));
}

function inside(type: RouletteType, places: readonly (readonly number[])[]): RoulettePosition[] {
  return places.map((numbers) => ({ type, numbers, wins: new Set(numbers), pays: PAYS[type] }));
}

/**
 * Returns a position that covers many numbers, but never zero. A request identifies such a position without numbers, or by the number of
 * its dozen or column.
 */
function outside(
  type: RouletteType,
  numbers: readonly number[],
  isWinning: (n: number) => boolean,
): RoulettePosition {
  return { type, numbers, wins: new Set(LAYOUT.filter(isWinning)), pays: PAYS[type] };
}

function nameOf(type: RouletteType, numbers: readonly number[]): string {
  return `${type} ${numbers.toSorted((a, b) => a - b).join(' ')}`;
}
