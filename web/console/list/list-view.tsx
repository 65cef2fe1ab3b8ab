import './list.css';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../kit/button.tsx';
import { Skeleton } from '../../kit/figures.tsx';
import { Icon } from '../../kit/icon.tsx';
import { number } from '../../kit/intl.ts';
import { Pager } from '../../kit/list.tsx';
import { Refusal } from '../../kit/note.tsx';
import { Empty, Loading } from '../../kit/page.tsx';
import { Table } from '../../kit/table.tsx';
import { kit } from '../../kit/words.ts';
import { BulkBar } from './bulk.tsx';
import { Chips, useTyped } from './chips.tsx';
import { ColumnChooser } from './columns.tsx';
import { chooseDensity, useDensity } from './saved.ts';
import { matchedBy, nothingIn, type View } from './spec.ts';
import type { ListState } from './use-list.ts';
import { Views } from './views.tsx';

/** A list with its views, filters, rows and pages. */
export function ListView<Row>({ list, actions }: { list: ListState<Row>; actions?: ReactNode }) {
  return (
    <div className="list" data-density={useDensity()}>
      <Views list={list} />
      <Tools list={list} actions={actions} />
      <Rows list={list} />
      <BulkBar list={list} />
    </div>
  );
}

function Tools<Row>({ list, actions }: { list: ListState<Row>; actions: ReactNode }) {
  const { spec } = list;
  const density = useDensity();
  const other = density === 'compact' ? 'comfortable' : 'compact';
  return (
    <search className="tools">
      {spec.search && <Search list={list} {...spec.search} />}
      <Chips
        of={spec.filters ?? []}
        in={list.filters}
        initial={spec.views?.[0]?.query ?? {}}
        search={spec.search?.name}
        canClear={list.hasFilters}
      />
      <span className="ends">
        {actions}
        <Button
          kind="ghost"
          size="sm"
          icon={density === 'compact' ? 'rows-3' : 'rows-4'}
          aria-label={other === 'compact' ? 'Show compact rows' : 'Show comfortable rows'}
          onClick={() => chooseDensity(other)}
        />
        <ColumnChooser list={list} />
      </span>
    </search>
  );
}

type SearchProps<Row> = { list: ListState<Row>; name: string; label: string };

/** The key / moves the focus here. */
function Search<Row>({ list: { filters, spec }, name, label }: SearchProps<Row>) {
  const field = useRef<HTMLInputElement>(null);
  const typed = useTyped((text) => filters.change({ [name]: text.trim() }, true));
  const value = filters.values[name] ?? '';
  // Another view or “Clear” changes the text. While the user types, the address follows the field.
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = value;
  }, [value]);
  return (
    <span className="input list-search">
      <Icon name="search" size={16} />
      <input
        ref={field}
        type="search"
        aria-label={`Search ${spec.title.toLowerCase()}`}
        placeholder={label}
        defaultValue={value}
        autoComplete="off"
        onChange={({ target }) => typed.type(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && typed.flush()}
      />
      <span aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </span>
  );
}

function Rows<Row>({ list }: { list: ListState<Row> }) {
  const { reading, spec, filters, columns, sorted, ticked } = list;
  const { data, error, isPending, isOld, refetch } = reading;
  if (error && (data === undefined || isOld)) return <Refusal of={error} onRetry={refetch} />;
  if (isPending || data === undefined) return <SkeletonRows />;
  const rows: readonly Row[] = data.data;
  const keyOf: (row: Row) => string | number = spec.keyOf;
  const isTicked = (row: Row) => ticked.has(keyOf(row));
  return (
    <div className="card rows-card" aria-busy={isOld}>
      <Table
        rows={rows}
        columns={columns}
        caption={spec.title}
        keyOf={keyOf}
        {...(spec.to && { to: spec.to })}
        empty={<NoRows list={list} />}
        sorting={{ by: sorted?.by, order: sorted?.order ?? 'desc', onSort: list.sortBy }}
        {...((spec.bulk || spec.file !== undefined) && {
          selection: {
            has: isTicked,
            toggle: (row: Row) => list.tick([row], !isTicked(row)),
            toggleAll: () => list.tick(rows, !rows.every(isTicked)),
            labelOf: (row: Row) => `Select ${spec.nameOf ? spec.nameOf(row) : keyOf(row)}`,
            allLabel: 'Select all on this page',
          },
        })}
      />
      {data.total > 0 && (
        <Pager
          page={data.page}
          take={data.take}
          shown={rows.length}
          total={data.total}
          totalPages={data.totalPages}
          onPage={filters.toPage}
          {...(data.totalIsExact === false && { totalText: `about ${number(data.total)}` })}
        >
          {spec.note && <span className="faint note-of-list">{spec.note}</span>}
        </Pager>
      )}
    </div>
  );
}

function NoRows<Row>({ list: { spec, hasFilters, filters } }: { list: ListState<Row> }) {
  const views: readonly View[] = spec.views ?? [];
  const initial = views[0]?.query ?? {};
  if (!hasFilters) {
    const view = views.find(({ query }) => matchedBy(query) === matchedBy(filters.values));
    const isFirst = view === views[0];
    return <Empty art={spec.art ?? 'no-results'} title={isFirst ? spec.empty : nothingIn(view!.name)} />;
  }
  const clear = () =>
    filters.change(
      Object.fromEntries(Object.keys(filters.values).map((name) => [name, initial[name] ?? ''])),
    );
  return (
    <Empty art="no-results" title={kit.noMatches} action={<Button onClick={clear}>Clear filters</Button>}>
      No rows match these filters.
    </Empty>
  );
}

const SKELETON_ROWS = 8;

const SkeletonRows = () => (
  <div className="card">
    <Loading>
      {Array.from({ length: SKELETON_ROWS }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are the same
        <Skeleton key={at} width={at % 2 === 0 ? '100%' : '92%'} height={20} />
      ))}
    </Loading>
  </div>
);
