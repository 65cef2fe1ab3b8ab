import { expect, test } from 'vitest';
import { createSharedRead, readTogether, sharedFor } from './shared-read.ts';

test('reads all keys requested in one turn of the event loop together, and returns its own value to each caller', async () => {
  const reads: (readonly string[])[] = [];
  const read = readTogether(async (keys: readonly string[]) => {
    reads.push(keys);
    return new Map(keys.flatMap((key) => (key === 'none' ? [] : [[key, key.length] as const])));
  });
  expect(await Promise.all([read('a'), read('none'), read('ccc'), read('a')])).toEqual([1, undefined, 3, 1]);
  expect(reads).toEqual([['a', 'none', 'ccc', 'a']]);
});

test('caches nothing between turns of the event loop', async () => {
  let value = 1;
  const read = readTogether(async (keys: readonly string[]) => new Map(keys.map((key) => [key, value])));
  expect(await read('a')).toBe(1);
  value = 2;
  expect(await read('a')).toBe(2);
});

test('fails all callers that share a failed read, but no later callers', async () => {
  let isAway = true;
  const read = readTogether(async (keys: readonly number[]) => {
    if (isAway) throw new Error('away');
    return new Map(keys.map((key) => [key, key]));
  });
  const both = await Promise.allSettled([read(1), read(2)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await read(1)).toBe(1);
});

test('reads at most 256 keys in one statement', async () => {
  const sizes: number[] = [];
  const read = readTogether(async (keys: readonly number[]) => {
    sizes.push(keys.length);
    return new Map(keys.map((key) => [key, key]));
  });
  await Promise.all(Array.from({ length: 300 }, (_, i) => read(i)));
  expect(sizes).toEqual([256, 44]);
});

test('returns the result of one read to all callers for a period, but repeats a failed read', async () => {
  let now = 0;
  let reads = 0;
  const read = sharedFor(
    1000,
    async () => {
      if (++reads === 1) throw new Error('away');
      return reads;
    },
    () => now,
  );
  await expect(read()).rejects.toThrow('away');
  expect([await read(), await read()]).toEqual([2, 2]);
  now = 999;
  expect(await read()).toBe(2);
  now = 1000;
  expect(await read()).toBe(3);
});

test('lets callers that arrive during a read share the next read', async () => {
  const finish: ((value: number) => void)[] = [];
  const read = createSharedRead(() => new Promise<number>((resolve) => finish.push(resolve)));
  const first = read();
  const [second, third] = [read(), read()];
  expect(finish.length).toBe(1);
  finish[0]!(1);
  expect(await first).toBe(1);
  await expect.poll(() => finish.length).toBe(2);
  finish[1]!(2);
  expect([await second, await third]).toEqual([2, 2]);
});
