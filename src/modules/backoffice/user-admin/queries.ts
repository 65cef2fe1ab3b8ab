import { type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { z } from 'zod';
import type { DB, Users } from '../../../platform/database.ts';
import { violatedConstraint } from '../../../platform/database-errors.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { type Conditions, every, givenIn, plannedRows } from '../../../platform/list/conditions.ts';
import { userErrors } from '../../base/users/errors.ts';
import type { Search } from '../../base/users/rules.ts';
import type { SORTS, UserFilter } from './schemas.ts';

export type Filter = z.output<typeof UserFilter>;
export type SortBy = (typeof SORTS)[number];
type Row = Selectable<Users>;
type Sql = RawBuilder<unknown>;
/** `about` is the field that it looks at. */
export type Condition = { about: string; is: Sql };

const IMPLIED = 'implied';

/** The expressions that indexes are sorted by. A missing value sorts as it is shown: as an empty text, or before all times. */
const KEYS: Readonly<Record<SortBy, Sql | undefined>> = {
  id: undefined,
  createdAt: sql`created_at`,
  lastLoginAt: sql`last_login_at`,
  username: sql`coalesce(lower(username), '') collate "C"`,
  email: sql`coalesce(lower(email), '') collate "C"`,
  vipLevel: sql`vip_level`,
  kycLevel: sql`kyc_level`,
};

const flag = (column: string) => (value: boolean) =>
  value ? sql`${sql.ref(column)}` : sql`not ${sql.ref(column)}`;

/** One condition for each field, written like the expression of its index. */
const CONDITIONS: Conditions<Filter> = {
  id: (id) => sql`id = ${id}`,
  username: (name) => sql`lower(username) = lower(${name})`,
  email: (email) => sql`lower(email) = lower(${email})`,
  country: (code) => sql`country_code = ${code}`,
  ipAddress: (ip) => sql`id in (select user_id from sessions where ip_address = ${ip}
    union select user_id from registration_info where ip_address = ${ip})`,
  minVipLevel: (level) => sql`vip_level >= ${level}`,
  maxVipLevel: (level) => sql`vip_level <= ${level}`,
  kycLevel: (level) => sql`kyc_level = ${level}`,
  emailVerified: flag('email_verified'),
  mfaEnabled: flag('is_mfa_enabled'),
  isStaff: flag('is_staff'),
  isTest: flag('is_test'),
  isBot: flag('is_bot'),
  isStreamer: flag('is_streamer'),
  isYoutuber: flag('is_youtuber'),
  isPrivate: flag('is_private'),
  isSelfExcluded: (value) =>
    value
      ? sql`self_excluded_until > now()`
      : sql`(self_excluded_until is null or self_excluded_until <= now())`,
  affiliateCode: (code) => sql`affiliate_code = ${code}`,
  registeredFrom: (at) => sql`created_at >= ${new Date(at)}`,
  registeredTo: (at) => sql`created_at <= ${new Date(at)}`,
  lastLoginFrom: (at) => sql`last_login_at >= ${new Date(at)}`,
  lastLoginTo: (at) => sql`last_login_at <= ${new Date(at)}`,
};

export type Wanted = {
  isBanned?: boolean | undefined;
  role?: string | undefined;
  where?: Filter | undefined;
  search?: Search | undefined;
  /** Whether parts of e-mail addresses may be searched for: staff who see them masked have to know a whole one. */
  showsPii: boolean;
};

/** The conditions that a user has to meet; none for everybody. */
export function conditionsOf({ isBanned, role, where = {}, search, showsPii }: Wanted): Condition[] {
  const conditions: Condition[] = [];
  if (isBanned !== undefined)
    conditions.push({ about: 'isBanned', is: sql`banned_at is ${isBanned ? sql`not null` : sql`null`}` });
  // The second half is the condition of the partial index.
  if (role !== undefined)
    conditions.push({ about: 'role', is: sql`roles @> array[${role}]::text[] and roles <> '{}'` });
  if (search) conditions.push(searchCondition(search, showsPii));
  for (const field of givenIn(where))
    conditions.push({ about: field, is: (CONDITIONS[field] as (value: unknown) => Sql)(where[field]) });
  if (where.lastLoginTo !== undefined) conditions.push(impliedBy(where.lastLoginTo));
  return conditions;
}

const DAY_MS = 86_400_000;

/**
 * Nobody signs in before they sign up (give or take the difference of two clocks), so users last seen before a time are not among the
 * newest. Follows from the filter, and helps only where users are read in the order of their sign-up.
 */
const impliedBy = (lastLoginTo: string): Condition => ({
  about: IMPLIED,
  is: sql`created_at <= ${new Date(Date.parse(lastLoginTo) + DAY_MS)}`,
});

function searchCondition({ pattern, isPrefix, id, text }: Search, showsPii: boolean): Condition {
  const places = isPrefix
    ? [sql`${KEYS.username} like lower(${pattern})`]
    : [
        sql`lower(username) like lower(${pattern})`,
        showsPii ? sql`lower(email) like lower(${pattern})` : sql`lower(email) = lower(${text})`,
      ];
  const either = [...places, ...(id === undefined ? [] : [sql`id = ${id}`])];
  const about = isPrefix && id === undefined ? 'prefix' : 'search';
  return { about, is: sql`(${sql.join(either, sql` or `)})` };
}

const joined = (conditions: readonly Condition[]) => every(conditions.map(({ is }) => is));

const all = (conditions: readonly Condition[]) => joined(conditions.filter(({ about }) => about !== IMPLIED));

/** How many users there are: a trigger maintains the count. */
export async function countAll(db: DbOrTx): Promise<number> {
  const { rows } = await sql<{ users: bigint }>`select sum(users)::int8 as users from user_counts`.execute(
    db,
  );
  return Number(rows[0]!.users);
}

const matches = (conditions: readonly Condition[]) => sql`select 1 from users where ${all(conditions)}`;

/** How many users the planner expects to match. */
export const estimateMatches = (db: DbOrTx, conditions: readonly Condition[]): Promise<number> =>
  plannedRows(db, matches(conditions));

/** How many users match, `most` at most. */
export async function countMatches(
  db: DbOrTx,
  conditions: readonly Condition[],
  most: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (${matches(conditions)} limit ${sql.lit(most)}) found`.execute(db);
  return rows[0]!.n;
}

export type PageRequest = {
  conditions: readonly Condition[];
  sortBy: SortBy;
  isDescending: boolean;
  offset: number;
  take: number;
};

const orderOf = ({ sortBy, isDescending }: PageRequest) => {
  const way = isDescending ? sql`desc` : sql`asc`;
  const nulls = isDescending ? sql`desc nulls last` : sql`asc nulls first`;
  const key = KEYS[sortBy];
  if (!key) return sql`id ${way}`;
  return sql`${key} ${sortBy === 'lastLoginAt' ? nulls : way}, id ${way}`;
};

const idsFrom = async (db: DbOrTx, from: Sql, request: PageRequest): Promise<number[]> => {
  const { take, offset } = request;
  const { rows } = await sql<{ id: number }>`
    select id from ${from} order by ${orderOf(request)} limit ${take} offset ${offset}`.execute(db);
  return rows.map((row) => row.id);
};

/** Ids of a page in an order, read as the database sees fit. */
export const pageOfIds = (db: DbOrTx, request: PageRequest): Promise<number[]> =>
  idsFrom(db, sql`users where ${all(request.conditions)}`, request);

/** The same, all matches being found before any of them is sorted. */
export const pageOfSorted = (db: DbOrTx, request: PageRequest): Promise<number[]> =>
  idsFrom(db, sql`(select * from users where ${all(request.conditions)} offset 0) matching`, request);

/** How many users match, `most` + 1 at most, and ids of a page of them: a page of all matches unless there are more than `most`. */
export async function pageOfFew(
  db: DbOrTx,
  request: PageRequest & { most: number },
): Promise<{ found: number; ids: number[] }> {
  const { conditions, most, take, offset } = request;
  const { rows } = await sql<{ found: number; ids: number[] }>`
    with few as materialized (
      select id, username, email, created_at, last_login_at, vip_level, kyc_level
      from users where ${all(conditions)} limit ${sql.lit(most + 1)}
    )
    select (select count(*)::int from few) as found,
      array(select id from few order by ${orderOf(request)} limit ${take} offset ${offset}) as ids`.execute(
    db,
  );
  return rows[0]!;
}

/** Filters on the key of an order itself: they are applied before rows are read. */
const BOUNDS: Readonly<Partial<Record<SortBy, readonly string[]>>> = {
  createdAt: ['registeredFrom', 'registeredTo', IMPLIED],
  lastLoginAt: ['lastLoginFrom', 'lastLoginTo'],
  username: ['prefix'],
  vipLevel: ['minVipLevel', 'maxVipLevel'],
  kycLevel: ['kycLevel'],
};

/** The same among the first `most` users in the order only: an incomplete page when too few of them match. */
export async function pageOfFirst(db: DbOrTx, request: PageRequest & { most: number }): Promise<number[]> {
  const { conditions, sortBy, most, take, offset } = request;
  const isBound = ({ about }: Condition) => BOUNDS[sortBy]?.includes(about) ?? false;
  // No order outside: sorting again would read all of `most` first.
  const { rows } = await sql<{ id: number }>`
    select id from (
      select * from users where ${joined(conditions.filter(isBound))}
      order by ${orderOf(request)} limit ${sql.lit(most)}
    ) first where ${all(conditions.filter((c) => !isBound(c)))} limit ${take} offset ${offset}`.execute(db);
  return rows.map((row) => row.id);
}

/** The rows of these users, in the order of the ids. */
export async function usersOf(db: DbOrTx, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)!);
}

/** Throws 409 AUTH_USER_EXISTS when the username is somebody else's, or looks like it. */
export async function updateUser(tx: Tx, id: number, values: UpdateObject<DB, 'users'>): Promise<Row> {
  try {
    return await tx
      .updateTable('users')
      .set({ ...values, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('users_username')) throw userErrors.AUTH_USER_EXISTS();
    throw error;
  }
}
