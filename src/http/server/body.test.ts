import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../platform/errors.ts';
import { isStorable, parseJson } from './body.ts';

const parse = (text: string | Buffer) => parseJson(Buffer.from(text));

/** Returns the error message for a rejected body. */
function refusalOf(text: string | Buffer): string {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect({ status: error.status, code: error.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
    return (error.details!.fields as { message: string }[])[0]!.message;
  }
  throw new Error(`was read: ${text}`);
}

describe('the body reader', () => {
  test('parses every JSON value of ordinary size like JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), fc.boolean(), (value, isSpread) => {
        const text = JSON.stringify(value, null, isSpread ? 2 : 0);
        fc.pre(isReadable(value));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { seed: 41 },
    );
  });

  test('returns undefined for an empty body, not an empty object', () => {
    expect(parse('')).toBeUndefined();
  });

  test('accepts 32 levels of nesting and rejects 33, for arrays and objects', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(parse(nested(32))).toBeDefined();
    expect(parse(objects(32))).toBeDefined();
    for (const text of [
      nested(33),
      objects(33),
      nested(100_000),
      '['.repeat(100_000),
      '{"a":'.repeat(50_000),
    ]) {
      expect(refusalOf(text)).toBe('The body is nested deeper than 32.');
    }
  });

  test('ignores brackets inside strings, even after escaped quotes', () => {
    const text = JSON.stringify({ a: `${'['.repeat(100)}"${'{'.repeat(100)}\\`, b: '\\"[[[' });
    expect(parse(text)).toEqual(JSON.parse(text));
    // The backslash is itself escaped. The string therefore ends here, and the brackets after it count as nesting.
    expect(refusalOf(`["\\\\",${'['.repeat(40)}${']'.repeat(40)}]`)).toMatch('nested deeper');
  });

  test('accepts 10,000 keys and rejects one more', () => {
    const keys = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":":"`).join(',')}}`;
    expect(Object.keys(parse(keys(10_000)) as object)).toHaveLength(10_000);
    expect(refusalOf(keys(10_001))).toBe('The body has more than 10000 keys.');
  });

  test('accepts 50,001 list values and rejects one more', () => {
    const list = (n: number) => `[{"a":","},${'[],'.repeat(n - 2)}1]`;
    expect(parse(list(50_001))).toHaveLength(50_001);
    expect(refusalOf(list(50_002))).toBe('The body has more than 50000 values.');
  });

  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{"a":1,"c":2,"a":3}}]',
    '{"":1,"":2}',
    '{"a:":1,"a:":2}',
  ])('rejects a duplicate key: %s', (text) => expect(refusalOf(text)).toBe('The body has a key twice.'));

  test.each([
    ...'{[":,}]x',
    '{"a":1}}',
    '[1,]',
    '{"a":01}',
    "{'a':1}",
    'NaN',
    '{"a":.5}',
    '\ufeff{}',
    '1 2',
    '{"a":"\n"}',
    '/**/{}',
  ])('rejects malformed JSON: %s', (text) => expect(refusalOf(text)).toBe('The body is not JSON.'));

  test.each([
    [0xff],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0xff, 0xfe, 0x7b, 0x00],
  ])('rejects bytes that are not UTF-8', (...bytes) =>
    expect(refusalOf(Buffer.from(bytes))).toBe('The body is not UTF-8.'),
  );
});

describe('prototype keys', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('rejects %s at every depth', (key) => {
    for (const text of [
      `{"${key}":1}`,
      `[{"a":{"${key}":{}}}]`,
      `{"a":1,"${key}":null}`,
      `{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":1}`,
    ]) {
      expect(refusalOf(text)).toBe(`The body has the forbidden key ${key}.`);
    }
    expect(parse(`["${key}"]`)).toEqual([key]);
    expect(parse(`{"${key}_":1}`)).toEqual({ [`${key}_`]: 1 });
  });
});

describe('text that a database cannot store', () => {
  test.each([
    '"\\u0000"',
    '{"a":"x\\u0000y"}',
    '["\\ud800"]',
    '{"a":["\\udc00\\ud800"]}',
    '{"\\u0000":1}',
    '{"a\\ud83c":1}',
  ])('rejects %s', (text) =>
    expect(refusalOf(text)).toBe('The body has text with a NUL or half a character.'),
  );

  test('accepts characters of every Unicode plane, but rejects lone surrogates and NUL', () => {
    const code = fc.integer({ min: 0, max: 0x10ffff }).filter((n) => n < 0xd800 || n > 0xdfff);
    fc.assert(
      fc.property(code, (n) => isStorable(`a${String.fromCodePoint(n)}`) === n > 0),
      { seed: 42 },
    );
    for (const text of ['\ud83c', '\udfb2', '\udfb2\ud83c', 'a\ud83cb', '\0'])
      expect(isStorable(text)).toBe(false);
    for (const text of ['', '🎲', '\u{10ffff}', '\u202e', '\uffff']) expect(isStorable(text)).toBe(true);
  });
});

/** Excludes values that parseJson rejects for other reasons. */
function isReadable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, item]) =>
      isStorable(key) && !['__proto__', 'constructor', 'prototype'].includes(key) && isReadable(item),
  );
}
