/** The time of day of the process. Money is ordered by the database's clock, never by this one. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: Date.now };

/** ISO 8601 in UTC with milliseconds: the one form of timestamps in answers. */
export const iso = (at: Date): string => at.toISOString();
