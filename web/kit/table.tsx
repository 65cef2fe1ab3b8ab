import './table.css';
import { Fragment, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Empty } from './page.tsx';
import { focusRow, isTyping } from './rows.ts';
import { kit } from './words.ts';

export type Columns<T> = readonly {
  head: string;
  of: (row: T) => ReactNode;
  /** Aligns the column to the end. Use it for numbers. */
  end?: boolean;
  /** Wraps long text. */
  wide?: boolean;
  /** The name by which the list can be sorted with this column. */
  sort?: string;
  /** Shown on phones too. Without any such mark these are the first column and the last number. Phones show the others below the row. */
  isMain?: boolean;
}[];

export type TableProps<T> = {
  rows: readonly T[];
  columns: Columns<T>;
  /** Caption for screen readers. */
  caption: string;
  keyOf?: (row: T, at: number) => string | number;
  /** The URL to which a row links. */
  to?: (row: T) => string;
  empty?: ReactNode;
  /** Rows that have just arrived. Their ground fades. */
  isFresh?: (row: T) => boolean;
  /** The reader's own row, which is highlighted. */
  isOwn?: (row: T) => boolean;
  /** Makes the heads of columns with a `sort` buttons. */
  sorting?: { by: string | undefined; order: 'asc' | 'desc'; onSort: (by: string) => void };
  /** Adds a box to each row. */
  selection?: Selection<T>;
};

type Selection<T> = {
  has: (row: T) => boolean;
  toggle: (row: T) => void;
  /** Ticks all rows, or none of them if all are ticked. */
  toggleAll: () => void;
  labelOf: (row: T) => string;
  allLabel: string;
};

/** A table with keyboard navigation: j and k move between rows, Enter opens one. It never scrolls sideways on phones. */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, caption, keyOf = (_, at) => at, empty = kit.nothing, sorting, selection } = props;
  const [open, setOpen] = useState<string | number>();
  if (rows.length === 0) return typeof empty === 'string' ? <Empty title={empty} /> : empty;
  const main = mainOf(columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {selection && <TickAll rows={rows} selection={selection} />}
            {columns.map((column, at) => (
              <Head
                key={column.head}
                column={column}
                className={classOf(column.end, !main.has(at))}
                sorting={sorting}
              />
            ))}
            {main.size < columns.length && (
              <th scope="col" className="more">
                <span className="hidden">{kit.details}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {rows.map((row, at) => {
            const key = keyOf(row, at);
            return (
              <Row
                key={key}
                {...props}
                row={row}
                at={at}
                main={main}
                isOpen={open === key}
                onOpen={() => setOpen(open === key ? undefined : key)}
              />
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

type HeadProps<T> = {
  column: Columns<T>[number];
  className: string | undefined;
  sorting: TableProps<T>['sorting'];
};

function Head<T>({ column: { head, sort }, className, sorting }: HeadProps<T>) {
  if (!sorting || sort === undefined)
    return (
      <th scope="col" className={className}>
        {head}
      </th>
    );
  const isSorted = sorting.by === sort;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className="sort" onClick={() => sorting.onSort(sort)}>
        {head}
        {isSorted && <Icon name={sorting.order === 'asc' ? 'arrow-up' : 'arrow-down'} size={13} />}
      </button>
    </th>
  );
}

function TickAll<T>({ rows, selection }: { rows: readonly T[]; selection: Selection<T> }) {
  const ticked = rows.filter(selection.has).length;
  return (
    <td className="tick">
      <input
        type="checkbox"
        aria-label={selection.allLabel}
        checked={ticked > 0 && ticked === rows.length}
        ref={(box) => {
          if (box) box.indeterminate = ticked > 0 && ticked < rows.length;
        }}
        onChange={selection.toggleAll}
      />
    </td>
  );
}

function mainOf<T>(columns: Columns<T>): ReadonlySet<number> {
  const marked = columns.flatMap(({ isMain }, at) => (isMain ? [at] : []));
  if (marked.length > 0) return new Set(marked);
  const last = columns.findLastIndex(({ end }) => end);
  return new Set([0, last > 0 ? last : Math.min(1, columns.length - 1)]);
}

const classOf = (...names: (string | boolean | undefined)[]) => {
  const [end, isMinor, wide] = names;
  return [end && 'end', isMinor && 'minor', wide && 'wide'].filter(Boolean).join(' ') || undefined;
};

type RowProps<T> = TableProps<T> & {
  row: T;
  at: number;
  main: ReadonlySet<number>;
  isOpen: boolean;
  onOpen: () => void;
};

function Row<T>({ row, at, columns, to, isFresh, isOwn, selection, main, isOpen, onOpen }: RowProps<T>) {
  const marks = [isFresh?.(row) && 'fresh', (isOwn?.(row) || selection?.has(row)) && 'own', to && 'leads']
    .filter(Boolean)
    .join(' ');
  return (
    <>
      <tr className={marks || undefined}>
        {selection && (
          <td className="tick">
            <input
              type="checkbox"
              aria-label={selection.labelOf(row)}
              checked={selection.has(row)}
              {...(!to && { 'data-row': at })}
              onChange={() => selection.toggle(row)}
            />
          </td>
        )}
        {columns.map(({ head, of, end, wide }, column) => (
          <td key={head} className={classOf(end, !main.has(column), wide)}>
            {column === 0 && to ? (
              <Link href={to(row)} className="opens" data-row={at}>
                {of(row)}
              </Link>
            ) : (
              of(row)
            )}
          </td>
        ))}
        {main.size < columns.length && (
          <td className="more">
            <Button
              kind="ghost"
              size="sm"
              icon={isOpen ? 'chevron-up' : 'chevron-down'}
              aria-label={kit.details}
              aria-expanded={isOpen}
              onClick={onOpen}
            />
          </td>
        )}
      </tr>
      {isOpen && (
        <tr className="below">
          <td colSpan={columns.length + 1}>
            <dl>
              {columns.map(({ head, of }, column) =>
                main.has(column) ? null : (
                  <Fragment key={head}>
                    <dt>{head}</dt>
                    <dd>{of(row)}</dd>
                  </Fragment>
                ),
              )}
            </dl>
          </td>
        </tr>
      )}
    </>
  );
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if (event.key !== 'j' && event.key !== 'k') return;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  // The console handles the key for the rest of the page, and would move another row.
  event.preventDefault();
  focusRow(event.currentTarget, event.key === 'j' ? 1 : -1);
}
