import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';

const IDLE = `const { parentPort } = require('node:worker_threads');
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });
delay.enable();
parentPort.on('message', () => parentPort.postMessage(delay.percentile(99)));`;

/**
 * How long the event loop of this process lets others wait, from now on: the 99th percentile in milliseconds, less what a
 * thread that does nothing has to wait on this machine.
 */
export function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const idle = new Worker(IDLE, { eval: true });
  delay.enable();
  return {
    async p99Ms(): Promise<number> {
      delay.disable();
      idle.postMessage('read');
      const [ofIdle] = (await once(idle, 'message')) as [number];
      await idle.terminate();
      return (delay.percentile(99) - ofIdle) / 1e6;
    },
  };
}
