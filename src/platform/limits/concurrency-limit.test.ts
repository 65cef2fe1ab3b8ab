import { describe, expect, test } from 'vitest';
import { createConcurrencyLimitByKey } from './concurrency-limit.ts';

const tooMany = new Error('too many');
const limitOf = (concurrency: number, queue: number) =>
  createConcurrencyLimitByKey({ concurrency, queue, refusal: () => tooMany });

describe('a concurrency limit by key', () => {
  test('runs calls up to the limit, queues further calls in order of arrival, and rejects calls when the queue is full', async () => {
    const limit = limitOf(2, 3);
    const had: string[] = [];
    const ask = (name: string) => limit.enter(7)?.then(() => void had.push(name));
    expect([ask('a'), ask('b')]).toEqual([undefined, undefined]);
    const waiting = ['c', 'd', 'e'].map(ask);
    expect(() => ask('f')).toThrow(tooMany);
    for (const [i, name] of ['c', 'd', 'e'].entries()) {
      expect(had).not.toContain(name);
      limit.leave(7);
      await waiting[i];
      expect(had.at(-1)).toBe(name);
    }
    expect(had).toEqual(['c', 'd', 'e']);
  });

  test('serves waiting callers before a new one', async () => {
    const limit = limitOf(1, 2);
    expect(limit.enter(1)).toBeUndefined();
    const first = limit.enter(1)!;
    limit.leave(1);
    await first;
    expect(limit.enter(1)).toBeInstanceOf(Promise);
  });

  test('limits keys independently, and removes a key when its calls are done', async () => {
    const limit = limitOf(1, 0);
    for (let round = 0; round < 3; round++) {
      expect([limit.enter(1), limit.enter(2)]).toEqual([undefined, undefined]);
      expect(() => limit.enter(1)).toThrow(tooMany);
      limit.leave(1);
      expect(() => limit.enter(2)).toThrow(tooMany);
      limit.leave(2);
    }
  });
});
