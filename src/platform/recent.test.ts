import { expect, test } from 'vitest';
import { createRecent } from './recent.ts';

test('keeps the newest entries, and at most twice the configured number', () => {
  const recent = createRecent<number>(3);
  for (let n = 0; n < 100; n++) {
    recent.set(`n${n}`, n);
    const known = Array.from({ length: n + 1 }, (_, i) => i).filter((i) => recent.has(`n${i}`));
    expect(known.slice(-3)).toEqual([n - 2, n - 1, n].filter((i) => i >= 0));
    expect(known.length).toBeLessThanOrEqual(6);
    for (const i of known) expect(recent.get(`n${i}`)).toBe(i);
  }
});

test('returns the new value of an updated entry and no value for a deleted one, in either half', () => {
  const recent = createRecent<string>(2);
  recent.set('a', 'first');
  recent.set('b', 'kept');
  recent.set('c', 'newer half');
  recent.set('a', 'second');
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['second', 'kept', 'newer half']);
  for (const name of ['a', 'b', 'c']) recent.delete(name);
  expect(['a', 'b', 'c'].filter((name) => recent.has(name) || recent.get(name) !== undefined)).toEqual([]);
  recent.set('d', 'one');
  recent.set('d', 'two');
  expect(recent.get('d')).toBe('two');
});
