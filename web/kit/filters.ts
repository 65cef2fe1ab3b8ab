import './filters.css';
import { useSearchParams } from 'wouter';

/** Filters by name, as in the URL. */
export type Values = Readonly<Record<string, string>>;

/** Stores a list's filters in the URL, so that a shared link shows the same list. When a filter changes, the first page is shown. */
export function useFilters<D extends Values>(first: D) {
  const [search, setSearch] = useSearchParams();
  const given = Object.fromEntries(search) as Values;
  const values = { ...first, ...given } as D & Values;
  /** `isTyped`: the change is one of many while the user types, so it gets no entry of its own in the browser's history. */
  const change = (changes: Values, isTyped = false) => {
    const next = { ...given, page: '', ...changes };
    // Initial values are left out of the URL. If the user clears a filter that has an initial value, the empty value is included.
    setSearch(
      Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== (first[name] ?? ''))),
      { replace: isTyped },
    );
  };
  return {
    ...readerOf(values),
    change,
    page: pageIn(values.page),
    toPage: (page: number) => change({ page: String(page) }),
  };
}

/** Returns the page of an address, or the first one if the address names none. */
const pageIn = (text: string | undefined): number => {
  const page = Number(text || 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Reads a moment in the reader's time zone. Returns undefined if the text is empty or no moment, as in an address that was cut off. */
export function momentIn(text: string | undefined): string | undefined {
  // JavaScript reads a day without a time as UTC.
  const at = new Date(text && DAY.test(text) ? `${text}T00:00` : text || Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function numberIn(text: string | undefined): number | undefined {
  const number = Number(text || Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Returns functions that read a filter in the format that operations expect. They return undefined if the filter is not set or cannot be
 * read.
 */
export const readerOf = <V extends Values>(values: V) => ({
  values,
  text: <T extends string = string>(name: string) => (values[name] || undefined) as T | undefined,
  number: (name: string) => numberIn(values[name]),
  flag: (name: string) => (values[name] ? values[name] === 'true' : undefined),
  moment: (name: string) => momentIn(values[name]),
});

/** The filters of a list that is not on the screen. */
export type FilterReader = ReturnType<typeof readerOf<Values>>;
export type FiltersIn = ReturnType<typeof useFilters<Values>>;
