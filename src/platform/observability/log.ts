import { type Logger, pino } from 'pino';
import { type Level, LOGGERS, type LoggerName } from './loggers.ts';
import { redact, redactText } from './redact.ts';
import { traceId } from './trace.ts';

/** Levels by logger. `default` applies to all loggers that are not listed. */
export type Levels = { [N in LoggerName | 'default']?: Level | 'silent' | undefined };

export type Log = {
  [L in Level]: (facts: object, message: string) => void;
} & {
  child(facts: Record<string, unknown>): Log;
  /** Returns whether a level is written, so that callers can avoid collecting data for lines that are not written. */
  isLevelEnabled(level: Level): boolean;
};

/** The log of a process. Lines written directly to it use the logger `default`. */
export type Logs = Log & {
  named(name: LoggerName): Log;
  /** Sets the minimum severity that each logger writes from now on. `{}` restores the levels that the process started with. */
  setLevels(levels: Levels): void;
  /** Returns the current level of every logger. */
  levels(): Record<LoggerName | 'default', Level | 'silent'>;
};

/** Maximum length of a stack trace. It is higher than the limit for other strings, but the rest of a longer trace is not useful. */
const LONGEST = 8000;

/**
 * Creates a log of JSON lines on stdout, one event a line. Secrets are replaced everywhere, at every level. Characters that a terminal or
 * viewer would interpret, or treat as a line end, are shown as U+FFFD.
 */
export function createLog(options: {
  level: string;
  service: string;
  destination?: { write(line: string): void };
}): Logs {
  const root = pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  );
  const loggers = new Map<LoggerName | 'default', Logger>([['default', root]]);
  for (const name of LOGGERS) loggers.set(name, root.child({ logger: name }));
  const named = new Map(LOGGERS.map((name) => [name, facade(loggers.get(name)!)]));
  return {
    ...facade(root),
    named: (name) => named.get(name)!,
    setLevels(levels) {
      for (const [name, logger] of loggers) logger.level = levels[name] ?? levels.default ?? options.level;
    },
    levels: () =>
      Object.fromEntries([...loggers].map(([name, { level }]) => [name, level])) as Record<
        LoggerName | 'default',
        Level
      >,
  };
}

function facade(logger: Logger, bound?: Record<string, unknown>): Log {
  const at = (level: Level) => (facts: object, message: string) => {
    // The method is looked up on each call, because changing the level replaces pino's methods.
    if (!logger.isLevelEnabled(level)) return;
    const shown = visible(redact(bound ? { ...bound, ...facts } : facts, LONGEST)) as object;
    const trace = traceId();
    logger[level](trace ? { ...shown, traceId: trace } : shown, showText(redactText(message, LONGEST)));
  };
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
    child: (facts) => facade(logger, { ...bound, ...facts }),
  };
}

/** C1 controls, line and paragraph separators, and text direction marks. JSON does not escape them. */
const MISLEADING = /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const showText = (text: string) => text.replace(MISLEADING, '\ufffd');

function visible(value: unknown): unknown {
  if (typeof value === 'string') return showText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [showText(name), visible(item)]));
}

export const silentLog: Logs = createLog({
  level: 'silent',
  service: 'silent',
  destination: { write: () => {} },
});
