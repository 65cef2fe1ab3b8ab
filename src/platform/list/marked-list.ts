import type { RawBuilder } from 'kysely';
import type { Db } from '../db.ts';

/** Rows between two marks. */
export const MARK_EVERY = 2000;
/** The scope of all users. */
export const EVERYBODY = 0;

/** `rows` of the list have ids below `id`; `latest` is the time of the latest of them. */
export type Mark = { rows: number; id: bigint; latest: Date | null };

/** A list whose rows never disappear, in the order of their ids, of everybody and of each user (its scopes), and where its marks are kept. */
export type MarkedList = {
  /** A table of marks: user_id (the scope), rows, id, latest. */
  marks: RawBuilder<unknown>;
  /** The partitioned table, as text and as it is read. */
  name: string;
  table: RawBuilder<unknown>;
  /** How many rows of a scope were archived: marks count them, lists do not. */
  archived: (scope: number) => RawBuilder<unknown>;
  /** Which rows count, and for how much. */
  counts: RawBuilder<unknown>;
  weight: RawBuilder<unknown>;
  /** Rows of a scope with ids from `from` on and below `below`, and the order that they are in by the index that leads to them. */
  within: (scope: number, from: bigint, below?: bigint) => RawBuilder<unknown>;
  order: (scope: number) => RawBuilder<unknown>;
  /** Answers the id below which nothing will be added any more. */
  watermark: (db: Db) => () => Promise<bigint>;
  /** The partition that an id belongs to, by its number. */
  partitionOf: (id: bigint) => number;
};
