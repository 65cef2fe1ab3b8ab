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

let last = { ms: 0, text: new Date(0).toISOString() };

/** ISO 8601 in UTC with milliseconds: the one form of timestamps in answers. All bets of a batch have one: it is spelt out once. */
export function iso(at: Date): string {
  const ms = at.getTime();
  if (ms !== last.ms) last = { ms, text: at.toISOString() };
  return last.text;
}
