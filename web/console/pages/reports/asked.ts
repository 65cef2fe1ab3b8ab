import type { FilterField, FiltersIn } from '../../../kit/table.tsx';
import { CATEGORIES, type Category } from '../games/choices.ts';
import { PERIOD, periodIn } from './period.ts';

/** Times that are offered, and the steps that their curves have. */
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

/** The time that a report is asked for, as the operations take it. */
export function timeIn(filters: FiltersIn) {
  const timeRange = filters.text<Range>('range') ?? 'LAST_30_DAYS';
  const { startDate, endDate } = periodIn(filters);
  return { timeRange, timeGroup: GROUP_OF[timeRange], startDate, endDate };
}

/** The same, and which games. */
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
