import type { ComponentType, ReactNode } from 'react';
import type { Answer, Input, Op } from '../../../client/call.ts';
import type { ArtName } from '../../kit/figures.tsx';
import type { FilterReader, Values } from '../../kit/filters.ts';
import type { Choice } from '../../kit/form/choice.tsx';
import type { Filled } from '../../kit/form/read.ts';
import type { IconName } from '../../kit/icon.tsx';
import type { PageOf } from '../../kit/list.tsx';

/** The name under which the server stores the views of a list. */
export type ListName = Input<'GET /admin/views/{list}'>['path']['list'];

/** The rows that an operation lists, in pages or all together. */
export type RowOf<O extends Op> =
  Answer<O> extends readonly (infer Row)[] ? Row : Answer<O> extends { data: (infer Row)[] } ? Row : never;

export type PageRead<Row> = PageOf<Row> & { totalIsExact?: boolean };

/** Returns the page in the response of a list. Operations that return all rows without pages are shown as one page. */
export function pageOf<O extends Op>(answer: Answer<O>): PageRead<RowOf<O>> {
  if (!Array.isArray(answer)) return answer as PageRead<RowOf<O>>;
  const data = answer as RowOf<O>[];
  return { data, page: 1, take: data.length, total: data.length, totalPages: 1 };
}

type Paged = 'page' | 'take';
/** The input of a list without its page, which the list adds. */
type ListInput<O extends Op> = {
  [Part in keyof Input<O>]: Input<O>[Part] extends infer P ? (P extends object ? Omit<P, Paged> : P) : never;
};

type FieldsIn<Name extends string, Value> = Value extends string | number | boolean | readonly unknown[]
  ? Name
  : [keyof Value] extends [never]
    ? Name
    : string extends keyof Value
      ? Name
      : `${Name}.${FieldOf<Value>}`;

/** The fields of a row as exports name them. A field of a nested object is written like `user.username`. */
export type FieldOf<Row> = 0 extends 1 & Row
  ? string
  : { [Name in keyof Row & string]: FieldsIn<Name, NonNullable<Row[Name]>> }[keyof Row & string];

/** `name`: letters only. Saved columns refer to it. `fields`: what an export of the column contains. Default: the field `name`. */
type Exported<Row> =
  | { name: FieldOf<Row>; fields?: undefined }
  | { name: string; fields: readonly FieldOf<Row>[] };

/** A part of a list that is shown only to staff who may call the operation `needs`. */
type Needing = { needs?: Op };

/** True if this member of staff may call the operation. */
export type May = (op: Op) => boolean;

export type Column<Row> = Exported<Row> &
  Needing & {
    head: string;
    of: (row: Row) => ReactNode;
    /** Aligns the column to the end. Use it for numbers. */
    end?: boolean;
    /** Wraps long text. */
    wide?: boolean;
    /** The operation's name for sorting by this column. */
    sort?: string;
    /** Shown only if staff choose it. */
    isExtra?: boolean;
    /** Shown on phones too. */
    isMain?: boolean;
  };

/** The choices of a filter, or a hook that reads them. */
export type Choices = readonly Choice[] | (() => readonly Choice[]);

export type Filter = Needing & {
  name: string;
  label: string;
} /** `none`: what the empty choice means, shown in the chip. */ & (
    | { kind: 'choice'; of: Choices; none?: string | undefined }
    | { kind: 'text'; hint?: string }
    | { kind: 'number' }
    | { kind: 'player' }
    /** Two moments: `name` is the first one, `to` the last one. */
    | { kind: 'period'; to: string }
    /** Two days. */
    | { kind: 'days'; to: string }
  );

/** A tab of the list with its filters. The first view is shown at first, so its filters are the initial ones. */
export type View = Needing & {
  name: string;
  query: Values;
  /** Shows the number of rows. Use it for queues, which are short. */
  isCounted?: boolean;
};

export type Sorted = { by: string; order: 'asc' | 'desc' };

