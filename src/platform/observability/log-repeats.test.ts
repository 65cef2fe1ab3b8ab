import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog, type Log } from './log.ts';
import { limitRepeats } from './log-repeats.ts';

let lines: { msg: string; repeated?: number; requestId?: string; route?: string }[];
let log: Log;
beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  log = limitRepeats(createLog({ level: 'debug', service: 'test', destination }));
});
afterEach(() => {
  vi.useRealTimers();
});
const fail = (requestId: string, route = '/bets') =>
  log.error({ requestId, route, error: 'disk full' }, 'request failed');

test('writes a repeated failure once a second, with the number of omitted lines and the latest request', () => {
  for (let ms = 0; ms < 5000; ms += 10) {
    fail(`r${ms}`);
    vi.advanceTimersByTime(10);
  }
  expect(lines.map(({ repeated }) => repeated)).toEqual([undefined, 99, 100, 100, 100, 100]);
  expect(lines.slice(0, 2).map(({ requestId }) => requestId)).toEqual(['r0', 'r990']);
  vi.advanceTimersByTime(5000);
  fail('later');
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)).toMatchObject({ requestId: 'later', msg: 'request failed' });
});

test('writes different kinds of failures immediately, and always writes levels below a warning', () => {
  fail('a');
  fail('b', '/tips');
  for (let i = 0; i < 3; i++) log.info({ n: 1n }, 'started');
  expect(lines.map(({ route, msg }) => route ?? msg)).toEqual([
    '/bets',
    '/tips',
    'started',
    'started',
    'started',
  ]);
});

test('limits its memory use when every line is of a different kind', () => {
  for (let i = 0; i < 1000; i++) log.warn({ id: BigInt(i) }, 'strange');
  expect(lines.length).toBeLessThanOrEqual(101);
  vi.advanceTimersByTime(1000);
  expect(lines.at(-1)).toMatchObject({ msg: 'strange', repeated: 1000 - lines.length + 1 });
});
