import { DatabaseAway } from '../database/connection-breaker.ts';
import { isUnavailable } from '../database/errors.ts';
import { messageOf } from '../errors.ts';
import type { Log } from './log.ts';

/** Returns whether the database is currently unavailable or does not commit. */
export type IsAway = () => Promise<boolean>;
export type FailureLog = (error: unknown, facts: object, message: string) => Promise<void>;

/**
 * Logs a failure as an error. Failures caused by a database outage are logged at debug level, because availability.ts logs each outage
 * once.
 */
export function createFailureLog(log: Log, isAway: IsAway | undefined): FailureLog {
  return async (error, facts, message) => {
    const isOutage =
      error instanceof DatabaseAway || (isUnavailable(error) && isAway !== undefined && (await isAway()));
    log[isOutage ? 'debug' : 'error']({ ...facts, error: messageOf(error) }, message);
  };
}
