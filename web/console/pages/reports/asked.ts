import {
  rangeOf,
  type TimeGroup,
  type TimeRange,
} from '../../../../src/modules/backoffice/dashboards/periods/rules.ts';
import { serverNow } from '../../../kit/clock.ts';
import type { FiltersIn } from '../../../kit/filters.ts';
import { choice, type Filter, text } from '../../list/spec.ts';
import { useProviderSlugs } from '../choices.ts';
import { CATEGORIES, type Category } from '../games/choices.ts';
import { dayOf, daysIn, daysWithin, PERIOD, periodIn } from './period.ts';
import type { Days } from './save-csv.tsx';

/** Selectable time ranges and the interval of their charts. */
export const GROUP_OF = {
  TODAY: 'HOUR',
  YESTERDAY: 'HOUR',
  LAST_7_DAYS: 'DAY',
  LAST_30_DAYS: 'DAY',
  THIS_MONTH: 'DAY',
  LAST_MONTH: 'DAY',
  THIS_YEAR: 'WEEK',
  CUSTOM: 'DAY',
} as const satisfies Readonly<Record<TimeRange, TimeGroup>>;

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

/** Returns the time range of a report in the format that the API expects, and its days. Ranges other than `CUSTOM` consist of UTC days. */
export function timeIn(filters: FiltersIn) {
  // Days that are set without a period are meant, too.
  const isCustom = Boolean(filters.values.from || filters.values.to);
  const timeRange = filters.text<TimeRange>('range') ?? (isCustom ? 'CUSTOM' : 'LAST_30_DAYS');
  const { startDate, endDate } = periodIn(filters);
  return {
    query: { timeRange, timeGroup: GROUP_OF[timeRange], startDate, endDate },
    days: timeRange === 'CUSTOM' ? daysIn({ startDate, endDate }) : daysOf(timeRange),
  };
}

/** The first and the last day of a range. `now`: a time within the current day in UTC. */
export const daysOf = (range: Exclude<TimeRange, 'CUSTOM'>, now = serverNow()): Days =>
  daysWithin(rangeOf(range, now));

/** Returns the same ranges in the reader's time zone, for reports that accept any start and end date. */
export function localTimeIn(filters: FiltersIn) {
  const { timeRange } = timeIn(filters).query;
  if (timeRange === 'CUSTOM') return periodIn(filters);
  const { first: from, last: to } = daysOf(timeRange, Date.parse(dayOf(serverNow())));
  return periodIn({ values: { from, to } });
}

/** Returns the time range together with the game filters, and the days of the range. */
export function playIn(filters: FiltersIn) {
  const { text: read } = filters;
  const provider = read('provider');
  const { query: time, days } = timeIn(filters);
  const games = {
    gameCategory: read<Category>('gameCategory'),
    providerSlugs: provider === undefined ? undefined : [provider],
    gameName: read('gameName'),
  };
  return { query: { ...time, ...games }, days };
}
