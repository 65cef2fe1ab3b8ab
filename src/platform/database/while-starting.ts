import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Log } from '../observability/log.ts';
import { DatabaseAway } from './connection-breaker.ts';
import { sqlState } from './errors.ts';

/**
 * How long startup waits for a slow database. On a machine that starts a dozen programs concurrently, the first query may take half a
 * minute.
 */
const START_TIMEOUT_MS = 60_000;
/**
 * The fraction of the timeout for which startup waits while nothing listens at the address. A restarting server is unavailable only
 * briefly, whereas nothing ever listens at a wrong address.
 */
const ABSENT_SHARE = 1 / 12;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3000;

export type Start = {
  /** The name of the step that waits, for log lines. */
  what: string;
  /** The server's name in messages: `PostgreSQL at db.internal:5432`. */
  server?: string | undefined;
  log: Pick<Log, 'warn'>;
  timeoutMs?: number | undefined;
  /** Throws immediately if nothing listens at the address. */
  mustListen?: boolean;
};

/** Thrown when startup has timed out. The cause is the last failure. */
export class StartTimeout extends Error {}

/**
 * Runs the first work on a database. While the database is only slow or starting, the work is retried with growing pauses for up to
 * `timeoutMs`. Permanent failures (unknown name, wrong password, missing database) are thrown immediately, because waiting would hide the
 * problem. `work` must be repeatable.
 */
export async function whileStarting<T>(
  { what, server = 'PostgreSQL', log, timeoutMs = START_TIMEOUT_MS, mustListen = false }: Start,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.6 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const failure = causeOf(error);
      if (!isSlow(failure) && (mustListen || !isAbsent(failure))) throw error;
      const waitedMs = performance.now() - startedAt;
      const seconds = Math.round(waitedMs / 1000);
      const problem = isConnected(failure)
        ? `has not finished the first work (${what})`
        : 'has accepted no connection';
      const message = `${server} ${problem} for ${seconds} s: ${messageOf(failure)}`;
      if (waitedMs >= timeoutMs * (isAbsent(failure) ? ABSENT_SHARE : 1))
        throw new StartTimeout(message, { cause: failure });
      log.warn({ what, seconds }, message);
      // Spreads the retries of processes that start together.
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}

/** If the breaker prevented this attempt, returns the failure of the last real attempt. */
const causeOf = (error: unknown): unknown =>
  error instanceof DatabaseAway && error.cause !== undefined ? error.cause : error;

const SLOW_STATES: ReadonlySet<string> = new Set(['53300', '57014', '57P01', '57P02', '57P03']);
const SLOW_CODES: ReadonlySet<unknown> = new Set(['ETIMEDOUT', 'EAGAIN', 'EAI_AGAIN', 'ECONNRESET', 'EPIPE']);

/**
 * Returns true if the database is starting or stopping, has no free connection yet (53300), or did not respond in time. A query on the same
 * pipelined connection as a timed-out query fails with "Connection terminated".
 */
export function isSlow(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return SLOW_STATES.has(state) || error instanceof DatabaseAway;
  const { code } = (error ?? {}) as { code?: unknown };
  return SLOW_CODES.has(code) || /\b(?:timeout|timed out)\b|connection terminated/i.test(messageOf(error));
}

/** Returns true if nothing listens at the address. */
function isAbsent(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || (code === 'ENOENT' && syscall === 'connect');
}

/** Returns true if a statement failed, which proves that a connection existed. */
const isConnected = (error: unknown): boolean =>
  sqlState(error) === '57014' || /query read timeout|^connection terminated$/i.test(messageOf(error));
