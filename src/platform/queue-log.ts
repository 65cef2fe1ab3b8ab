import type { Logger } from 'graphile-worker';
import type { Log } from './log.ts';

/** Where the queue keeps its tables. */
export const SCHEMA = 'graphile_worker';

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/**
 * The library's log lines in ours, without the objects that it attaches: they hold payloads. What becomes of a job
 * is logged from its events.
 */
export async function toQueueLog(log: Log): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message, meta) => {
    if (!meta?.failure) log[LEVELS[level]]({ part: 'queue' }, message);
  });
}
