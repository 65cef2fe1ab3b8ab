import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import { MOST_RECENT, type Pace, paceRefusal, type Writer, writerRefusal } from './rules.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('who may write', () => {
  const FREE: Writer = {
    isEmailVerified: true,
    canUseChat: true,
    gate: undefined,
    mutedUntil: null,
    isUnderage: false,
    wageredUsd: 0n,
    minWageredUsd: 0n,
  };
  const BANNED = new AppError(403, 'USER_BANNED', 'x');
  /** In the order in which they are answered. */
  const FACTS: readonly [name: string, Partial<Writer>, string | undefined][] = [
    ['nothing', {}, undefined],
    ['no verified mail', { isEmailVerified: false }, 'EMAIL_NOT_VERIFIED'],
    ['no right to the chat', { canUseChat: false }, 'CHAT_NOT_ALLOWED'],
    ['the gate', { gate: BANNED }, 'USER_BANNED'],
    ['muted', { mutedUntil: NOW }, 'CHAT_MUTED'],
    ['too young', { isUnderage: true }, 'CHAT_UNDERAGE'],
    ['wagered too little', { wageredUsd: 5n * ONE - 1n, minWageredUsd: 5n * ONE }, 'CHAT_WAGER_NEEDED'],
    ['wagered just enough', { wageredUsd: 5n * ONE, minWageredUsd: 5n * ONE }, undefined],
  ];
  test.each(FACTS)('%s', (_, facts, code) => {
    expect(writerRefusal({ ...FREE, ...facts })?.code).toBe(code);
  });

  test('of several reasons the first is answered', () => {
    const reasons = FACTS.filter(([, , code]) => code !== undefined);
    for (let from = 0; from < reasons.length; from++) {
      const all: Partial<Writer> = Object.assign({}, ...reasons.slice(from).map(([, facts]) => facts));
      expect(writerRefusal({ ...FREE, ...all })?.code).toBe(reasons[from]![2]);
    }
  });

  test('a refusal says until when, and how much is missing', () => {
    expect(writerRefusal({ ...FREE, mutedUntil: NOW })?.details).toEqual({ until: NOW.toISOString() });
    const poor = { ...FREE, wageredUsd: ONE / 2n, minWageredUsd: 5n * ONE };
    expect(writerRefusal(poor)?.details).toEqual({ minWageredUsd: '5', wageredUsd: '0.5' });
  });
});

describe('how often', () => {
  const NOTHING: Pace = { now: NOW, recent: [], lastInRoom: null, slowModeSeconds: 0 };
  const written = (...agoMs: number[]) => agoMs.map((ms, i) => ({ text: `message ${i}`, at: ago(ms) }));
  const many = (n: number, newestMs: number, oldestMs: number) =>
    written(newestMs, ...Array.from({ length: n - 2 }, () => oldestMs), oldestMs);
  const CASES: readonly [name: string, Partial<Pace>, answer: [code: string, seconds: number] | undefined][] =
    [
      ['the first message', {}, undefined],
      ['just after another', { recent: written(0) }, ['CHAT_TOO_FAST', 2]],
      ['a moment before two seconds', { recent: written(1999) }, ['CHAT_TOO_FAST', 1]],
      ['after two seconds', { recent: written(2000) }, undefined],
      ['before another, as its process saw the time', { recent: written(-5000) }, ['CHAT_TOO_FAST', 2]],
      ['the twentieth of a minute', { recent: many(19, 3000, 59_000) }, undefined],
      ['the twenty-first', { recent: many(20, 3000, 59_000) }, ['CHAT_TOO_FAST', 1]],
      ['the twenty-first, of which the first was longer ago', { recent: many(20, 3000, 60_000) }, undefined],
      ['the longer of both waits', { recent: many(20, 500, 30_000) }, ['CHAT_TOO_FAST', 30]],
      [
        'slow mode',
        { recent: written(10_000), lastInRoom: ago(10_000), slowModeSeconds: 60 },
        ['CHAT_SLOW_MODE', 50],
      ],
      [
        'slow mode, once it is over',
        { recent: written(60_000), lastInRoom: ago(60_000), slowModeSeconds: 60 },
        undefined,
      ],
      ['slow mode, first in the room', { recent: written(3000), slowModeSeconds: 3600 }, undefined],
      ['no slow mode', { recent: written(3000), lastInRoom: ago(3000) }, undefined],
      [
        'slow mode, but too fast anyway',
        { recent: written(500), lastInRoom: ago(500), slowModeSeconds: 60 },
        ['CHAT_TOO_FAST', 2],
      ],
      ['the same again', { recent: [{ text: 'Hello', at: ago(5000) }] }, ['CHAT_REPEATED', 25]],
      [
        'the same as the last but one',
        { recent: [...written(5000), { text: 'Hello', at: ago(29_999) }] },
        ['CHAT_REPEATED', 1],
      ],
      ['the same after half a minute', { recent: [{ text: 'Hello', at: ago(30_000) }] }, undefined],
      [
        'the same in other letters',
        { recent: [{ text: 'ＨＥＬＬＯ', at: ago(5000) }] },
        ['CHAT_REPEATED', 25],
      ],
      ['something longer', { recent: [{ text: 'Hello!', at: ago(5000) }] }, undefined],
    ];
  test.each(CASES)('%s', (_, facts, answer) => {
    const refusal = paceRefusal('hello', { ...NOTHING, ...facts });
    expect(refusal && [refusal.code, refusal.details?.retryAfterSeconds]).toEqual(answer);
  });

  test('whoever waits as long as they are told may write, and is never told to wait longer than a limit lasts', () => {
    const pace = fc.record({
      agoMs: fc.array(fc.integer({ min: -3000, max: 90_000 }), { maxLength: MOST_RECENT }),
      roomMs: fc.option(fc.integer({ min: -3000, max: 4_000_000 })),
      slowModeSeconds: fc.integer({ min: 0, max: 3600 }),
    });
    fc.assert(
      fc.property(pace, ({ agoMs, roomMs, slowModeSeconds }) => {
        const recent = agoMs.toSorted((a, b) => a - b).map((ms) => ({ text: 'hello', at: ago(ms) }));
        let now = NOW;
        for (let tries = 0; tries < 8; tries++) {
          const lastInRoom = roomMs === null ? null : ago(roomMs);
          const refusal = paceRefusal('hello', { now, recent, lastInRoom, slowModeSeconds });
          if (!refusal) return;
          const seconds = refusal.details!.retryAfterSeconds as number;
          expect(seconds).toBeGreaterThan(0);
          expect(seconds).toBeLessThanOrEqual(Math.max(60, slowModeSeconds));
          now = new Date(now.getTime() + seconds * 1000);
        }
        throw new Error('they wait for ever');
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });
});
