import { type Expression, type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../database/db.ts';

/** Number of rows that can be read from the start of a list that is too long to be counted. */
export const REACH = 10_000;

export type PageRequest = { page: number; take: number; sortOrder: 'asc' | 'desc' };

/** `isExact` is false if the total is an estimate or was counted only up to a limit. */
export type Found<R> = { total: number; rows: R[]; isExact?: boolean };

/** Returns the row of each id, in the order of the ids. */
export function inOrderOf<I, R>(ids: readonly I[], rows: readonly R[], idOf: (row: R) => I): R[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.map((id) => byId.get(id)!);
}

/** Returns the number of rows of a statement, counted up to `most`. */
export async function countUpTo(db: DbOrTx, statement: Expression<unknown>, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (${statement} limit ${sql.lit(most)}) counted`.execute(db);
  return rows[0]!.n;
}

/** Returns the planner's estimate of a statement's row count. */
export async function plannedRows(db: DbOrTx, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) ${statement}`.execute(db);
  return Math.round(rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']);
}
