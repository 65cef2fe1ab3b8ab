import type { DatabaseClock } from './database-clock.ts';
import { isUnavailable } from './database-errors.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';

const RETRY_MS = 1000;

/**
 * Holds in memory what is written rarely and read often: `read` returns the whole of it, `apply` takes it over. It is read again when a
 * notice on `channel` says that it has changed, and when notices may have been lost. A read that fails is tried again
 * every second, and the former value stays.
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
        // What changes while it is being read is read once more.
        const turn = wanted;
        parts.apply(await parts.read());
        done = turn;
      }
      if (failure !== undefined && !isUnavailable(failure)) log.info({ what }, 'read again');
      failure = undefined;
    } catch (error) {
      // An outage is told once, by whoever watches the database.
      const level = isUnavailable(error) ? 'debug' : 'warn';
      if (failure === undefined && !isClosed)
        log[level]({ what, error: messageOf(error) }, 'cannot be read: what is known stays');
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
  return {
    /** Resolves after one attempt, whether it succeeded or not. */
    reload,
    /** Listens, then reads; throws when that fails. */
    async start(): Promise<void> {
      databaseClock.onGap(() => void reload());
      await databaseClock.onNotice(channel, () => void reload());
      await reload();
      if (failure !== undefined) throw failure;
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retry);
      await running;
    },
  };
}
