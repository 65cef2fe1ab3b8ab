import { describe, expect, test } from 'vitest';
import { erasedName, isErased, searchFor, skeletonOf } from './rules.ts';

describe('look-alike names', () => {
  test.each([
    ['Lucky', 'lucky'],
    ['LUCKY', '1ucky'],
    ['lucky', 'iucky'],
    ['lucky', 'Iucky'],
    ['wow', 'vvovv'],
    ['mom', 'rnorn'],
    ['bozo_s', '8020_5'],
  ])('treats the names %s and %s as the same', (a, b) => expect(skeletonOf(a)).toBe(skeletonOf(b)));

  test.each([
    ['lucky', 'luckv'],
    ['vow', 'wow'],
    ['name', 'nane'],
    ['a3', 'a4'],
    ['a_b', 'ab'],
  ])('distinguishes %s and %s', (a, b) => expect(skeletonOf(a)).not.toBe(skeletonOf(b)));
});

describe('a user search', () => {
  const search = (text: string, pattern: string, isPrefix: boolean, id?: number) =>
    [text, { text: text.trim(), pattern, isPrefix, id }] as const;

  test.each([
    search('ann', '%ann%', false),
    search('  ann ', '%ann%', false),
    search('an', 'an%', true),
    search('a-n-n', 'a-n-n%', true),
    search('éàü', '%éàü%', false),
    search('a_b', 'a\\_b%', true),
    search('50%_\\x', '50\\%\\_\\\\x%', true),
    search('7', '7%', true, 7),
    search('123', '%123%', false, 123),
    search('2147483647', '%2147483647%', false, 2_147_483_647),
    search('2147483648', '%2147483648%', false),
    search('12345678901', '%12345678901%', false),
    search('0', '0%', true),
    search('007', '%007%', false),
    search('7a', '7a%', true),
    search('a7', 'a7%', true),
    search('-7', '-7%', true),
    // Only text that is a plain integer is also searched as a user id.
    search('7.0', '7.0%', true),
    search('1e3', '%1e3%', false),
  ])('returns the search terms for %j', (text, expected) => expect(searchFor(text)).toEqual(expected));

  test.each(['', ' ', '\t\n'])('performs no search for %j', (text) =>
    expect(searchFor(text)).toBeUndefined(),
  );
});

test('recognizes an erased account by a username that contains its own id', () => {
  expect(erasedName(7)).toBe('erased-7');
  expect(isErased({ id: 7, username: 'erased-7' })).toBe(true);
  expect(isErased({ id: 8, username: 'erased-7' })).toBe(false);
  expect(isErased({ id: 7, username: null })).toBe(false);
});
