import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchLoop } from './loop.ts';

/** Uses the CPU for a time, as a task does that blocks the event loop. */
function compute(ms: number): void {
  const { user: start } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - start < ms * 1000);
}

/** Stops this thread without using the CPU, as a busy machine does. */
const pause = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test.each([
  { name: 'counts a task that computes', run: compute, isCounted: true },
  { name: 'ignores the time in which the thread does not run', run: pause, isCounted: false },
])('$name', async ({ run, isCounted }) => {
  const loop = watchLoop();
  for (let n = 0; n < 3; n++) {
    run(120);
    await sleep(30);
  }
  expect(loop.p99Ms() > 100).toBe(isCounted);
});
