import { expect, test } from 'vitest';
import { derived } from './derived.ts';

test('returns the same frozen object until one of its sources changes', () => {
  let [first, second] = [{ n: 1 }, { n: 2 }];
  const sum = derived(
    () => [first, second],
    (a, b) => ({ sum: a.n + b.n }),
  );
  const before = sum();
  expect(sum()).toBe(before);
  expect(Object.isFrozen(before)).toBe(true);
  second = { n: 3 };
  expect(sum()).toEqual({ sum: 4 });
  expect(sum()).toBe(sum());
  first = { n: 4 };
  expect(sum()).toEqual({ sum: 7 });
  expect(before).toEqual({ sum: 3 });
});
