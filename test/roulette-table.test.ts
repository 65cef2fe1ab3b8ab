import { expect, test } from 'vitest';
import { type Kind, PLACES, pressed } from '../web/lobby/games/roulette-places.ts';

const EDGE = { x: 0.15, y: 0.18 };
const nameOf = (index: number) => {
  const { type, numbers } = PLACES[index]!.position;
  return `${type} ${numbers.join(' ')}`.trim();
};
const fieldOf = (number: number) =>
  PLACES.findIndex(({ position: { type, numbers } }) => type === 'STRAIGHT' && numbers[0] === number);
const press = (number: number, kind: Kind, x: number, y: number, edge?: typeof EDGE) =>
  pressed(fieldOf(number), kind, { x, y }, edge).map(nameOf);

test('gives each of the 157 positions a point of its own on the table', () => {
  expect(new Set(PLACES.map(({ x, y }) => `${x} ${y}`)).size).toBe(157);
});

test.each([
  [17, 6.5, 1.5, 'STRAIGHT 17'],
  [17, 6.98, 1.5, 'SPLIT 17 20'],
  [17, 6.5, 1.02, 'SPLIT 17 18'],
  [17, 6.98, 1.03, 'CORNER 17 18 20 21'],
  [16, 6.5, 2.95, 'STREET 16 17 18'],
  [16, 6.95, 2.95, 'LINE 16 17 18 19 20 21'],
  [0, 0.5, 1, 'STRAIGHT 0'],
  [0, 0.95, 1.5, 'SPLIT 0 2'],
  [3, 1.02, 0.5, 'SPLIT 0 3'],
  [0, 0.95, 1.05, 'STREET 0 2 3'],
  [1, 1.02, 2.97, 'CORNER 0 1 2 3'],
  [3, 1.5, 0.02, 'STRAIGHT 3'],
  [36, 12.98, 0.5, 'STRAIGHT 36'],
])('places a chip that is pressed on number %i at (%f, %f) on %s', (number, x, y, expected) => {
  expect(press(number, 'STRAIGHT', x, y, EDGE)).toEqual([expected]);
});

test('places a chip on the number if it is pressed on a touch screen or by keyboard', () => {
  expect(press(17, 'STRAIGHT', 6.98, 1.5)).toEqual(['STRAIGHT 17']);
  expect(pressed(fieldOf(17), 'SPLIT').map(nameOf)).toEqual(['STRAIGHT 17']);
});

test.each([
  ['SPLIT', ['SPLIT 17 18']],
  ['STREET', ['STREET 16 17 18']],
  ['CORNER', ['CORNER 17 18 20 21']],
  ['LINE', ['LINE 16 17 18 19 20 21']],
  ['NEIGHBOURS', ['STRAIGHT 2', 'STRAIGHT 25', 'STRAIGHT 17', 'STRAIGHT 34', 'STRAIGHT 6']],
] as const)('finds the nearest position of the kind %s', (kind, expected) => {
  expect(press(17, kind, 6.6, 1.4)).toEqual(expected);
});
