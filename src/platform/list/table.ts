import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../db.ts';
import { type Conditions, conditionsOf, every, givenIn, WHOLE, without } from './conditions.ts';
import { createEngine, type Found, type PageRequest } from './engine.ts';
import { LOOKED } from './matching.ts';
import type { ListTable } from './page.ts';

/** Rows with one value in an indexed column; undefined: all rows. */
type Source = { column: RawBuilder<unknown>; value: unknown } | undefined;

type Description<F, Row, Answer> = {
  db: DbOrTx;
  table: string;
  /** Columns that an answer is made of. */
  columns: readonly string[];
  conditions: Conditions<F>;
  /** Columns with an index on (column, id), the most selective first: rows are read by the first one that is given. */
  indexed: Partial<Record<keyof F, string>>;
  toAnswer: (row: Row) => Answer;
  /** Rows that are looked at to fill a page. */
  looked?: number;
};

const LAST_ID = 2n ** 63n - 1n;

/**
 * Pages of a table with an ascending `id`, newest or oldest first, by any filter. Totals are exact up to 500, beyond that an estimate
 * above 500 of which 10,000 rows can be read. Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE.
 *
 * @example
 * const listTips = createTableList<{ senderId?: number; minAmount?: Units }, TipRow, Tip>({
 *   db,
 *   table: 'tips',
 *   columns: ['id', 'sender_id', 'amount', 'created_at'],
 *   conditions: {
 *     senderId: (id) => sql`sender_id = ${id}`,
 *     minAmount: (amount) => sql`amount >= ${amount}`,
 *   },
 *   indexed: { senderId: 'sender_id' }, // create index on tips (sender_id, id)
 *   toAnswer: (row) => ({ id: String(row.id), amount: formatUnits(row.amount) }),
 * });
 * const { total, rows } = await listTips({ page: 1, take: 20, sortOrder: 'desc' }, { senderId: 7 });
 */
export function createTableList<F extends object, Row, Answer>(description: Description<F, Row, Answer>) {
  const { db, conditions, indexed, looked = LOOKED } = description;
  const engine = createEngine({ db, table: tableOf(description), looked });
  return (request: PageRequest, where: F): Promise<Found<Answer>> => {
    const given = givenIn(where);
    const field = (Object.keys(indexed) as (keyof F)[]).find((name) => given.includes(name));
    if (field === undefined)
      return engine.matching(request, { source: undefined, range: WHOLE, filter: where });
    const source = { column: sql.ref(indexed[field]!), value: where[field] };
    return engine.matching(request, { source, range: WHOLE, filter: without(where, [field]) });
  };

  function tableOf({
    table,
    columns,
    toAnswer,
  }: Description<F, Row, Answer>): ListTable<Source, F, Answer, Row> {
    const all = sql.table(table);
    const named = sql.join(columns.map((column) => sql.ref(column)));
    return {
      rowsOf({ source, isDescending, rows }) {
        const way = isDescending ? sql`desc` : sql`asc`;
        const order = source ? sql`${source.column} ${way}, id ${way}` : sql`id ${way}`;
        const limit = rows === undefined ? sql`` : sql`limit ${sql.lit(rows)}`;
        return sql`select * from ${all} where ${within(source)} order by ${order} ${limit}`;
      },
      matches: (filter) => sql`select id from lines where ${every(conditionsOf(conditions, filter))}`,
      columns: sql`shown.*`,
      joins: sql`left join lateral (select ${named} from ${all} where id = page.id) shown on true`,
      toRow: toAnswer,
      planned: ({ source, filter }) =>
        sql`select 1 from ${all} where ${within(source)} and ${every(conditionsOf(conditions, filter))}`,
      sizeOf: () => ({ of: 'unknown' }),
    };
  }
}

/** Bounds by pairs: with `column = value` the planner may walk the primary key, through everybody's rows. */
const within = (source: Source): RawBuilder<unknown> =>
  source
    ? sql`(${source.column}, id) >= (${source.value}, 0) and (${source.column}, id) <= (${source.value}, ${sql.lit(LAST_ID)})`
    : sql`true`;
