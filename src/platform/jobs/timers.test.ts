import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pause, runLater } from './timers.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([1, 24, 25, 60, 100])('runs a callback once after %i days', (days) => {
  let runs = 0;
  runLater(days * DAY_MS, () => runs++);
  vi.advanceTimersByTime(days * DAY_MS - 1);
  expect(runs).toBe(0);
  vi.advanceTimersByTime(1);
  expect(runs).toBe(1);
  vi.advanceTimersByTime(100 * DAY_MS);
  expect(runs).toBe(1);
});

test('runs a callback immediately when its time is in the past', () => {
  let runs = 0;
  runLater(-30 * DAY_MS, () => runs++);
  vi.advanceTimersByTime(0);
  expect(runs).toBe(1);
});

test('runs nothing after a cancellation, even if a long delay is split into several timers', () => {
  let runs = 0;
  const cancel = runLater(40 * DAY_MS, () => runs++);
  vi.advanceTimersByTime(30 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(30 * DAY_MS);
  expect(runs).toBe(0);
});

test('never passes a delay to Node that exceeds the maximum of its timers', async () => {
  vi.useRealTimers();
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  const closing = new AbortController();
  const waiting = pause(60 * DAY_MS, closing.signal);
  runLater(60 * DAY_MS, () => {})();
  await pause(20);
  closing.abort();
  await waiting;
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});
