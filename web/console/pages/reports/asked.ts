import type { FilterField, FiltersIn } from '../../../kit/filters.ts';
import { CATEGORIES, type Category } from '../games/choices.ts';
import { PERIOD, periodIn } from './period.ts';

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

export const TIMES: readonly FilterField[] = [
  { name: 'range', label: 'Time', of: Object.keys(GROUP_OF), none: 'Last 30 days' },
  ...PERIOD.map((field) => ({ ...field, label: `${field.label} (custom)` })),
];

export const PLAY: readonly FilterField[] = [
  ...TIMES,
  { name: 'gameCategory', label: 'Category', of: CATEGORIES },
  { name: 'provider', label: 'Slug of a provider' },
  { name: 'gameName', label: 'Game' },
];

/** Returns the time range of a report in the format that the API expects. */
export function timeIn(filters: FiltersIn) {
  const timeRange = filters.text<Range>('range') ?? 'LAST_30_DAYS';
  const { startDate, endDate } = periodIn(filters);
  return { timeRange, timeGroup: GROUP_OF[timeRange], startDate, endDate };
}

/** Returns the time range together with the game filters. */
export function playIn(filters: FiltersIn) {
  const { text } = filters;
  const provider = text('provider');
  return {
    ...timeIn(filters),
    gameCategory: text<Category>('gameCategory'),
    providerSlugs: provider === undefined ? undefined : [provider],
    gameName: text('gameName'),
  };
}
