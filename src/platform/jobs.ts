import { setTimeout as sleep } from 'node:timers/promises';
import { createJobLocks, type JobLocks } from './job-locks.ts';
import type { Log } from './log.ts';

/** Work that repeats. `name` is also its lock: of all processes one at a time runs it. */
export type Job = { name: string; everyMs: number; run: () => Promise<void> };
export type Jobs = { close(): Promise<void> };

/**
 * Runs every job at once and then on its interval, never two runs of one job at a time: not in this process,
 * which waits for the end of a run, nor in another, which skips its turn. A failure is logged and the next
 * turn comes. All jobs together hold one connection for their locks, beside the pool that they work with. `close`
 * waits for what runs.
 */
export function startJobs(
  jobs: readonly Job[],
  { connectionString, log }: { connectionString: string; log: Log },
): Jobs {
  const closing = new AbortController();
  const locks = createJobLocks(connectionString, log);
  const loops = jobs.map((job) => repeat(job, { locks, log, signal: closing.signal }));
  return {
    async close() {
      closing.abort();
      await Promise.all(loops);
      await locks.close();
    },
  };
}

async function repeat(
  job: Job,
  { locks, log, signal }: { locks: JobLocks; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    try {
      await locks.during(`job:${job.name}`, job.run);
    } catch (error) {
      log.error({ job: job.name, error: message(error) }, 'a job failed; it runs again at its next turn');
    }
    const restMs = Math.max(0, job.everyMs - (performance.now() - started));
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));
