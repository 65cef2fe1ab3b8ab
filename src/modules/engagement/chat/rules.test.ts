import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import {
  type Pace,
  paceRefusal,
  RECENT_MESSAGES,
  staffRefusal,
  type Writer,
  writerRefusal,
} from './rules.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('writerRefusal', () => {
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
  /** Cases in the order in which their conditions are checked. */
  const FACTS: readonly [name: string, Partial<Writer>, string | undefined][] = [
    ['a player who may write', {}, undefined],
    ['an unverified email address', { isEmailVerified: false }, 'EMAIL_NOT_VERIFIED'],
    ['no permission to chat', { canUseChat: false }, 'CHAT_NOT_ALLOWED'],
    ['a refusal of the gate', { gate: BANNED }, 'USER_BANNED'],
    ['a mute', { mutedUntil: NOW }, 'CHAT_MUTED'],
    ['an underage player', { isUnderage: true }, 'CHAT_UNDERAGE'],
    [
      'a player who has wagered too little',
      { wageredUsd: 5n * ONE - 1n, minWageredUsd: 5n * ONE },
      'CHAT_WAGER_NEEDED',
    ],
    ['a player who has wagered just enough', { wageredUsd: 5n * ONE, minWageredUsd: 5n * ONE }, undefined],
  ];
  test.each(FACTS)('returns the error for %s', (_, facts, code) => {
    expect(writerRefusal({ ...FREE, ...facts })?.code).toBe(code);
  });

  test('returns the first of several errors', () => {
    const reasons = FACTS.filter(([, , code]) => code !== undefined);
    for (let from = 0; from < reasons.length; from++) {
      const all: Partial<Writer> = Object.assign({}, ...reasons.slice(from).map(([, facts]) => facts));
      expect(writerRefusal({ ...FREE, ...all })?.code).toBe(reasons[from]![2]);
    }
  });

  test('returns the end of the mute and the missing wagered amount in the error details', () => {
    expect(writerRefusal({ ...FREE, mutedUntil: NOW })?.details).toEqual({ until: NOW.toISOString() });
    const poor = { ...FREE, wageredUsd: ONE / 2n, minWageredUsd: 5n * ONE };
    expect(writerRefusal(poor)?.details).toEqual({ minWageredUsd: '5', wageredUsd: '0.5' });
  });
});

describe('staffRefusal', () => {
  const FREE = { canUseChat: true, mutedUntil: null, recent: [], now: NOW };
  test.each([
    ['nothing, if staff may write', FREE, undefined],
    ['the error of staff who may not use the chat', { ...FREE, canUseChat: false }, 'CHAT_NOT_ALLOWED'],
    ['the error of muted staff', { ...FREE, mutedUntil: NOW }, 'CHAT_MUTED'],
    [
      'the error of a message that is sent too soon',
      { ...FREE, recent: [{ text: 'a', at: NOW }] },
      'CHAT_TOO_FAST',
    ],
    ['the error of a repeated message', { ...FREE, recent: [{ text: 'x', at: ago(3000) }] }, 'CHAT_REPEATED'],
  ])('returns %s', (_, writer, code) => {
    expect(staffRefusal('x', writer)?.code).toBe(code);
  });
});

describe('paceRefusal', () => {
  const NOTHING: Pace = { now: NOW, recent: [], lastInRoom: null, slowModeSeconds: 0 };
  const written = (...agoMs: number[]) => agoMs.map((ms, i) => ({ text: `message ${i}`, at: ago(ms) }));
  const many = (n: number, newestMs: number, oldestMs: number) =>
    written(newestMs, ...Array.from({ length: n - 2 }, () => oldestMs), oldestMs);
  const CASES: readonly [
    name: string,
    Partial<Pace>,
    outcome: [code: string, seconds: number] | undefined,
  ][] = [
    ['the first message', {}, undefined],
    ['a message just after another one', { recent: written(0) }, ['CHAT_TOO_FAST', 2]],
    ['a message just before two seconds have passed', { recent: written(1999) }, ['CHAT_TOO_FAST', 1]],
    ['a message after two seconds', { recent: written(2000) }, undefined],
    [
      'a message that seems older than the previous one, because the clock of another process is ahead',
      { recent: written(-5000) },
      ['CHAT_TOO_FAST', 2],
    ],
    ['the twentieth message within a minute', { recent: many(19, 3000, 59_000) }, undefined],
    ['the twenty-first message within a minute', { recent: many(20, 3000, 59_000) }, ['CHAT_TOO_FAST', 1]],
    [
      'the twenty-first message, if the first one is more than a minute old',
      { recent: many(20, 3000, 60_000) },
      undefined,
    ],
    ['the longer of two waiting times', { recent: many(20, 500, 30_000) }, ['CHAT_TOO_FAST', 30]],
    [
      'slow mode',
      { recent: written(10_000), lastInRoom: ago(10_000), slowModeSeconds: 60 },
      ['CHAT_SLOW_MODE', 50],
    ],
    [
      'a message after the interval of slow mode',
      { recent: written(60_000), lastInRoom: ago(60_000), slowModeSeconds: 60 },
      undefined,
    ],
    [
      'the first message in a room with slow mode',
      { recent: written(3000), slowModeSeconds: 3600 },
      undefined,
    ],
    ['a room without slow mode', { recent: written(3000), lastInRoom: ago(3000) }, undefined],
    [
      'a message that is also too fast without slow mode',
      { recent: written(500), lastInRoom: ago(500), slowModeSeconds: 60 },
      ['CHAT_TOO_FAST', 2],
    ],
    ['a repetition', { recent: [{ text: 'Hello', at: ago(5000) }] }, ['CHAT_REPEATED', 25]],
    [
      'a repetition of the message before the last one',
      { recent: [...written(5000), { text: 'Hello', at: ago(29_999) }] },
      ['CHAT_REPEATED', 1],
    ],
    ['a repetition after 30 seconds', { recent: [{ text: 'Hello', at: ago(30_000) }] }, undefined],
    [
      'a repetition in full-width letters',
      { recent: [{ text: 'ＨＥＬＬＯ', at: ago(5000) }] },
      ['CHAT_REPEATED', 25],
    ],
    ['a longer text', { recent: [{ text: 'Hello!', at: ago(5000) }] }, undefined],
  ];
  test.each(CASES)('checks how quickly messages are sent: %s', (_, facts, outcome) => {
    const refusal = paceRefusal('hello', { ...NOTHING, ...facts });
    expect(refusal && [refusal.code, refusal.details?.retryAfterSeconds]).toEqual(outcome);
  });

  test("accepts a message after the returned waiting time, which never exceeds the limit's interval", () => {
    const pace = fc.record({
      agoMs: fc.array(fc.integer({ min: -3000, max: 90_000 }), { maxLength: RECENT_MESSAGES }),
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
        throw new Error('still rejected after eight waits');
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });
});
