import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db.ts';
import { listErrors } from '../errors.ts';
import { every, plannedRows } from './conditions.ts';

type Sql = RawBuilder<unknown>;

/** How far into a list one can read. */
const REACH = 10_000;
/** So many matches are all read and sorted, and their total is exact. */
const FEW = 1_000;
/** So many are when the first rows of the order do not fill a page. */
const SORTED = 5_000;
/** Rows that are looked at in the order of the list to fill a page of a filter. */
const LOOKED = 20_000;

/** A table, and the order of a list of it: an index begins with the columns of `bounds`, then has `key` and `id`. */
export type Ordered = {
  table: string;
  /** The column that identifies a row, an integer. */
  id: string;
  key: string;
  isDescending: boolean;
  /** What the index of the order guarantees: rows that do not meet it are not read. */
  bounds: readonly Sql[];
  /** What else a row has to meet. Columns are named with their table. */
  conditions: readonly Sql[];
  /** How many rows meet all of it, where somebody has counted them. */
  known?: number | undefined;
};
type Request = { page: number; take: number };
export type FoundIds = { ids: number[]; total: number };

/**
 * Ids of a page of a list that may be read in several orders. Few matches are all read and sorted, by whichever index finds them; of
 * more the page is looked for among the first rows of the order. Totals of more than FEW matches are estimates unless `known`.
 * Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE.
 */
export async function pageOfIds(db: Db, list: Ordered, { page, take }: Request): Promise<FoundIds> {
  const offset = (page - 1) * take;
  const { known } = list;
  if (known !== undefined && offset >= known) return { ids: [], total: known };
  const estimate = known ?? (await plannedRows(db, matchesOf(list)));
  const request = { offset: Math.min(offset, REACH), take };
  const isPerhapsFew = known === undefined ? estimate <= 2 * FEW : known <= FEW;
  const few = isPerhapsFew ? await pageOfFew(db, list, request, FEW) : undefined;
  if (few && few.total <= FEW) return few;
  if (offset >= REACH) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  const first = await pageOfFirst(db, list, request);
  const total = known ?? Math.max(estimate, FEW + 1, offset + first.length);
  if (first.length === take) return { ids: first, total };
  return lastPage(db, list, { ids: first, request });
}

const matchesOf = ({ table, bounds, conditions }: Ordered) =>
  sql`select 1 from ${sql.table(table)} where ${every([...bounds, ...conditions])}`;

const orderOf = ({ key, id, isDescending }: Ordered) => {
  const way = isDescending ? sql`desc` : sql`asc`;
  return sql`${sql.ref(key)} ${way}, ${sql.ref(id)} ${way}`;
};

type Slice = { offset: number; take: number };

/** The page of all matches when there are at most `most` of them; else a total of one more. */
async function pageOfFew(db: Db, list: Ordered, { offset, take }: Slice, most: number): Promise<FoundIds> {
  const { table, key, id, bounds, conditions, isDescending } = list;
  const way = isDescending ? sql`desc` : sql`asc`;
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with few as materialized (
      select ${sql.ref(id)} as id, ${sql.ref(key)} as key from ${sql.table(table)} where ${every([...bounds, ...conditions])}
      limit ${sql.lit(most + 1)}
    )
    select (select count(*)::int from few) as total,
      array(select id from few order by key ${way}, id ${way} limit ${take} offset ${offset}) as ids`.execute(
    db,
  );
  return rows[0]!;
}

/** The first rows of the order, under the name of their table. */
const firstOf = (list: Ordered) => sql`(
  select * from ${sql.table(list.table)} where ${every(list.bounds)} order by ${orderOf(list)} limit ${sql.lit(LOOKED)}
) ${sql.table(list.table)}`;

async function pageOfFirst(db: Db, list: Ordered, { offset, take }: Slice): Promise<number[]> {
  // No order outside: sorting again would read all of the first rows.
  const { rows } = await sql<{ id: number }>`
    select ${sql.ref(list.id)} as id from ${firstOf(list)} where ${every(list.conditions)} limit ${take} offset ${offset}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** A page that is not full is the last one if all rows were looked at. */
async function lastPage(
  db: Db,
  list: Ordered,
  { ids, request }: { ids: number[]; request: Slice },
): Promise<FoundIds> {
  const few = await pageOfFew(db, list, request, SORTED);
  if (few.total <= SORTED) return few;
  const { rows } = await sql<{ looked: number; found: number }>`
    select count(*)::int as looked, (count(*) filter (where ${every(list.conditions)}))::int as found from ${firstOf(list)}`.execute(
    db,
  );
  const { looked, found } = rows[0]!;
  if (looked === LOOKED) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { ids, total: found };
}
