import { expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { turnoverOf } from './rules.ts';

test.each([
  ['10', 100, '10'],
  ['10', 0, '0'],
  ['9.99', 250, '24.975'],
  ['0.00000001', 50, '0'],
])('%s dollars with %i percent are %s dollars of turnover', (usd, percent, expected) => {
  expect(turnoverOf(units(usd), percent)).toBe(units(expected));
});
