import { messageOf } from '../errors.ts';
import type { Log } from '../observability/log.ts';
import type { DatabaseClock } from './clock.ts';
import { isUnavailable } from './errors.ts';
import { whileStarting } from './while-starting.ts';

const RETRY_MS = 1000;

/**
 * Caches data in memory that is read often and written rarely. `read` loads the complete data, which is then passed to `apply`. The data is
 * reloaded after a notification on `channel`, and when notifications may have been lost. A failed read is retried every second, and the old
 * value stays in use.
 */
export function createMirror<T>(parts: {
  what: string;
  channel: string;
  read: () => Promise<T>;
  apply: (value: T) => void;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  const { what, channel, databaseClock, log } = parts;
  let wanted = 0;
  let done = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const catchUp = async (): Promise<void> => {
    try {
      while (done < wanted && !isClosed) {
        // A change that is reported during the read triggers another read.
        const turn = wanted;
        parts.apply(await parts.read());
        done = turn;
      }
      if (failure !== undefined && !isUnavailable(failure)) log.info({ what }, 'reloaded after a failure');
      failure = undefined;
    } catch (error) {
      // A failure during an outage is not a warning, because availability.ts logs the outage once.
      const level = isUnavailable(error) ? 'debug' : 'warn';
      if (failure === undefined && !isClosed)
        log[level]({ what, error: messageOf(error) }, 'could not be read; the cached data stays in use');
      failure = error;
      if (!isClosed) retry = setTimeout(() => void reload(), RETRY_MS).unref();
    }
    running = undefined;
  };
  const reload = (): Promise<void> => {
    wanted++;
    clearTimeout(retry);
    running ??= catchUp();
    return running;
  };
  const throwFailure = () => void (failure !== undefined && raise(failure));
  return {
    /** Resolves after one attempt, whether it succeeded or failed. */
    reload,
    /** Starts listening, then reads. Throws if that fails for any reason other than a slow database. */
    async start(): Promise<void> {
      databaseClock.onGap(() => void reload());
      await databaseClock.onNotice(channel, () => void reload());
      const start = { what, log, timeoutMs: databaseClock.startTimeoutMs };
      await whileStarting(start, () => reload().then(throwFailure));
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retry);
      await running;
    },
  };
}

function raise(failure: unknown): never {
  throw failure;
}
