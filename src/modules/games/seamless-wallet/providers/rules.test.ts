import { expect, test } from 'vitest';
import { ONE, type Rate, units } from '../../../../platform/money.ts';
import { areOver, betOf } from './rules.ts';

const RATE = 10n ** 12n;
const at = (dollars: number): Rate => (BigInt(dollars) * RATE) as Rate;

test.each([
  ['as it is', '0.1', 1, 6, { factor: '1', decimals: 2 }, '0.1'],
  ['in whole units of the provider, rounded down', '0.129', 1, 6, { factor: '1', decimals: 2 }, '0.12'],
  ['in another currency', '0.65', 65_000, 8, { factor: '1', decimals: 5 }, '0.00001'],
  ['at least one unit', '0.001', 1, 6, { factor: '1', decimals: 2 }, '0.01'],
  ['in thousandths', '0.5', 65_000, 8, { factor: '0.001', decimals: 2 }, '0.00001'],
])('computes the stake of a free round: %s', (_, usd, dollars, decimals, scale, bet) => {
  expect(betOf(units(usd), { rate: at(dollars), decimals, scale })).toBe(units(bet));
});

test.each([
  ['SUM', { played: 0, hasSum: true, isOpen: false }, true],
  ['SUM', { played: 9, hasSum: false, isOpen: false }, false],
  ['ROUNDS', { played: 3, hasSum: false, isOpen: false }, true],
  ['ROUNDS', { played: 3, hasSum: false, isOpen: true }, false],
  ['ROUNDS', { played: 2, hasSum: false, isOpen: false }, false],
  ['ROUNDS', { played: 4, hasSum: false, isOpen: false }, true],
] as const)(
  'checks whether three free rounds that end by %s, with the bookings %j, are over: %s',
  (endBy, booked, isOver) => {
    expect(areOver({ rounds: 3, endBy }, { won: ONE, ...booked })).toBe(isOver);
  },
);
