import { type RawBuilder, sql } from 'kysely';
import { countedPage, type EstimatedPage } from '../../../http/schemas.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { type Conditions, conditionsOf, every } from '../../../platform/list/conditions.ts';
import { countUpTo } from '../../../platform/list/page.ts';
import type { GrantRow } from './queries.ts';

/** The rows of a table that match a filter. */
export type Matching = { table: RawBuilder<unknown>; where: RawBuilder<unknown> };
type Sorting<By> = { page: number; take: number; sortBy: By; sortOrder: 'asc' | 'desc' };
type Order<By> = Sorting<By> & { limit: number; offset: number };

/** Returns the number of rows. Stops counting at `most`. */
export const countMatching = (db: DbOrTx, { table, where }: Matching, most: number): Promise<number> =>
  countUpTo(db, sql`select 1 from ${table} where ${where}`, most);

/** Returns a page of matching rows with their total. */
export const listPage = <T, By>(
  db: Db,
  matching: Matching,
  query: Sorting<By>,
  read: (order: Order<By>) => Promise<T[]>,
): Promise<EstimatedPage<T>> =>
  countedPage(
    query,
    (most) => countMatching(db, matching, most),
    (slice) => read({ ...query, ...slice }),
  );

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

const GRANT_CONDITIONS: Conditions<GrantFilter> = {
  userId: (id) => sql`user_id = ${id}`,
  promoId: (id) => sql`promo_id = ${id}`,
  status: (status) => sql`status = ${status}`,
};

export const matchingGrants = (filter: GrantFilter): Matching => ({
  table: sql`promo_grants`,
  where: every(conditionsOf(GRANT_CONDITIONS, filter)),
});

/** Ids increase with creation time, so `createdAt` sorts by id. */
const GRANT_ORDERS = {
  createdAt: sql`id`,
  expiresAt: sql`expires_at`,
  grantedAmount: sql`granted_amount`,
} as const;

export const readGrants = (db: DbOrTx, matching: Matching, order: Order<keyof typeof GRANT_ORDERS>) =>
  readRows<GrantRow>(db, matching, { by: GRANT_ORDERS[order.sortBy], tie: sql`id`, order });
