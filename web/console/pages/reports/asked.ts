import { serverNow } from '../../../kit/clock.ts';
import type { FiltersIn } from '../../../kit/filters.ts';
import { choice, type Filter, text } from '../../list/spec.ts';
import { useProviderSlugs } from '../choices.ts';
import { CATEGORIES, type Category } from '../games/choices.ts';
import { dayOf, daysIn, PERIOD, periodIn } from './period.ts';
import type { Days } from './save-csv.tsx';

/** Selectable time ranges and the interval of their charts. */
const GROUP_OF = {
  TODAY: 'HOUR',
  YESTERDAY: 'HOUR',
  LAST_7_DAYS: 'DAY',
  LAST_30_DAYS: 'DAY',
  THIS_MONTH: 'DAY',
  LAST_MONTH: 'DAY',
  THIS_YEAR: 'WEEK',
  CUSTOM: 'DAY',
} as const;
type Range = keyof typeof GROUP_OF;

export const TIMES: readonly Filter[] = [
  choice('range', 'Period', Object.keys(GROUP_OF), 'Last 30 days'),
  { ...PERIOD, label: 'Custom days' },
];

export const PLAY: readonly Filter[] = [
  ...TIMES,
  choice('gameCategory', 'Category', CATEGORIES),
  choice('provider', 'Provider', useProviderSlugs),
  text('gameName', 'Game'),
];

/** Returns the time range of a report in the format that the API expects. */
export function timeIn(filters: FiltersIn) {
  // Days that are set without a period are meant, too.
  const isCustom = Boolean(filters.values.from || filters.values.to);
  const timeRange = filters.text<Range>('range') ?? (isCustom ? 'CUSTOM' : 'LAST_30_DAYS');
  const { startDate, endDate } = periodIn(filters);
  return { timeRange, timeGroup: GROUP_OF[timeRange], startDate, endDate };
}

/** The first and the last day of the time range. Ranges other than `CUSTOM` consist of UTC days. */
export function rangeDays({
  timeRange,
  startDate,
  endDate,
}: Pick<ReturnType<typeof timeIn>, 'timeRange' | 'startDate' | 'endDate'>) {
  if (timeRange === 'CUSTOM') return daysIn({ startDate, endDate });
  return daysOfRange(timeRange, new Date(serverNow()).toISOString().slice(0, 10));
}

/** The first and the last day of a range. `today`: a day such as 2026-11-01. */
function daysOfRange(range: Exclude<Range, 'CUSTOM'>, today: string): Days {
  const now = new Date(today);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const days: Readonly<Record<Exclude<Range, 'CUSTOM'>, readonly [first: number, last: number]>> = {
    TODAY: [Date.UTC(year, month, day), Date.UTC(year, month, day)],
    YESTERDAY: [Date.UTC(year, month, day - 1), Date.UTC(year, month, day - 1)],
    LAST_7_DAYS: [Date.UTC(year, month, day - 6), Date.UTC(year, month, day)],
    LAST_30_DAYS: [Date.UTC(year, month, day - 29), Date.UTC(year, month, day)],
    THIS_MONTH: [Date.UTC(year, month), Date.UTC(year, month, day)],
    LAST_MONTH: [Date.UTC(year, month - 1), Date.UTC(year, month, 0)],
    THIS_YEAR: [Date.UTC(year, 0), Date.UTC(year, month, day)],
  };
  const [first, last] = days[range].map((at) => new Date(at).toISOString().slice(0, 10));
  return { first: first!, last: last! };
}

/** Returns the same ranges in the reader's time zone, for reports that accept any start and end date. */
export function localTimeIn(filters: FiltersIn) {
  const { timeRange } = timeIn(filters);
  if (timeRange === 'CUSTOM') return periodIn(filters);
  const { first: from, last: to } = daysOfRange(timeRange, dayOf(serverNow()));
  return periodIn({ values: { from, to } });
}

/** Returns the time range together with the game filters. */
export function playIn(filters: FiltersIn) {
  const { text: read } = filters;
  const provider = read('provider');
  return {
    ...timeIn(filters),
    gameCategory: read<Category>('gameCategory'),
    providerSlugs: provider === undefined ? undefined : [provider],
    gameName: read('gameName'),
  };
}
