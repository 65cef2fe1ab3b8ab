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
    page: Number(values.page || 1),
    toPage: (page: number) => change({ page: String(page) }),
  };
}

/** Returns functions that read a filter in the format that operations expect. They return undefined if the filter is not set. */
export const readerOf = <V extends Values>(values: V) => ({
  values,
  text: <T extends string = string>(name: string) => (values[name] || undefined) as T | undefined,
  number: (name: string) => (values[name] ? Number(values[name]) : undefined),
  flag: (name: string) => (values[name] ? values[name] === 'true' : undefined),
  moment: (name: string) => (values[name] ? new Date(values[name]).toISOString() : undefined),
});

/** The filters of a list that is not on the screen. */
export type FilterReader = ReturnType<typeof readerOf<Values>>;
export type FiltersIn = ReturnType<typeof useFilters<Values>>;
