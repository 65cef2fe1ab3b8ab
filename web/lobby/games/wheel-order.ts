import { findPosition } from '../../../src/modules/games/house-games/roulette/layout/rules.ts';

export type Colour = 'RED' | 'BLACK' | 'GREEN';

/** Order of the numbers on the European wheel, clockwise. */
export const ORDER: readonly number[] = [
  0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22,
  18, 29, 7, 28, 12, 35, 3, 26,
];

const RED = findPosition('RED')!.wins;

export const colourOf = (number: number): Colour =>
  number === 0 ? 'GREEN' : RED.has(number) ? 'RED' : 'BLACK';

/** Returns a number and its two neighbours on each side of the wheel. */
export function neighboursOf(number: number): readonly number[] {
  const at = ORDER.indexOf(number);
  return [-2, -1, 0, 1, 2].map((by) => ORDER[(at + by + ORDER.length) % ORDER.length]!);
}
