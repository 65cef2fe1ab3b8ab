import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { inputHash } from './service.ts';

const hash = (input: unknown, operation = 'POST /tip') => inputHash(operation, input).toString('hex');

test('ignores the order of keys at any depth and undefined fields', () => {
  expect(hash({ b: 1, a: { d: 2, c: [{ f: 3, e: 4 }] } })).toBe(
    hash({ a: { c: [{ e: 4, f: 3 }], d: 2 }, b: 1 }),
  );
  expect(hash({ a: 1, b: undefined })).toBe(hash({ a: 1 }));
});

test('returns different hashes for inputs that differ in any other way', () => {
  const inputs = [
    ...[undefined, '', 'null', 'a', 0, 1, '1', true, 'true'],
    ...[[], {}, [1], [1, 2], [2, 1], [12], [[1], 2], ['1', 2], ['1,2']],
    ...[{ a: 1 }, { a: '1' }, { a: null }, { a: [] }, { a: {} }, { b: 1 }, { a: 1, b: 1 }, { a: { b: 1 } }],
    ...[{ '': 1 }, { 'a:1': 1 }, { 'a","b': 1 }, { a: '1,"b":1' }],
  ];
  const hashes = inputs.map((input) => hash(input));
  expect(new Set(hashes).size).toBe(inputs.length);
  expect(hash({ a: 1 }, 'POST /vault')).not.toBe(hash({ a: 1 }));
});

test('still returns the hashes that earlier versions stored', () => {
  const text = 'POST /tip\n{"amount":"1.5","note":null,"tags":["x",null],"toUserId":7}';
  const expected = createHash('sha256').update(text).digest('hex');
  expect(hash({ toUserId: 7, amount: '1.5', note: null, tags: ['x', undefined] })).toBe(expected);
  expect(hash(null)).toBe(hash(undefined));
});
