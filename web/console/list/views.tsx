import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { readerOf, type Values } from '../../kit/filters.ts';
import { Field } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import { Icon } from '../../kit/icon.tsx';
import { number } from '../../kit/intl.ts';
import { Menu } from '../../kit/pick/menu.tsx';
import { useRead } from '../../kit/query.ts';
import { useCentred } from '../../kit/tabs.tsx';
import { isSame, type View } from './spec.ts';
import type { ListState } from './use-list.ts';

/** The server stores at most this many views of a list. */
const MOST = 20;

type Tab = { name: string; query: string; isOwn: boolean; isCurrent: boolean; isCounted: boolean };

/** The views of a list as tabs: those of the list itself, and those that this member of staff has saved. */
export function Views<Row>({ list }: { list: ListState<Row> }) {
  const [at] = useLocation();
  const [asked, setAsked] = useState<'save' | 'rename'>();
  const tabs = tabsOf(list);
  const current = tabs.find(({ isCurrent }) => isCurrent);
  const link = useCentred(current?.name ?? '');
  const query = useSavedQuery();
  return (
    <nav className="tabs views" aria-label="Saved views">
      {tabs.map(({ name, query: search, isCurrent, isCounted }) => (
        <Link
          key={name}
          href={search === '' ? at : `${at}?${search}`}
          ref={isCurrent ? link : null}
          aria-current={isCurrent ? 'page' : undefined}
        >
          {name}
          <ViewCount list={list} query={search} isCurrent={isCurrent} isCounted={isCounted} />
        </Link>
      ))}
      {current?.isOwn && <ViewMenu list={list} name={current.name} onRename={() => setAsked('rename')} />}
      {!current && (
        <button type="button" className="link" onClick={() => setAsked('save')}>
          <Icon name="plus" size={14} />
          Save view
        </button>
      )}
      {asked && (
        <NameDialog
          list={list}
          old={asked === 'rename' ? current?.name : undefined}
          query={query}
          onClose={() => setAsked(undefined)}
        />
      )}
    </nav>
  );
}

const ALL: readonly View[] = [{ name: 'All', query: {} }];

function tabsOf<Row>({ spec, filters, saved }: ListState<Row>): Tab[] {
  const views: readonly View[] = spec.views ?? ALL;
  const initial = views[0]?.query ?? {};
  const isShown = (query: Values) => isSame(filters.values, query);
  // The first view has no query. Those of the others also clear its filters.
  const cleared = Object.fromEntries(Object.keys(initial).map((name) => [name, '']));
  return [
    ...views.map(({ name, query, isCounted = false }, at) => ({
      name,
      query: at === 0 ? '' : new URLSearchParams({ ...cleared, ...query }).toString(),
      isOwn: false,
      isCurrent: isShown(query),
      isCounted,
    })),
    ...saved.views.map(({ name, query }) => ({
      name,
      query,
      isOwn: true,
      isCurrent: isShown({ ...initial, ...Object.fromEntries(new URLSearchParams(query)) }),
      isCounted: false,
    })),
  ];
}

/** The filters in the address, without the page. */
function useSavedQuery(): string {
  const query = new URLSearchParams(useSearch());
  query.delete('page');
  return query.toString();
}

type CountProps<Row> = { list: ListState<Row>; query: string; isCurrent: boolean; isCounted: boolean };

/** The current view shows its total. Other views are counted only if they are queues, because counting a long list takes time. */
function ViewCount<Row>({ list, query, isCurrent, isCounted }: CountProps<Row>) {
  const total = useCounted(list, query, isCounted && !isCurrent);
  const { data } = list.reading;
  const shown = isCurrent ? (data && data.totalIsExact !== false ? data.total : undefined) : total;
  return shown === undefined ? null : <span className="dim">{number(shown)}</span>;
}

function useCounted<Row>(list: ListState<Row>, query: string, isEnabled: boolean): number | undefined {
  const initial = list.spec.views?.[0]?.query ?? {};
  const values: Values = { ...initial, ...Object.fromEntries(new URLSearchParams(query)) };
  const { data } = useRead(list.op, list.countOf(readerOf(values)), { isEnabled, staleMs: 60_000 });
  return isEnabled ? (data as { total?: number } | undefined)?.total : undefined;
}

type MenuProps<Row> = { list: ListState<Row>; name: string; onRename: () => void };

function ViewMenu<Row>({ list: { saved }, name, onRename }: MenuProps<Row>) {
  const remove = () => saved.change({ views: saved.views.filter((view) => view.name !== name) });
  return (
    <Menu
      label={`View ${name}`}
      className="button ghost sm only-icon"
      aria-label={`Change the view ${name}`}
      entries={[
        { text: 'Rename', icon: 'pencil', run: onRename },
        { text: 'Delete', icon: 'trash-2', run: remove },
      ]}
    >
      <Icon name="ellipsis" size={16} />
    </Menu>
  );
}

type NameProps<Row> = {
  list: ListState<Row>;
  /** The name of the view that gets another one. Without it the filters in the address are saved. */
  old: string | undefined;
  query: string;
  onClose: () => void;
};

function NameDialog<Row>({ list: { spec, saved }, old, query, onClose }: NameProps<Row>) {
  const [problem, setProblem] = useState<string>();
  const taken = [...(spec.views ?? ALL), ...saved.views]
    .map((view) => view.name)
    .filter((name) => name !== old);
  const save = (name: string) => {
    if (taken.includes(name)) return setProblem('This list has a view with this name');
    if (old === undefined && saved.views.length >= MOST)
      return setProblem(`Delete a view first: a list has at most ${MOST}`);
    const views =
      old === undefined
        ? [...saved.views, { name, query }]
        : saved.views.map((view) => (view.name === old ? { ...view, name } : view));
    if (saved.change({ views })) onClose();
  };
  return (
    <Dialog title={old === undefined ? 'Save view' : 'Rename view'} onClose={onClose}>
      <Fields refused={undefined} onSend={(filled) => save(filled.text('name'))}>
        <Field
          name="name"
          label="Name"
          hint={problem ?? 'Only you see it. It keeps the filters and the order.'}
          defaultValue={old}
          maxLength={40}
          required
        />
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main">
            {old === undefined ? 'Save view' : 'Rename view'}
          </Button>
        </div>
      </Fields>
    </Dialog>
  );
}
