/**
 * The time of day in milliseconds. A process goes by that of the database (`DatabaseClock`), whatever its machine says: what one process
 * dates, another one judges.
 */
export type Clock = { now(): number };

/** What the machine says: for tests, and for what a process tells itself alone. */
export const systemClock: Clock = { now: Date.now };

/** A timer may fire a little early: that must not make a second beat of one. */
const EARLY_MS = 5;

/**
 * Milliseconds until the next multiple of `everyMs` of this process's clock, at least `leastMs`: what repeats wakes the process together
 * with all else that does. A wake costs more than most of what it is for.
 */
export function untilBeat(everyMs: number, leastMs = EARLY_MS): number {
  let ms = everyMs - (performance.now() % everyMs);
  while (ms < leastMs) ms += everyMs;
  return ms;
}

/** ISO 8601 in UTC with milliseconds: the one form of timestamps in answers. */
export const iso = (at: Date): string => at.toISOString();
