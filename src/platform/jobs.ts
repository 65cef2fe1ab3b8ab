import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './db.ts';
import type { Log } from './log.ts';

/** Work that repeats. `name` is also its lock: of all processes one at a time runs it. */
export type Job = { name: string; everyMs: number; run: () => Promise<void> };
export type Jobs = { close(): Promise<void> };

/**
 * Runs every job at once and then on its interval, never two runs of one job at a time: not in this process,
 * which waits for the end of a run, nor in another, which skips its turn. A failure is logged and the next
 * turn comes. Each run holds one connection of the pool for its lock beside those that it works with. `close`
 * waits for what runs.
 */
export function startJobs(jobs: readonly Job[], { db, log }: { db: Db; log: Log }): Jobs {
  const closing = new AbortController();
  const loops = jobs.map((job) => repeat(job, { db, log, signal: closing.signal }));
  return {
    async close() {
      closing.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(
  job: Job,
  { db, log, signal }: { db: Db; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    try {
      await runLocked(db, job);
    } catch (error) {
      log.error({ job: job.name, error: message(error) }, 'a job failed; it runs again at its next turn');
    }
    const restMs = Math.max(0, job.everyMs - (performance.now() - started));
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * The transaction is there for the lock alone, which ends with it also when this process dies. It has no
 * snapshot while it idles, so a long run holds up no vacuum; the time-out that ends idle transactions is
 * switched off in it.
 */
async function runLocked(db: Db, job: Job): Promise<void> {
  await db.transaction().execute(async (lock) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(lock);
    const key = `job:${job.name}`;
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as locked`.execute(lock);
    if (rows[0]?.locked) await job.run();
  });
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));
