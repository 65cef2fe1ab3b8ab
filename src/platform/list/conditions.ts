import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../db.ts';
import { commonErrors } from '../errors.ts';
import { parseUnits, type Units } from '../money.ts';

/** What each field of a filter asks of a row. */
export type Conditions<F> = {
  [K in keyof Required<F>]: (value: NonNullable<F[K]>) => RawBuilder<unknown>;
};

/** Ids from `from` on and below `below`, and of these what was written between two times, bounds included. */
export type Range = {
  from: bigint;
  below: bigint | undefined;
  start?: Date | undefined;
  end?: Date | undefined;
};

export const WHOLE: Range = { from: 0n, below: undefined };

export const every = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join([sql`true`, ...conditions], sql` and `);

/** The fields that are given. */
export const givenIn = <F extends object>(filter: F): (keyof F)[] =>
  (Object.keys(filter) as (keyof F)[]).filter((field) => filter[field] !== undefined);

/** One condition for each field that is given. */
export const conditionsOf = <F extends object>(conditions: Conditions<F>, filter: F): RawBuilder<unknown>[] =>
  givenIn(filter).map((field) => conditions[field](filter[field]!));

/** A filter without the fields that its source already guarantees. */
export const without = <F extends object>(filter: F, fields: readonly (keyof F)[]): F =>
  Object.fromEntries(Object.entries(filter).filter(([field]) => !fields.includes(field as keyof F))) as F;

/** Rows written between two times. */
export const inTime = ({ start, end }: Range): RawBuilder<unknown>[] => [
  ...(start === undefined ? [] : [sql`created_at >= ${start}`]),
  // Times are shown in milliseconds, and kept finer.
  ...(end === undefined ? [] : [sql`created_at < ${new Date(end.getTime() + 1)}`]),
];

/** Rows within a range. Ids stand in the text of the statement: the planner chooses by these bounds. */
export const inRange = (range: Range, first = range.from): RawBuilder<unknown> =>
  every([
    sql`id >= ${sql.lit(first)}`,
    ...(range.below === undefined ? [] : [sql`id < ${sql.lit(range.below)}`]),
    ...inTime(range),
  ]);

export const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** Throws 400 AMOUNT_OUT_OF_RANGE for more decimals or digits than an amount has. */
export function amountOf(text: string | undefined): Units | undefined {
  const amount = text === undefined ? undefined : parseUnits(text);
  if (text !== undefined && amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}

/** How many rows the planner expects a statement to answer. */
export async function plannedRows(db: DbOrTx, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) ${statement}`.execute(db);
  return Math.round(rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']);
}
