import { isUnavailable } from './database-errors.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';

/** Whether the database is away at this moment, or does not commit. */
export type IsAway = () => Promise<boolean>;
export type FailureLog = (error: unknown, facts: object, message: string) => Promise<void>;

/** Logs what failed, unless it failed of an outage of the database: that is told once by whoever watches it, not at every turn by everybody. */
export function createFailureLog(log: Log, isAway: IsAway | undefined): FailureLog {
  return async (error, facts, message) => {
    const isOutage = isUnavailable(error) && isAway !== undefined && (await isAway());
    log[isOutage ? 'debug' : 'error']({ ...facts, error: messageOf(error) }, message);
  };
}
