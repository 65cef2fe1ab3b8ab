import { useState } from 'react';
import type { Input, Op } from '../../../client/call.ts';
import { type FilterReader, type FiltersIn, useFilters } from '../../kit/filters.ts';
import type { Reading } from '../../kit/list.tsx';
import { useRead } from '../../kit/query.ts';
import { missingRight, useMe } from '../../kit/session.tsx';
import { type Saved, useSaved } from './saved.ts';
import {
  type Column,
  chosenOf,
  type ListSpec,
  matchedBy,
  type PageRead,
  pageOf,
  type RowOf,
  type Sorted,
  withPage,
} from './spec.ts';

/** The state of a list on the screen, whose parts are components of their own. */
export type ListState<Row> = {
  // biome-ignore lint/suspicious/noExplicitAny: the operation and the limits of a list do not matter to its parts
  spec: ListSpec<any, any>;
  op: Op;
  /** The input of the current page. */
  input: Input<Op>;
  /** The input that counts the rows of another view. */
  countOf: (filters: FilterReader) => Input<Op>;
  filters: FiltersIn;
  reading: Reading<Row> & { data: PageRead<Row> | undefined; isOld: boolean };
  saved: Saved;
  /** Shown columns in their order, and all that can be shown. */
  columns: readonly Column<Row>[];
  allColumns: readonly Column<Row>[];
  sorted: Sorted | undefined;
  sortBy: (name: string) => void;
  /** True if the rows are not all those of a view of the list. */
  hasFilters: boolean;
  /** Ticked rows by key. They stay ticked on other pages and in another order, but not when the filters change. */
  ticked: ReadonlyMap<string | number, Row>;
  tick: (rows: readonly Row[], isTicked: boolean) => void;
  untickAll: () => void;
};

const DEFAULT_TAKE = 50;

export function useList<O extends Op, Of>(spec: ListSpec<O, Of>, of: Of): ListState<RowOf<O>> {
  type Row = RowOf<O>;
  const initial = spec.views?.[0]?.query ?? {};
  const filters = useFilters(initial);
  const me = useMe();
  const may = (op: Op) => missingRight(me, op) === undefined;
  const inputOf = (reader: FilterReader, page: { page: number; take: number }) => {
    const given = spec.input(reader, of, may);
    return spec.isWhole ? (given as Input<O>) : withPage(spec.op, given, page);
  };
  const input = inputOf(filters, { page: filters.page, take: spec.take ?? DEFAULT_TAKE });
  const read = useRead(spec.op, input);
  const saved = useSaved(spec.list);
  const left = new Set(spec.without?.(of));
  const isShown = ({ name, needs }: { name: string; needs?: Op }) =>
    !left.has(name) && (needs === undefined || may(needs));
  const allColumns = spec.columns.filter(isShown);
  const [ticked, setTicked] = useTicked<Row>(matchedBy(filters.values));
  const sorted = sortedIn(filters, spec.sorted);
  return {
    spec: {
      ...spec,
      filters: spec.filters?.filter(isShown),
      views: spec.views?.filter(isShown),
    } as ListState<Row>['spec'],
    op: spec.op,
    input: input as Input<Op>,
    countOf: (reader) => inputOf(reader, { page: 1, take: 1 }) as Input<Op>,
    filters,
    reading: {
      data: read.data === undefined ? undefined : pageOf<O>(read.data),
      error: read.error,
      isPending: read.isPending,
      isOld: read.isPlaceholderData,
      refetch: read.refetch,
    },
    saved,
    columns: chosenOf(allColumns, saved.columns),
    allColumns,
    sorted,
    sortBy: (name) => {
      const isSorted = sorted?.by === name;
      filters.change({ sortBy: name, sortOrder: isSorted && sorted.order === 'desc' ? 'asc' : 'desc' });
    },
    hasFilters: !(spec.views ?? [{ query: {} }]).some(
      ({ query }) => matchedBy(filters.values) === matchedBy(query),
    ),
    ticked,
    // A bulk action unticks one row after the other, so each change begins with the latest state.
    tick: (rows, isTicked) =>
      setTicked((before) => {
        const next = new Map(before);
        for (const row of rows)
          if (isTicked) next.set(spec.keyOf(row), row);
          else next.delete(spec.keyOf(row));
        return next;
      }),
    untickAll: () => setTicked(new Map()),
  };
}

/** The ticked rows. They are cleared when the filters change, because the list may no longer show them. */
function useTicked<Row>(filters: string) {
  const [ticked, setTicked] = useState<ReadonlyMap<string | number, Row>>(new Map());
  const [tickedIn, setTickedIn] = useState(filters);
  if (tickedIn !== filters) {
    setTickedIn(filters);
    setTicked(new Map());
  }
  return [ticked, setTicked] as const;
}

function sortedIn({ text }: FiltersIn, initial: Sorted | undefined): Sorted | undefined {
  const by = text('sortBy') ?? initial?.by;
  if (by === undefined) return undefined;
  return { by, order: text<'asc' | 'desc'>('sortOrder') ?? initial?.order ?? 'desc' };
}
