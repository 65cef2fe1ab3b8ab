import { describe, expect, test } from 'vitest';
import { createConcurrencyLimitByKey } from './concurrency-limit.ts';

const tooMany = new Error('too many');
const turnsOf = (atOnce: number, queue: number) =>
  createConcurrencyLimitByKey({ atOnce, queue, refusal: () => tooMany });

describe('turns by key', () => {
  test('so many at once, the others in order of arrival, and beyond what may wait a refusal', async () => {
    const turns = turnsOf(2, 3);
    const had: string[] = [];
    const ask = (name: string) => turns.enter(7)?.then(() => void had.push(name));
    expect([ask('a'), ask('b')]).toEqual([undefined, undefined]);
    const waiting = ['c', 'd', 'e'].map(ask);
    expect(() => ask('f')).toThrow(tooMany);
    for (const [i, name] of ['c', 'd', 'e'].entries()) {
      expect(had).not.toContain(name);
      turns.leave(7);
      await waiting[i];
      expect(had.at(-1)).toBe(name);
    }
    expect(had).toEqual(['c', 'd', 'e']);
  });

  test('who comes while others wait does not pass them', async () => {
    const turns = turnsOf(1, 2);
    expect(turns.enter(1)).toBeUndefined();
    const first = turns.enter(1)!;
    turns.leave(1);
    await first;
    expect(turns.enter(1)).toBeInstanceOf(Promise);
  });

  test('keys do not keep each other waiting, and one that is done leaves nothing', async () => {
    const turns = turnsOf(1, 0);
    for (let round = 0; round < 3; round++) {
      expect([turns.enter(1), turns.enter(2)]).toEqual([undefined, undefined]);
      expect(() => turns.enter(1)).toThrow(tooMany);
      turns.leave(1);
      expect(() => turns.enter(2)).toThrow(tooMany);
      turns.leave(2);
    }
  });
});
