/**
 * The time of day in milliseconds. Processes use the database's clock (`DatabaseClock`) instead of their machine's, because they compare
 * times that other processes have written.
 */
export type Clock = { now(): number };

/** The machine's clock, for tests and for times that only this process uses. */
export const systemClock: Clock = { now: Date.now };

/** A timer may fire slightly early. Without this margin, the work would run twice in one interval. */
const EARLY_MS = 5;

/**
 * Returns the milliseconds until the next multiple of `everyMs` on this process's clock, at least `leastMs`. Repeated tasks that use this
 * function wake the process at the same times. This saves CPU time, because waking up costs more than most of these tasks.
 */
export function untilBeat(everyMs: number, leastMs = EARLY_MS): number {
  let ms = everyMs - (performance.now() % everyMs);
  while (ms < leastMs) ms += everyMs;
  return ms;
}

let last = { ms: 0, text: new Date(0).toISOString() };

/**
 * Formats a time as ISO 8601 in UTC with milliseconds, the only timestamp format in responses. Caches the last result, because all bets of
 * a batch share one time.
 */
export function iso(at: Date): string {
  const ms = at.getTime();
  if (ms !== last.ms) last = { ms, text: at.toISOString() };
  return last.text;
}
