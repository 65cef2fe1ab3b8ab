import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Refused } from '../../client/call.ts';
import { asChoice, type Choice } from './form.tsx';
import { Empty, Loaded } from './page.tsx';
import { kit } from './words.ts';

export type Columns<T> = readonly {
  head: string;
  of: (row: T) => ReactNode;
  /** Aligns the column to the end. Use it for numbers. */
  end?: boolean;
  /** Wraps long text. */
  wide?: boolean;
}[];

type TableProps<T> = {
  rows: readonly T[];
  columns: Columns<T>;
  /** Caption for screen readers. */
  caption: string;
  keyOf?: (row: T, at: number) => string | number;
  /** The URL to which a row links. */
  to?: (row: T) => string;
  empty?: string;
};

/** A table with keyboard navigation: j and k move between rows, Enter opens one. */
export function Table<T>({
  rows,
  columns,
  caption,
  keyOf = (_, at) => at,
  to,
  empty = kit.nothing,
}: TableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const [first, ...others] = columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, end }) => (
              <th key={head} scope="col" className={end ? 'end' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={moveBetweenRows}>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              <td>
                {to ? (
                  <Link href={to(row)} data-row={at}>
                    {first!.of(row)}
                  </Link>
                ) : (
                  first!.of(row)
                )}
              </td>
              {others.map(({ head, of, end, wide }) => (
                <td key={head} className={end ? 'end' : wide ? 'wide' : undefined}>
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (event.key !== 'j' && event.key !== 'k') return;
  focusRow(event.currentTarget, event.key === 'j' ? 1 : -1);
}

/** Moves the focus between the rows of the page's first table. If the focus is elsewhere, focuses the first row. */
export function focusRow(within: ParentNode, step: 1 | -1): void {
  const links = [...within.querySelectorAll<HTMLElement>('[data-row]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}

export type PageOf<T> = { data: T[]; page: number; take: number; total: number; totalPages: number };
type Reading<T> = {
  data: PageOf<T> | undefined;
  error: Refused | null;
  isPending: boolean;
  refetch: () => unknown;
};

/** A paginated list. */
export function List<T>({
  of,
  onPage,
  ...table
}: Omit<TableProps<T>, 'rows'> & { of: Reading<T>; onPage: (page: number) => void }) {
  return (
    <Loaded of={of}>
      {({ data, page, totalPages, total }) => (
        <>
          <Table rows={data} {...table} />
          {total > 0 && (
            <nav className="pager" aria-label={kit.pages}>
              <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
                {kit.previous}
              </button>
              <span className="dim">{kit.pageOf(page, totalPages, total.toLocaleString(kit.locale))}</span>
              <button type="button" disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
                {kit.next}
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}

export type FilterField = {
  name: string;
  label: string;
  type?: 'search' | 'number' | 'datetime-local' | 'date';
  /** Available choices. Codes are shown as words. */
  of?: readonly Choice[];
  /** Label of the empty option. */
  none?: string;
};

/** The sort-order filter. Use it for lists that show the newest entries first. */
export const ORDER: FilterField = {
  name: 'sortOrder',
  label: 'Order',
  of: [{ value: 'asc', label: 'smallest or oldest first' }],
  none: 'largest or newest first',
};

type Values = Readonly<Record<string, string>>;

/** Stores a list's filters in the URL, so that a shared link shows the same list. When a filter changes, the first page is shown. */
export function useFilters<D extends Values>(first: D) {
  const [search, setSearch] = useSearchParams();
  const given = Object.fromEntries(search) as Values;
  const values = { ...first, ...given } as D & Values;
  const change = (changes: Values) => {
    const next = { ...given, page: '', ...changes };
    // Initial values are left out of the URL. If the user clears a filter that has an initial value, the empty value is included.
    setSearch(
      Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== (first[name] ?? ''))),
    );
  };
  return {
    values,
    change,
    page: Number(values.page || 1),
    toPage: (page: number) => change({ page: String(page) }),
    /** Returns a filter in the format that the operation expects, or undefined if it is not set. */
    text: <T extends string = string>(name: string) => (values[name] || undefined) as T | undefined,
    number: (name: string) => (values[name] ? Number(values[name]) : undefined),
    flag: (name: string) => (values[name] ? values[name] === 'true' : undefined),
    moment: (name: string) => (values[name] ? new Date(values[name]).toISOString() : undefined),
  };
}

export type FiltersIn = ReturnType<typeof useFilters<Values>>;

export const YES_NO: readonly Choice[] = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

/** The filter fields of a list. `/` focuses the first one. */
export function Filters({
  of,
  in: filters,
}: {
  of: readonly FilterField[];
  in: Pick<FiltersIn, 'values' | 'change'>;
}) {
  const { values, change } = filters;
  return (
    <search>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const filled = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
          change(Object.fromEntries(filled));
        }}
      >
        {of.map(({ name, label, type = 'search', of: choices, none = kit.any }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the label contains one of two possible fields
          <label key={name}>
            <span>{label}</span>
            {choices ? (
              <select
                name={name}
                value={values[name] ?? ''}
                onChange={(event) => change({ [name]: event.target.value })}
              >
                <option value="">{none}</option>
                {choices.map((choice) => {
                  const { value, label: text } = asChoice(choice);
                  return (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  );
                })}
              </select>
            ) : (
              <input key={values[name]} name={name} type={type} defaultValue={values[name] ?? ''} />
            )}
          </label>
        ))}
        <button type="submit">{kit.search}</button>
      </form>
    </search>
  );
}
