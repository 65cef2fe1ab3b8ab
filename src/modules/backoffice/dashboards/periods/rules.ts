/** A range of whole hours, in milliseconds. `until` is exclusive. */
export type Period = { from: number; until: number };

export const TIME_GROUPS = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type TimeGroup = (typeof TIME_GROUPS)[number];

/** The available ranges, with the steps allowed for each range. */
export const OPTIONS = {
  TODAY: ['HOUR'],
  YESTERDAY: ['HOUR'],
  LAST_7_DAYS: ['HOUR', 'DAY'],
  LAST_30_DAYS: ['DAY', 'WEEK'],
  THIS_MONTH: ['DAY', 'WEEK'],
  LAST_MONTH: ['DAY', 'WEEK'],
  THIS_YEAR: ['DAY', 'WEEK', 'MONTH'],
  CUSTOM: ['HOUR', 'DAY', 'WEEK', 'MONTH'],
} as const satisfies Record<string, readonly TimeGroup[]>;
export type TimeRange = keyof typeof OPTIONS;
export const TIME_RANGES = Object.keys(OPTIONS) as TimeRange[];

export const isOption = (range: TimeRange, group: TimeGroup): boolean =>
  (OPTIONS[range] as readonly TimeGroup[]).includes(group);

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The earliest and latest supported times. There is no earlier data, and the calendar rules for later times are unknown. */
export const EARLIEST = Date.UTC(1970, 0, 1);
export const LATEST = Date.UTC(2100, 0, 1);

/** Returns a range of whole UTC days. A range that includes the current day ends with the current day. */
export function rangeOf(range: Exclude<TimeRange, 'CUSTOM'>, now: number): Period {
  const today = floorTo(now, DAY_MS);
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  const until = today + DAY_MS;
  switch (range) {
    case 'TODAY':
      return { from: today, until };
    case 'YESTERDAY':
      return { from: today - DAY_MS, until: today };
    case 'LAST_7_DAYS':
      return { from: until - 7 * DAY_MS, until };
    case 'LAST_30_DAYS':
      return { from: until - 30 * DAY_MS, until };
    case 'THIS_MONTH':
      return { from: Date.UTC(year, month), until };
    case 'LAST_MONTH':
      return { from: Date.UTC(year, month - 1), until: Date.UTC(year, month) };
    case 'THIS_YEAR':
      return { from: Date.UTC(year, 0), until };
  }
}

/** Returns the period of the same length directly before this one. */
export const previousOf = ({ from, until }: Period): Period => ({ from: from - (until - from), until: from });

/**
 * Returns the hours that a time range overlaps. If midnight in the zone is within an hour, the start of that hour is used as midnight, for
 * both ends of the range. If the range ends in the last millisecond before midnight, its end is moved to midnight.
 */
export function hoursOf({ start, end }: { start: number; end: number }, zone: Zone = UTC): Period {
  const from = floorTo(start, HOUR_MS);
  const midnight = [end, end + 1].find((at) => zone.dateAt(at) !== zone.dateAt(at - 1));
  const until = midnight === undefined ? floorTo(end + HOUR_MS - 1, HOUR_MS) : floorTo(midnight, HOUR_MS);
  return { from, until };
}

/**
 * Returns the starts of a period's steps. The first is the start of the period. The others are the starts of hours, days, weeks (Mondays)
 * or months in the zone. Returns undefined if there are more than `most` steps.
 */
export function stepsOf(
  { from, until }: Period,
  group: TimeGroup,
  { zone = UTC, most = Number.POSITIVE_INFINITY }: { zone?: Zone; most?: number } = {},
): number[] | undefined {
  const steps = [from];
  for (let next = nextStep(from, group, zone); next < until; next = nextStep(next, group, zone)) {
    if (steps.length === most) return undefined;
    steps.push(next);
  }
  return steps;
}

/** Consecutive periods. Each begins where the previous one ends, and the last one ends at `until`. */
export type Steps = { starts: readonly number[]; until: number };

