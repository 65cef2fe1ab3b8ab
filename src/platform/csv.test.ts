import { expect, test } from 'vitest';
import { cell } from './csv.ts';

test.each([
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  '−1',
  ' =1+1',
  '\u00a0=1',
  '\ufeff=1',
  '\u200b＝1',
])('marks the formula %j as text', (text) => {
  expect(cell(text).replace(/^"/, '')).toBe(`'${text}${cell(text).startsWith('"') ? '"' : ''}`);
});

test.each(['-12.5', '12', 'a=b', 'name@example.com', '1-2', 'µ', '', '日本'])(
  'writes %j to a CSV cell unchanged',
  (text) => {
    expect(cell(text)).toBe(text);
  },
);

test.each([
  [['a', '=1+1'], "a;' =1+1"],
  ['x;=1+1;y', "x;'=1+1;y"],
  [{ name: 'a;@SUM(A1)' }, "name: a;'@SUM(A1)"],
  [['1', '-2', '-3'], '1; -2; -3'],
  ['a; b=c; d', 'a; b=c; d'],
])('marks formulas after a semicolon in %j', (value, text) => {
  expect(cell(value)).toBe(text);
});

test('writes the other fields of a user whose name is hidden', () => {
  expect(cell([{ username: 'anna' }, { id: 5, username: null }])).toBe('anna; (id: 5)');
});
