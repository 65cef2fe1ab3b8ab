/**
 * The time of day in milliseconds. Processes use that of the database (`DatabaseClock`) instead of their machine's: a time that one process
 * writes is compared by another.
 */
export type Clock = { now(): number };

/** The clock of the machine: for tests, and for times that only this process uses. */
export const systemClock: Clock = { now: Date.now };

/** A timer may fire a little early: that must not make two beats of one. */
const EARLY_MS = 5;

/**
 * Milliseconds until the next multiple of `everyMs` of this process's clock, at least `leastMs`: repeated work
 * wakes the process together with all other such work. Waking up costs more than most of that work.
 */
export function untilBeat(everyMs: number, leastMs = EARLY_MS): number {
  let ms = everyMs - (performance.now() % everyMs);
  while (ms < leastMs) ms += everyMs;
  return ms;
}

/** ISO 8601 in UTC with milliseconds: the one form of timestamps in answers. */
export const iso = (at: Date): string => at.toISOString();
