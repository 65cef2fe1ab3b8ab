import type { RawBuilder } from 'kysely';
import type { Db } from '../database/db.ts';

/** Number of rows between two marks. */
export const MARK_EVERY = 2000;
/** The scope that covers all users. */
export const EVERYBODY = 0;

/** A mark: `rows` rows of the list have ids below `id`. `latest` is the newest time of these rows. */
export type Mark = { rows: number; id: bigint; latest: Date | null };

/** A list in id order whose rows never disappear, and the table of its marks. It has one scope for all users and one for each user. */
export type MarkedList = {
  /** The table of marks: user_id (the scope), rows, id, latest. */
  marks: RawBuilder<unknown>;
  /** The partitioned table, as text and as SQL. */
  name: string;
  table: RawBuilder<unknown>;
  /** Number of archived rows of a scope. Marks count these rows, but lists do not. */
  archived: (scope: number) => RawBuilder<unknown>;
  /** The condition of the rows that are counted, and the weight of each row. */
  counts: RawBuilder<unknown>;
  weight: RawBuilder<unknown>;
  /** Rows of a scope with ids from `from` up to but excluding `below`, and their order in the index that finds them. */
  within: (scope: number, from: bigint, below?: bigint) => RawBuilder<unknown>;
  order: (scope: number) => RawBuilder<unknown>;
  /** Returns the safe watermark: no row will be added below this id. */
  watermark: (db: Db) => () => Promise<bigint>;
  /** Returns the number of the partition that an id belongs to. */
  partitionOf: (id: bigint) => number;
};
