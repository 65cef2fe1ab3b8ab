import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import type { Input, Op } from '../../client/call.ts';
import { Count } from '../kit/figures.tsx';
import { Icon } from '../kit/icon.tsx';
import { queries, useRead } from '../kit/query.ts';
import { missingRight, useMe } from '../kit/session.tsx';
import { type Entry, type Group, MENU, placeOf, type Queue, type Tab } from './menu.ts';

type Shown = {
  entry: Entry;
  tab: Tab;
  /** The rows that wait for this account. */
  queue: Queue | undefined | false;
};
type ShownGroup = { group: Group; entries: readonly Shown[] };

/** Returns the menu entries that this account may open. An entry leads to the first page that the account may see. */
export function useMenu(): readonly ShownGroup[] {
  const me = useMe();
  const may = (op: Op) => missingRight(me, op) === undefined;
  return MENU.map((group) => ({
    group,
    entries: group.entries.flatMap((entry) => {
      const { tabs, queue } = entry;
      const tab = tabs.find(({ of }) => may(of));
      return tab ? [{ entry, tab, queue: queue && may(queue.act) && queue }] : [];
    }),
  })).filter(({ entries }) => entries.length > 0);
}

/** The menu. Entries show how many rows of their list wait for this account. */
export function Navigation({ label }: { label: string }) {
  const [at] = useLocation();
  const current = placeOf(at)?.entry;
  return (
    <nav aria-label={label} className="menu">
      {useMenu().map(({ group, entries }) => (
        <div key={group.name ?? ''}>
          {group.name && <h2>{group.name}</h2>}
          {entries.map(({ entry, tab, queue }) => (
            <Link key={tab.path} href={tab.path} aria-current={entry === current ? 'page' : undefined}>
              <Icon name={entry.icon} size={16} />
              <span className="clip">{entry.name}</span>
              {queue && <QueueCount of={queue} />}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** How long a count counts as fresh. Alerts of the socket read it immediately. */
const STALE_MS = 60_000;

/** Returns the number of rows that wait. Undefined while it is not known. An old number is read again when another page is opened. */
export function useQueue<O extends Op>(op: O, input: Input<O>): number | undefined {
  const { data } = useRead(op, input, { staleMs: STALE_MS });
  const [at] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again after navigation
  useEffect(() => {
    // Several components show the same number, which one request reads. Lists with more filters are not read again.
    void queries.refetchQueries(
      { queryKey: [op, input], exact: true, stale: true },
      { cancelRefetch: false },
    );
  }, [at]);
  return (data as { total?: number } | undefined)?.total;
}

function QueueCount({ of }: { of: Queue }) {
  const count = useQueue(of.op, of.input);
  return count ? (
    <>
      <Count of={count} isQuiet />
      <span className="hidden">waiting</span>
    </>
  ) : null;
}

/** Shows the total of a list in the menu, too, because it is newer than the count there. */
export function useShownTotal(op: Op, total: number | undefined): void {
  const [at] = useLocation();
  const queue = placeOf(at)?.entry.queue;
  useEffect(() => {
    if (queue?.op !== op || total === undefined) return;
    queries.setQueryData([queue.op, queue.input], (old: object | undefined) => old && { ...old, total });
  }, [queue, op, total]);
}
