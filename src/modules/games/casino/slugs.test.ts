import { describe, expect, test } from 'vitest';
import { createSlugs, isShort, kebab } from './rules.ts';

test.each([
  ['Seven Orchards', 'seven-orchards'],
  ["Dragon's  Éclair™ 100%", 'dragons-eclairtm-100'],
  ['--A--', 'a'],
  ['ＷＩＤＥ ②', 'wide-2'],
  ['黄金', ''],
])('converts %s to the slug %j', (name, slug) => {
  expect(kebab(name)).toBe(slug);
});

describe('slugs', () => {
  const slugsOf = (names: string[], { prefix = null as string | null, taken = [] as string[] } = {}) => {
    const slugOf = createSlugs(prefix, new Set(taken));
    return names.map((name, i) => slugOf({ code: `code ${i}`, name }));
  };

  test("starts a slug with the provider's prefix", () => {
    expect(slugsOf(['Book'], { prefix: 'FW' })).toEqual(['fw-book']);
    expect(slugsOf(['Book'])).toEqual(['book']);
  });

  test('appends the next number when a slug is taken', () => {
    expect(slugsOf(['Book', 'book', 'BOOK'])).toEqual(['book', 'book-2', 'book-3']);
    const taken = ['book', 'book-2', 'book-4'];
    expect(slugsOf(['Book', 'Book', 'Book 3'], { taken })).toEqual(['book-3', 'book-5', 'book-3-2']);
  });

  test('never creates a slug that equals a reserved path segment', () => {
    const routes = 'all main house providers commission favorite bulk hydrate categories'.split(' ');
    expect(slugsOf([...routes, 'Allegro'])).toEqual([...routes.map((name) => `${name}-2`), 'allegro']);
  });

  test('builds the slug from the code when the name has no usable letters', () => {
    expect(slugsOf(['黄金', '黄金'])).toEqual(['code-0', 'code-1']);
    expect(createSlugs(null, new Set())({ code: '黄', name: '金' })).toBe('game');
  });

  test('creates slugs that fit into a path even with a number appended', () => {
    const slugs = slugsOf(['x'.repeat(55).concat(' y'), 'x'.repeat(55).concat(' y')]);
    expect(slugs).toEqual(['x'.repeat(55), `${'x'.repeat(55)}-2`]);
  });
});

test.each([
  [0, undefined, false],
  [80, 100, false],
  [79, 100, true],
  [0, 1, true],
  [0, 0, false],
  [4, 5, false],
])('reports whether a list of %i games is too short after a list of %s: %s', (codes, before, is) => {
  expect(isShort(codes, before)).toBe(is);
});
