import { type RawBuilder, sql } from 'kysely';

/** Movements between two marks. */
export const MARK_EVERY = 2000;
/** All users. */
export const EVERYBODY = 0;

/** A list whose rows never disappear and have ids of `ledger_ids`: where it is, and where its marks are kept. */
export type MarkedList = {
  marks: RawBuilder<unknown>;
  /** Its name among what was detached: marks count what has gone too, lists do not. */
  archived: 'bets' | 'ledger_lines';
  table: RawBuilder<unknown>;
  /** Which rows count, and for how much. */
  counts: RawBuilder<unknown>;
  weight: RawBuilder<unknown>;
  /** Rows of a scope with ids from `from` on and below `below`, and the order that they are in by the index that leads to them. */
  within: (scope: number, from: bigint, below?: bigint) => RawBuilder<unknown>;
  order: (scope: number) => RawBuilder<unknown>;
};

const below = (id: bigint | undefined) => (id === undefined ? sql`true` : sql`id < ${id}`);

/** Movements of users' accounts: one for each side of a line that is such an account. */
export const MOVEMENTS: MarkedList = {
  marks: sql`ledger_marks`,
  archived: 'ledger_lines',
  table: sql`ledger_lines`,
  counts: sql`least(debit, credit) < 100`,
  weight: sql`((debit < 100)::int + (credit < 100)::int)`,
  within: (scope, from, end) => {
    const whose = scope === EVERYBODY ? sql`true` : sql`user_id = ${sql.lit(scope)}`;
    return sql`${whose} and id >= ${from} and ${below(end)}`;
  },
  order: () => sql`id`,
};

/** `rows` of the list have ids below `id`; `latest` is the time of the latest of them. */
export type Mark = { rows: number; id: bigint; latest: Date | null };
