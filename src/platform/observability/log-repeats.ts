import type { Log } from './log.ts';
import type { Level } from './loggers.ts';

const EVERY_MS = 1000;
/** If there are more kinds of lines than this at the same time, lines are grouped only by their message. */
const MOST_KINDS = 100;

type Window = { facts: object; repeated: number };

/**
 * Returns a log that writes at most one line a second for each kind of warning and error. This limits failures that every request repeats
 * during an outage. Lines are of the same kind if all their fields except `requestId` are equal. `repeated` in the next line is the number
 * of omitted lines.
 */
export function limitRepeats(log: Log, everyMs = EVERY_MS): Log {
  const windows = new Map<string, Window>();
  const open = (key: string, write: (facts: object) => void) => {
    windows.set(key, { facts: {}, repeated: 0 });
    const timer = setInterval(() => {
      const { facts, repeated } = windows.get(key)!;
      windows.set(key, { facts: {}, repeated: 0 });
      if (repeated > 0) return write({ ...facts, repeated });
      windows.delete(key);
      clearInterval(timer);
    }, everyMs).unref();
  };
  const at = (level: Level) => (facts: object, message: string) => {
    if (!log.isLevelEnabled(level)) return;
    const kind = windows.size < MOST_KINDS ? kindOf(facts) : '';
    const key = `${level} ${message} ${kind}`;
    const window = windows.get(key);
    if (window) return void windows.set(key, { facts, repeated: window.repeated + 1 });
    log[level](facts, message);
    open(key, (latest) => log[level](latest, message));
  };
  return { ...log, warn: at('warn'), error: at('error') };
}

const kindOf = (facts: object): string =>
  JSON.stringify({ ...facts, requestId: undefined }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
