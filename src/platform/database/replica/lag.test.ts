import { expect, test } from 'vitest';
import { createLagMeter } from './lag.ts';

test('returns the age of the first log position that is not replayed', () => {
  const lag = createLagMeter();
  for (const [position, at] of [
    [100n, 0],
    [200n, 1000],
    [300n, 2000],
  ] as const)
    lag.wrote(position, at);
  expect(lag.behind(150n, 2000)).toBe(1000);
  expect(lag.behind(300n, 2000)).toBe(0);
});

test('reports a growing lag while the primary does not respond, even if all known positions have been replayed', () => {
  const lag = createLagMeter();
  lag.wrote(100n, 0);
  expect(lag.behind(100n, 0)).toBe(0);
  expect(lag.behind(100n, 7000)).toBe(7000);
  // The primary responds again but has written nothing.
  lag.wrote(100n, 8000);
  expect(lag.behind(100n, 8000)).toBe(0);
});

test("discards a former primary's positions when the new primary starts at an earlier position", () => {
  const lag = createLagMeter();
  lag.wrote(900n, 0);
  lag.wrote(500n, 1000);
  expect(lag.behind(500n, 1000)).toBe(0);
  lag.wrote(600n, 2000);
  expect(lag.behind(500n, 3000)).toBe(1000);
});
