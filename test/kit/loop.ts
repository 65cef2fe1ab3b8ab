import { once } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';

const RESOLUTION_MS = 10;
const IDLE = `const { parentPort } = require('node:worker_threads');
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
delay.enable();
parentPort.postMessage('began');
parentPort.on('message', () => parentPort.postMessage(delay.max));`;

/** Starts a thread that only measures the longest scheduling delay of this machine, in nanoseconds. */
async function startIdle() {
  const worker = new Worker(IDLE, { eval: true });
  await once(worker, 'message');
  return {
    async end(): Promise<number> {
      worker.postMessage('read');
      const [longest] = (await once(worker, 'message')) as [number];
      await worker.terminate();
      return longest;
    },
  };
}

/**
 * Measures how long tasks block the event loop of this process until `p99Ms` is called, which returns the 99th percentile in milliseconds.
 * Counts the CPU time of this thread between two timers, because a busy machine prolongs the wall-clock time of a task but not its CPU time.
 */
export function watchLoop() {
  const blocked = createHistogram();
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    // A histogram cannot record 0.
    blocked.record(Math.max(1, user + system));
  }, RESOLUTION_MS);
  timer.unref();
  return {
    p99Ms(): number {
      clearInterval(timer);
      return blocked.percentile(99) / 1000;
    },
  };
}

/** Starts to measure the longest delay of an idle thread on this machine, in milliseconds. */
export async function watchStalls() {
  const idle = await startIdle();
  return { longestMs: async (): Promise<number> => (await idle.end()) / 1e6 - RESOLUTION_MS };
}
