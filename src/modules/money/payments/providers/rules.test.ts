import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { numeral, parseExact } from '../../../../platform/exact-json.ts';
import { MAX_UNITS } from '../../../../platform/money.ts';
import { readTime, readUnits, sortedJson } from './rules.ts';

test.each([
  ['0', 0n],
  ['1', 100_000_000n],
  ['0.00000001', 1n],
  ['1e-8', 1n],
  ['1234567890e-10', 12_345_678n],
  ['1e+010', 10n ** 18n],
  ['1E+2', 10_000_000_000n],
  ['12.5e1', 12_500_000_000n],
  ['0.1', 10_000_000n],
  ['0.30000000000000004', 30_000_000n],
  ['0.123456789', 12_345_678n],
  ['0.000000009', 0n],
  ['9007199254740993.00000001', undefined],
  ['90071992547.00000001', 9_007_199_254_700_000_001n],
  ['92233720368.54775807', MAX_UNITS],
  ['92233720368.54775808', undefined],
  ['1e999', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1,5', undefined],
  ['.5', undefined],
  ['0x10', undefined],
  ['NaN', undefined],
  ['', undefined],
  [' 1', undefined],
  ['1'.repeat(41), undefined],
])('reads the amount %s', (text, units) => expect(readUnits(text)).toBe(units));

test.each(['2026-11-21T09:30:00.000Z', '1795253400', ' 1795253400 ', '1795253400000'])(
  'reads the time of a report: %s',
  (text) => {
    expect(readTime(text).toISOString()).toBe('2026-11-21T09:30:00.000Z');
  },
);

test.each([undefined, null, '', 'soon', '1e400', '9'.repeat(20), '2026-13-45'])(
  'uses the current time when the time of a report is missing or unreadable: %s',
  (text) => {
    expect(Math.abs(Number(readTime(text)) - Date.now())).toBeLessThan(5000);
  },
);

test('preserves JSON numbers as written, without converting them to floats', () => {
  const text = '{"a":0.1,"b":[1e-8,90071992547.00000001],"c":"1","d":null,"e":true,"f":{"g":-0}}';
  expect(parseExact(text)).toEqual({
    a: numeral('0.1'),
    b: [numeral('1e-8'), numeral('90071992547.00000001')],
    c: '1',
    d: null,
    e: true,
    f: { g: numeral('-0') },
  });
  expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(() => parseExact('{')).toThrow(SyntaxError);
});

describe('the canonical document that a partner signs', () => {
  const sortObject = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort((a, b) => (a < b ? -1 : 1))
            .map((key) => [key, sortObject((value as Record<string, unknown>)[key])]),
        )
      : value;

  test("sorts the keys of a signed document, as in the partner's public example", () => {
    const document = { b: 1.5, a: { z: null, c: ['x', { y: 2, x: 1 }] }, 'ä"': 'ü\n', B: true };
    expect(sortedJson(JSON.stringify(document), 'object')).toBe(JSON.stringify(sortObject(document)));
    expect(sortedJson(JSON.stringify(document), 'list')).toBe(
      '{"B":true,"a":{"c":["x",{"x":1,"y":2}],"z":null},"b":1.5,"ä\\"":"ü\\n"}',
    );
  });

  test('changes the signed document when a number is written differently', () => {
    const sign = (text: string) => createHmac('sha512', 'key').update(sortedJson(text, 'list')).digest('hex');
    expect(sign('{"a":1, "b":2}')).toBe(sign('{"b":2,"a":1}'));
    expect(sign('{"a":1.0}')).not.toBe(sign('{"a":1}'));
    expect(sign('{"a":1.00000000000000001}')).not.toBe(sign('{"a":1}'));
  });
});