export const periodOf = ({ starts, until }: Steps): Period => ({ from: starts[0]!, until });

/** Returns the previous period and the current one as steps. */
export const withPrevious = (period: Period): Steps => ({
  starts: [previousOf(period).from, period.from],
  until: period.until,
});

/** Returns the UTC days that these steps overlap; `until` is exclusive. `cut` lists the days in which a step begins or ends. */
export function daysOf({ starts, until }: Steps): Period & { cut: number[] } {
  const edges = [...starts, until].filter((at) => at % DAY_MS !== 0);
  return {
    from: floorTo(starts[0]!, DAY_MS),
    until: floorTo(until + DAY_MS - 1, DAY_MS),
    cut: [...new Set(edges.map((at) => floorTo(at, DAY_MS)))],
  };
}

/** Merges consecutive days into periods, in order. */
export function runsOf(days: readonly number[]): Period[] {
  const runs: Period[] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.until === day) last.until = day + DAY_MS;
    else runs.push({ from: day, until: day + DAY_MS });
  }
  return runs;
}

function nextStep(hour: number, group: TimeGroup, zone: Zone): number {
  if (group === 'HOUR') return hour + HOUR_MS;
  for (let date = dateAfter(dateOf(hour, zone), group); ; date = dateAfter(date, group)) {
    const start = startOf(date, zone, hour + (date - dateOf(hour, zone)));
    // A date that the zone skipped has no hours, so the search continues with the next date.
    if (start > hour) return start;
  }
}

/** Returns the start of the next day, week or month after a date. */
function dateAfter(date: number, group: Exclude<TimeGroup, 'HOUR'>): number {
  const at = new Date(date);
  if (group === 'DAY') return date + DAY_MS;
  if (group === 'WEEK') return date + (7 - ((at.getUTCDay() + 6) % 7)) * DAY_MS;
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

// ---------------------------------------------------------------- dates of a time zone

/** `dateAt` returns the zone's calendar date, as the start of that date in UTC. */
export type Zone = { dateAt(at: number): number };

export const UTC: Zone = { dateAt: (at) => floorTo(at, DAY_MS) };

/** Finds a time zone by name. Returns undefined if it does not exist. */
export function findZone(name: string): Zone | undefined {
  if (name === 'UTC') return UTC;
  if (!/^[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*)*$/.test(name)) return undefined;
  try {
    return zoneOf(new Intl.DateTimeFormat('en-US', { timeZone: name, ...AS_DATE }));
  } catch {
    return undefined;
  }
}

const AS_DATE = { calendar: 'gregory', year: 'numeric', month: 'numeric', day: 'numeric' } as const;

function zoneOf(calendar: Intl.DateTimeFormat): Zone {
  return {
    dateAt(at) {
      const [month, day, year] = calendar.format(at).split('/').map(Number);
      return Date.UTC(year!, month! - 1, day!);
    },
  };
}

/** Returns the date of an hour. If midnight is within the hour, returns the new date. */
export const dateOf = (hour: number, zone: Zone): number => zone.dateAt(hour + HOUR_MS - 1);

/** Returns the hour that contains the start of a date. Tries `guess` first, which is correct in most cases. */
export function startOf(date: number, zone: Zone, guess = date): number {
  if (dateOf(guess, zone) >= date && dateOf(guess - HOUR_MS, zone) < date) return guess;
  // No zone differs from UTC by more than 14 hours, and none has skipped more than one date in a row.
  let [before, start] = [date - 15 * HOUR_MS, date + DAY_MS + 13 * HOUR_MS];
  while (start - before > HOUR_MS) {
    const middle = floorTo((before + start) / 2, HOUR_MS);
    if (dateOf(middle, zone) >= date) start = middle;
    else before = middle;
  }
  return start;
}

/** Returns a date such as "2026-11-21". */
export const nameOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

/** Returns the index of the step that contains a time, or -1 if none does. */
export function stepAt({ starts, until }: Steps, at: number): number {
  if (at >= until) return -1;
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const floorTo = (at: number, unit: number) => Math.floor(at / unit) * unit;
