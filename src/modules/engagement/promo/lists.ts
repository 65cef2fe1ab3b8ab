import { type RawBuilder, sql } from 'kysely';
import { countedPage, type EstimatedPage } from '../../../http/schemas.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import type { GrantRow } from './queries.ts';

/** The maximum for totals and page offsets, so that the cost of a list does not grow with the table. */
export const MAX_ROWS = 10_000;

/** Selects the rows of a table that match a filter. */
export type Matching = { table: RawBuilder<unknown>; where: RawBuilder<unknown> };
type Sorting<By> = { page: number; take: number; sortBy: By; sortOrder: 'asc' | 'desc' };
type Order<By> = Sorting<By> & { limit: number; offset: number };

export const every = (conditions: readonly (RawBuilder<unknown> | undefined)[]) =>
  sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `);
export const when = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>) =>
  value === undefined ? undefined : condition(value);

/** Returns the number of rows, counted up to `most`. */
export async function countUpTo(db: DbOrTx, { table, where }: Matching, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select 1 from ${table} where ${where} limit ${most}) counted`.execute(db);
  return rows[0]!.n;
}

/** Returns a page of matching rows with their total. */
export async function listPage<T, By>(
  db: Db,
  matching: Matching,
  query: Sorting<By>,
  read: (order: Order<By>) => Promise<T[]>,
): Promise<EstimatedPage<T>> {
  const most = unlessWhole(MAX_ROWS);
  const total = await countUpTo(db, matching, most);
  return countedPage(query, { total, most }, (offset) =>
    read({ ...query, offset, limit: Math.min(query.take, total - offset) }),
  );
}

/** Reads rows sorted by `by`, then by `tie`. Null values sort before all others. */
export async function readRows<Row>(
  db: DbOrTx,
  { table, where }: Matching,
  { by, tie, order }: { by: RawBuilder<unknown>; tie: RawBuilder<unknown>; order: Order<string> },
): Promise<Row[]> {
  const direction = order.sortOrder === 'desc' ? sql`desc nulls last` : sql`asc nulls first`;
  const { rows } = await sql<Row>`
    select * from ${table} where ${where} order by ${by} ${direction}, ${tie} ${direction}
    limit ${order.limit} offset ${order.offset}`.execute(db);
  return rows;
}

type GrantFilter = {
  userId?: number | undefined;
  promoId?: bigint | undefined;
  status?: string | undefined;
};

export const matchingGrants = ({ userId, promoId, status }: GrantFilter): Matching => ({
  table: sql`promo_grants`,
  where: every([
    when(userId, (id) => sql`user_id = ${id}`),
    when(promoId, (id) => sql`promo_id = ${id}`),
    when(status, (value) => sql`status = ${value}`),
  ]),
});

/** Ids increase with creation time, so `createdAt` sorts by id. */
const GRANT_ORDERS = {
  createdAt: sql`id`,
  expiresAt: sql`expires_at`,
  grantedAmount: sql`granted_amount`,
} as const;

export const readGrants = (db: DbOrTx, matching: Matching, order: Order<keyof typeof GRANT_ORDERS>) =>
  readRows<GrantRow>(db, matching, { by: GRANT_ORDERS[order.sortBy], tie: sql`id`, order });
