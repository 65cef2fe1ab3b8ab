import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';

const RESOLUTION_MS = 10;
const IDLE = `const { parentPort } = require('node:worker_threads');
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
delay.enable();
parentPort.postMessage('began');
parentPort.on('message', () => parentPort.postMessage({ p99: delay.percentile(99), max: delay.max }));`;

/** Starts a thread that only measures scheduling delays of this machine, in nanoseconds. */
async function startIdle() {
  const worker = new Worker(IDLE, { eval: true });
  await once(worker, 'message');
  return {
    async end(): Promise<{ p99: number; max: number }> {
      worker.postMessage('read');
      const [waits] = (await once(worker, 'message')) as [{ p99: number; max: number }];
      await worker.terminate();
      return waits;
    },
  };
}

/**
 * Measures the event loop delay of this process until `p99Ms` is called, which returns the 99th percentile in milliseconds minus the delay
 * of an idle thread on this machine.
 */
export async function watchLoop() {
  const idle = await startIdle();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const read = async () => {
    delay.disable();
    return (delay.percentile(99) - (await idle.end()).p99) / 1e6;
  };
  let reading: Promise<number> | undefined;
  return {
    p99Ms(): Promise<number> {
      reading ??= read();
      return reading;
    },
  };
}

/** Starts to measure the longest delay of an idle thread on this machine, in milliseconds. */
export async function watchStalls() {
  const idle = await startIdle();
  return { longestMs: async (): Promise<number> => (await idle.end()).max / 1e6 - RESOLUTION_MS };
}
