import { type FiltersIn, momentIn } from '../../../kit/filters.ts';
import type { Filter } from '../../list/spec.ts';

const DAY_MS = 86_400_000;

/** Formats a day for a date field, in the reader's time zone. */
const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv-SE');

/** The last 30 days. */
export const firstPeriod = () => ({ from: dayOf(Date.now() - 29 * DAY_MS), to: dayOf(Date.now()) });

export const PERIOD: Filter = { kind: 'days', name: 'from', to: 'to', label: 'Period' };

/** The first and the last day of a period that `periodIn` has read. */
export const daysIn = ({ startDate, endDate }: { startDate: string; endDate: string }) => ({
  first: dayOf(Date.parse(startDate)),
  last: dayOf(Date.parse(endDate)),
});

/** The days of the previous period of the same length. */
export function daysBefore({ startDate, endDate }: { startDate: string; endDate: string }) {
  const start = Date.parse(startDate);
  return {
    first: dayOf(start - (Date.parse(endDate) - start)),
    last: dayOf(start - 1),
  };
}

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
