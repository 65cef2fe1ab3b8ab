/**
 * The time of day in milliseconds. A process goes by that of the database (`DatabaseClock`), whatever its machine says: what one process
 * dates, another one judges.
 */
export type Clock = { now(): number };

/** What the machine says: for tests, and for what a process tells itself alone. */
export const systemClock: Clock = { now: Date.now };

/** ISO 8601 in UTC with milliseconds: the one form of timestamps in answers. */
export const iso = (at: Date): string => at.toISOString();
