import {
  DAY_MS,
  nameOf,
  type Period,
  previousOf,
} from '../../../../src/modules/backoffice/dashboards/periods/rules.ts';
import { type FiltersIn, momentIn } from '../../../kit/filters.ts';
import { kit } from '../../../kit/words.ts';
import type { Filter } from '../../list/spec.ts';
import type { Days } from './save-csv.tsx';

/** Formats a day for a date field, in the reader's time zone. */
export const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv-SE');

/** The last 30 days. */
const firstPeriod = () => ({ from: dayOf(Date.now() - 29 * DAY_MS), to: dayOf(Date.now()) });

export const PERIOD: Filter = { kind: 'days', name: 'from', to: 'to', label: 'Period' };

/** The first and the last day of a period that `periodIn` has read. */
export const daysIn = ({ startDate, endDate }: { startDate: string; endDate: string }) => ({
  first: dayOf(Date.parse(startDate)),
  last: dayOf(Date.parse(endDate)),
});

/** The days of a period of whole UTC days. */
export const daysWithin = ({ from, until }: Period): Days => ({
  first: nameOf(from),
  last: nameOf(until - DAY_MS),
});

/** The days of the previous period of the same length. Calculates in UTC, where every day has 24 hours. */
export const daysBefore = ({ first, last }: Days): Days =>
  daysWithin(previousOf({ from: Date.parse(first), until: Date.parse(last) + DAY_MS }));

const NAMED = new Intl.DateTimeFormat(kit.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The days in short: 1 – 31 Oct. */
export const shortDays = ({ first, last }: Days): string =>
  NAMED.formatRange(Date.parse(first), Date.parse(last));

/** Returns a period of whole days in the reader's time zone. A day that cannot be read counts as not chosen. */
export function periodIn({ values }: Pick<FiltersIn, 'values'>) {
  const first = firstPeriod();
  const [begin, end] = ['T00:00', 'T23:59:59.999'];
  return {
    startDate: momentIn(values.from + begin) ?? momentIn(first.from + begin)!,
    endDate: momentIn(values.to + end) ?? momentIn(first.to + end)!,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