/** An action on ticked rows. It is one request for each row. */
export type Bulk<Row> = {
  label: string;
  icon: IconName;
  /** The operation whose permission the action needs. */
  op: Op;
  /** Asks to confirm, and above 20 rows to type their number. */
  isDangerous?: boolean;
  /** Fields of the dialog. */
  Fields?: ComponentType;
  /** Throws if the server rejects the request, or an `Error` with the reason why nothing was done. */
  run: (row: Row, filled: Filled) => Promise<unknown>;
  /** Explains the effect, above the fields. */
  about?: string;
  /** Operations other than the list whose responses the action changes. */
  stale?: readonly Op[];
};

export type ListSpec<O extends Op, Of> = {
  list: ListName;
  title: string;
  op: O;
  /** Builds the input from the filters in the address. `of` is what an embedded list is limited to. */
  input: (filters: FilterReader, of: Of, may: May) => ListInput<O>;
  /** Rows of a page. */
  take?: number;
  /** The operation returns all rows at once, so its input has no page. */
  isWhole?: boolean;
  /** The first column stays first, and its text is the link of the row. */
  columns: readonly Column<RowOf<O>>[];
  keyOf: (row: RowOf<O>) => string | number;
  /** The field that contains the key, for exports of ticked rows. Null if the key is made of several. Default: `id`. */
  idField?: FieldOf<RowOf<O>> | null;
  /** The name of a row in messages. Default: its key. */
  nameOf?: (row: RowOf<O>) => string;
  to?: (row: RowOf<O>) => string;
  search?: { name: string; label: string };
  filters?: readonly Filter[];
  views?: readonly View[];
  /** The server's own order. */
  sorted?: Sorted;
  bulk?: readonly Bulk<RowOf<O>>[];
  /** Says which rows will appear here. Shown while there are neither rows nor filters. */
  empty: string;
  art?: ArtName;
  /** The name of exported files. Without it the list has no export. */
  file?: string;
  /** The filter that chooses the period of the rows. Exported files are named after it. Without a choice, the rows are those of today. */
  span?: string;
  /** Explains a figure, at the foot. */
  note?: string;
  /** Leaves out columns and filters that an embedded list does not need. */
  without?: (of: Of) => readonly string[];
};

export const choice = (name: string, label: string, of: Choices, none?: string): Filter => ({
  kind: 'choice',
  name,
  label,
  of,
  none,
});
export const yesNo = (name: string, label: string): Filter =>
  choice(name, label, [
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ]);
export const text = (name: string, label: string): Filter => ({ kind: 'text', name, label });
export const count = (name: string, label: string): Filter => ({ kind: 'number', name, label });
export const player = (name = 'userId', label = 'Player'): Filter => ({ kind: 'player', name, label });
export const period = (name = 'startDate', to = 'endDate', label = 'Date'): Filter => ({
  kind: 'period',
  name,
  to,
  label,
});

const filled = (values: Values) =>
  Object.entries(values)
    .filter(([name, value]) => name !== 'page' && value !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** True if two sets of filters show the same rows in the same order. The page does not matter. */
export const isSame = (one: Values, other: Values): boolean =>
  JSON.stringify(filled(one)) === JSON.stringify(filled(other));

/** Returns the same key for filters that match the same rows, regardless of sort order and page. */
export const matchedBy = ({ sortBy: _, sortOrder: __, ...filters }: Values): string =>
  JSON.stringify(filled(filters));

/** The text of a view or a queue without rows. */
export const nothingIn = (name: string): string => `Nothing in “${name}”`;

/** Adds the page to the input of a list. A GET has it in the query, a POST in the body. */
export function withPage<O extends Op>(
  op: O,
  input: ListInput<O> | Input<O>,
  page: { page: number; take: number },
) {
  const part = op.startsWith('GET ') ? 'query' : 'body';
  const parts = input as Readonly<Record<string, object | undefined>>;
  return { ...parts, [part]: { ...parts[part], ...page } } as Input<O>;
}

/** Returns the first column, and the chosen ones in their order. Columns that no longer exist are ignored. */
export function chosenOf<Row>(
  all: readonly Column<Row>[],
  names: readonly string[] | null,
): readonly Column<Row>[] {
  const [first, ...others] = all;
  if (!first) return [];
  if (names === null) return [first, ...others.filter(({ isExtra }) => !isExtra)];
  return [first, ...names.flatMap((name) => others.find((column) => column.name === name) ?? [])];
}
