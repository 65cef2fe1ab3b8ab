import { type RawBuilder, sql } from 'kysely';
import { commonErrors } from '../errors.ts';
import { parseUnits, type Units } from '../money.ts';

/** Functions that return the SQL condition for each field of a filter. */
export type Conditions<F> = {
  [K in keyof Required<F>]: (value: NonNullable<F[K]>) => RawBuilder<unknown>;
};

/**
 * Ids from `from` (inclusive) to `below` (exclusive). `start` and `end` restrict the range further to rows written between two times,
 * inclusive.
 */
export type Range = {
  from: bigint;
  below: bigint | undefined;
  start?: Date | undefined;
  end?: Date | undefined;
};

export const WHOLE: Range = { from: 0n, below: undefined };

export const every = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join([sql`true`, ...conditions], sql` and `);

/** Returns the fields that are set. */
export const givenIn = <F extends object>(filter: F): (keyof F)[] =>
  (Object.keys(filter) as (keyof F)[]).filter((field) => filter[field] !== undefined);

/** Returns one condition for each field that is set. */
export const conditionsOf = <F extends object>(conditions: Conditions<F>, filter: F): RawBuilder<unknown>[] =>
  givenIn(filter).map((field) => conditions[field](filter[field]!));

/** Returns the filter without the fields that the list's source already guarantees. */
export const without = <F extends object>(filter: F, fields: readonly (keyof F)[]): F =>
  Object.fromEntries(Object.entries(filter).filter(([field]) => !fields.includes(field as keyof F))) as F;

/** Returns conditions for rows written between two times. `column`: the time at which a row was written. */
export const inTime = (
  { start, end }: Pick<Range, 'start' | 'end'>,
  column = sql`created_at`,
): RawBuilder<boolean>[] => [
  ...(start === undefined ? [] : [sql<boolean>`${column} >= ${start}`]),
  // Times are displayed in milliseconds but stored with higher precision.
  ...(end === undefined ? [] : [sql<boolean>`${column} < ${new Date(end.getTime() + 1)}`]),
];

/** Returns a condition for rows within a range. The ids are literals in the statement, because the planner uses them to choose a plan. */
export const inRange = (range: Range, first = range.from): RawBuilder<unknown> =>
  every([
    sql`id >= ${sql.lit(first)}`,
    ...(range.below === undefined ? [] : [sql`id < ${sql.lit(range.below)}`]),
    ...inTime(range),
  ]);

export const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** Parses an amount. Throws 400 AMOUNT_OUT_OF_RANGE if it has more decimals or digits than an amount can have. */
export function amountOf(text: string | undefined): Units | undefined {
  const amount = text === undefined ? undefined : parseUnits(text);
  if (text !== undefined && amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}
