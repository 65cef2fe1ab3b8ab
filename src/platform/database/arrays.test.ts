import { expect, test } from 'vitest';
import { int2Array, int4Array, int8Array } from './arrays.ts';

const inHex = (array: Buffer) => array.subarray(20).toString('hex');

test.each([
  ['int2', (value: bigint) => int2Array([Number(value)]), 2n ** 15n, '00000002', 'ff', '00'],
  ['int4', (value: bigint) => int4Array([Number(value)]), 2n ** 31n, '00000004', 'ffffff', '000000'],
  ['int8', (value: bigint) => int8Array([value]), 2n ** 63n, '00000008', 'ff'.repeat(7), '00'.repeat(7)],
])(
  'writes the least and the greatest %s and rejects values beyond',
  (_type, of, end, length, ones, zeros) => {
    expect(inHex(of(end - 1n))).toBe(`${length}7f${ones}`);
    expect(inHex(of(-end))).toBe(`${length}80${zeros}`);
    for (const beyond of [end, -end - 1n]) expect(() => of(beyond)).toThrow(RangeError);
  },
);

test('rejects values that are not whole numbers', () => {
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => int4Array([value])).toThrow(RangeError);
    expect(() => int2Array([value])).toThrow(RangeError);
  }
});

test('writes null for nullable columns', () => {
  expect(inHex(int4Array([null, 1]))).toBe('ffffffff0000000400000001');
  expect(inHex(int8Array([null, 1n]))).toBe('ffffffff000000080000000000000001');
});
