import type { ComponentType, ReactNode } from 'react';
import type { Input, Op, Refused } from '../../../client/call.ts';
import type { IconName } from '../../kit/icon.tsx';
import type { RowOf } from '../list/spec.ts';

/**
 * The rows that wait. `value` is the part of the address that chooses the queue. `order`: the order of the rows in words. Default: the oldest
 * first.
 */
type Queue<L extends Op> = { name: string; value: string; input: Input<L>; order?: string };

/** Returns a function that makes the queues of a list, one for each status. `query`: the order and the number of rows. */
export const queuesBy =
  <const Q extends object>(query: Q, order = 'Oldest first') =>
  <const S extends string>(name: string, status: S) => ({
    name,
    value: status,
    input: { query: { ...query, status } },
    order,
  });

/** A row of the queue. */
export type QueueRow = {
  /** The last part of the address of its case. */
  id: string;
  /** Unique in the queue. Default: `id`. */
  key?: string;
  name: string;
  avatar?: string | null | undefined;
  /** The figure at the end of the first line. */
  end?: ReactNode;
  /** The value in US dollars, which the head of the queue adds up. */
  usdAmount?: string;
  about?: ReactNode;
  /** Since when the row has waited. */
  at: string | null;
  mark?: ReactNode;
  /** Additional text that the search of the queue matches. */
  text?: string;
};

/** The response about a case. `data` is null if there is no such case. */
type Case<T> = {
  data: T | null | undefined;
  error: Refused | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
};

/** The heading of a case. */
export type Heading = { picture: ReactNode; title: ReactNode; about: ReactNode; badges?: ReactNode };

export type ReviewSpec<L extends Op, T> = {
  /** The title of the list. */
  title: string;
  /** The address of the list. That of a case adds its id. */
  path: string;
  op: L;
  queues: readonly [Queue<L>, ...Queue<L>[]];
  rowOf: (row: RowOf<L>) => QueueRow;
  /** Shown when nothing waits. */
  empty: string;
  search: string;
  /** A hook that reads a case. */
  useCase: (id: string) => Case<T>;
  headingOf: (found: T) => Heading;
  Body: ComponentType<{ of: T }>;
  Side: ComponentType<{ of: T }>;
  /** The operations that decide a case. Staff who may call none of them see only the state. */
  decides: (found: T) => readonly Op[];
  /** The buttons of the bar. `onDone` opens the next case, unless staff have opened another one since. */
  Decision: ComponentType<DecisionProps<T>>;
};

export type DecisionProps<T> = { of: T; onDone: () => void };

/** The result of a check: passed, to look at, failed, or only for information. */
export type Check = {
  kind: 'good' | 'warn' | 'bad' | 'plain';
  name: string;
  about?: ReactNode;
  end?: ReactNode;
  /** The page with the details. */
  to?: string | undefined;
};

export const MARKS = {
  good: { icon: 'circle-check', label: 'Passed' },
  warn: { icon: 'triangle-alert', label: 'To look at' },
  bad: { icon: 'circle-alert', label: 'Failed' },
  plain: { icon: 'info', label: 'Information' },
} as const satisfies Record<Check['kind'], { icon: IconName; label: string }>;
