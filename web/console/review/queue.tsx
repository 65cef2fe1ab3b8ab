import { useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import type { Input, Op } from '../../../client/call.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { Usd } from '../../kit/amount.tsx';
import { Avatar } from '../../kit/avatar.tsx';
import { serverNow } from '../../kit/clock.ts';
import { Icon } from '../../kit/icon.tsx';
import { duration, number, plural } from '../../kit/intl.ts';
import { Empty, Loaded } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { nothingIn, pageOf, withPage } from '../list/spec.ts';
import { useQueue } from '../navigation.tsx';
import type { QueueRow, ReviewSpec } from './spec.ts';

/** The queue of a case: its rows, and the case that follows after a decision. */
export function useRows<L extends Op, T>(spec: ReviewSpec<L, T>, id: string) {
  const wanted = new URLSearchParams(useSearch()).get('queue');
  const shown = spec.queues.find(({ value }) => value === wanted) ?? spec.queues[0];
  const reading = useRead(spec.op, shown.input);
  const page = reading.data === undefined ? undefined : pageOf<L>(reading.data);
  const rows = page?.data.map(spec.rowOf);
  const place = usePlace(rows, id);
  const hrefOf = (of: string) =>
    `${spec.path}/${of}${shown === spec.queues[0] ? '' : `?queue=${shown.value}`}`;
  return { shown, reading, rows, total: page?.total, hrefOf, next: () => place.next()?.id };
}

/**
 * Remembers the place of a case in the queue. After a decision the queue no longer contains it, so the row at the same place is the next one.
 * `next` uses the latest rows, because it is called after the queue has been read again.
 */
function usePlace(rows: readonly QueueRow[] | undefined, id: string) {
  const latest = useRef({ rows, id, at: 0 });
  const at = rows?.findIndex((row) => row.id === id) ?? -1;
  useEffect(() => {
    const before = latest.current;
    latest.current = { rows, id, at: at >= 0 ? at : before.id === id ? before.at : 0 };
  });
  return {
    next: (): QueueRow | undefined => {
      const others = latest.current.rows?.filter((row) => row.id !== latest.current.id) ?? [];
      return others[latest.current.at] ?? others[0];
    },
  };
}

type QueueProps<L extends Op, T> = {
  spec: ReviewSpec<L, T>;
  queue: ReturnType<typeof useRows<L, T>>;
  id: string;
};

/** The queues as tabs. Another queue does not close the case. */
export function QueueTabs<L extends Op, T>({ spec, queue, id }: QueueProps<L, T>) {
  if (spec.queues.length < 2) return null;
  return (
    <nav className="tabs" aria-label="Queues">
      {spec.queues.map((one, at) => (
        <Link
          key={one.value}
          href={`${spec.path}/${id}${at === 0 ? '' : `?queue=${one.value}`}`}
          aria-current={one === queue.shown ? 'page' : undefined}
        >
          {one.name}
          <QueueCount op={spec.op} input={one.input} />
        </Link>
      ))}
    </nav>
  );
}

/** Requests one row, because the response includes the total. */
function QueueCount<L extends Op>({ op, input }: { op: L; input: Input<L> }) {
  const count = useQueue(op, withPage(op, input, { page: 1, take: 1 }));
  return count ? <span className="dim">{number(count)}</span> : null;
}

/** The rows that wait, next to the case. */
export function Queue<L extends Op, T>({ spec, queue, id }: QueueProps<L, T>) {
  const [wanted, setWanted] = useState('');
  const text = wanted.trim().toLowerCase();
  const found = queue.rows?.filter((row) =>
    `${row.name} ${row.id} ${row.text ?? ''}`.toLowerCase().includes(text),
  );
  return (
    <nav className="queue" aria-label="Queue">
      <div className="queue-head">
        <span className="input list-search">
          <Icon name="search" size={16} />
          <input
            type="search"
            aria-label="Search the queue"
            placeholder={spec.search}
            autoComplete="off"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </span>
        <Total rows={queue.rows ?? []} total={queue.total} order={queue.shown.order ?? 'Oldest first'} />
      </div>
      <Loaded of={queue.reading}>
        {() =>
          found?.length ? (
            <List rows={found} id={id} hrefOf={queue.hrefOf} />
          ) : (
            <Empty
              title={text ? 'No matches' : spec.queues.length > 1 ? nothingIn(queue.shown.name) : spec.empty}
            />
          )
        }
      </Loaded>
      <p className="queue-keys xs faint">
        <span>
          <kbd>J</kbd> <kbd>K</kbd> next, previous
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
      </p>
    </nav>
  );
}

type TotalProps = {
  rows: readonly QueueRow[];
  /** Undefined until the queue has been read. */
  total: number | undefined;
  order: string;
};

function Total({ rows, total, order }: TotalProps) {
  const amounts = rows.flatMap(({ usdAmount }) => (usdAmount === undefined ? [] : [units(usdAmount)]));
  const isWhole = rows.length > 0 && amounts.length === total;
  return (
    <p className="xs faint line between">
      <span>
        {total !== undefined && plural(total, { one: '# in this queue', other: '# in this queue' })}
        {isWhole && (
          <>
            {' · '}
            <Usd of={formatUnits(amounts.reduce((sum, amount) => sum + amount, 0n))} />
          </>
        )}
      </span>
      <span>{order}</span>
    </p>
  );
}

type ListProps = { rows: readonly QueueRow[]; id: string; hrefOf: (id: string) => string };

function List({ rows, id, hrefOf }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  // Shows the current row. Unlike `scrollIntoView`, this does not move the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another case is opened
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[aria-current]');
    const shown = list.current;
    if (!row || !shown) return;
    const isAbove = row.offsetTop < shown.scrollTop;
    const isBelow = row.offsetTop + row.offsetHeight > shown.scrollTop + shown.clientHeight;
    if (isAbove || isBelow) shown.scrollTop = row.offsetTop - shown.clientHeight / 3;
  }, [id]);
  return (
    <ul ref={list}>
      {rows.map((row, at) => (
        <li key={row.key ?? row.id}>
          <Link
            href={hrefOf(row.id)}
            className="queue-row"
            data-row={at}
            aria-current={row.id === id ? 'page' : undefined}
          >
            <span className="line">
              <Avatar name={row.name} image={row.avatar} size={24} />
              <strong className="clip grow">{row.name}</strong>
              <strong>{row.end}</strong>
            </span>
            <span className="line xs dim">
              <span className="nowrap">{row.about}</span>
              {row.at && (
                <time className="clip" dateTime={row.at}>
                  {duration(serverNow() - Date.parse(row.at))}
                </time>
              )}
              <span className="grow" />
              {row.mark}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
