import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idOf, numeral } from './exact-json.ts';

test.each([
  ['5000000000', '5000000000'],
  ['5e9', '5000000000'],
  ['5.0E+9', '5000000000'],
  ['5000000000.000', '5000000000'],
  ['50000000000e-1', '5000000000'],
  ['-7', '-7'],
  ['-0', '0'],
  ['0e5', '0'],
  ['1.5', '1.5'],
  ['1e-3', '1e-3'],
  ['1e999', '1e999'],
])('reads the id %s as %s', (written, id) => {
  expect(idOf(numeral(written))).toBe(id);
});

test('reads a whole number as the same id in every notation', () => {
  const digits = fc.bigInt({ min: 1n, max: 10n ** 30n });
  fc.assert(
    fc.property(digits, fc.nat({ max: 20 }), fc.nat({ max: 20 }), (whole, zeros, shift) => {
      const plain = `${whole}${'0'.repeat(zeros)}`;
      const point = Math.min(shift, plain.length - 1);
      const at = plain.length - point;
      const shifted = point === 0 ? plain : `${plain.slice(0, at)}.${plain.slice(at)}`;
      expect(idOf(numeral(`${shifted}e${point}`))).toBe(plain);
      expect(idOf(numeral(`${plain}${'0'.repeat(shift)}e-${shift}`))).toBe(plain);
    }),
  );
});
