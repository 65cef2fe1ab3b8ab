import { expect, test } from 'vitest';
import { fieldsOf, readFeed } from './rules.ts';

test('reads one page of the Pragmatic Play data feed', () => {
  expect(readFeed('timepoint=1764000000123\r\na,b,c\r\n1,2,3\r\nx,,"y,""z"""\r\n')).toEqual({
    timepoint: 1764000000123,
    rows: [
      { a: '1', b: '2', c: '3' },
      { a: 'x', b: '', c: 'y,"z"' },
    ],
  });
  expect(readFeed('timepoint=5\na,b')).toEqual({ timepoint: 5, rows: [] });
});

test.each([
  '',
  'timepoint=',
  'timepoint=x\na\n1',
  'timepoint=5x\na',
  'a,b\n1,2',
  'timepoint=5\na,b\n1',
  'timepoint=5\na,b\n1,2,3',
])('rejects the data feed page %j', (text) => {
  expect(readFeed(text)).toBeUndefined();
});

test('splits a line of the data feed into its fields', () => {
  expect(fieldsOf('')).toEqual(['']);
  expect(fieldsOf(',')).toEqual(['', '']);
  expect(fieldsOf('a,')).toEqual(['a', '']);
  expect(fieldsOf('"a",b')).toEqual(['a', 'b']);
  expect(fieldsOf('"a"b,c')).toEqual(['"a"b', 'c']);
});
