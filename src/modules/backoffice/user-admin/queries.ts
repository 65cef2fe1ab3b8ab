import { type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { z } from 'zod';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import { nextRows } from '../../../platform/database/snapshot.ts';
import type { DB, Users } from '../../../platform/database/tables.ts';
import { type Conditions, every, givenIn, plannedRows } from '../../../platform/list/conditions.ts';
import { userErrors } from '../../base/users/errors.ts';
import type { Search } from '../../base/users/rules.ts';
import type { SORTS, UserFilter } from './schemas.ts';

export type Filter = z.output<typeof UserFilter>;
export type SortBy = (typeof SORTS)[number];
type Row = Selectable<Users>;
type Sql = RawBuilder<unknown>;
/** An SQL condition. `about` is the name of the filtered field. */
export type Condition = { about: string; is: Sql };

const IMPLIED = 'implied';

/** The sort expressions of the indexes. Missing text is sorted as empty text, and a missing time before all other times. */
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

/** One condition for each field. Each must match the expression of its index. */
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
  /** True allows a search for part of an email address. Staff who see masked addresses must enter a complete one. */
  showsPii: boolean;
};

/** Returns the conditions of a request; empty for the full list. */
export function conditionsOf({ isBanned, role, where = {}, search, showsPii }: Wanted): Condition[] {
  const conditions: Condition[] = [];
  if (isBanned !== undefined)
    conditions.push({ about: 'isBanned', is: sql`banned_at is ${isBanned ? sql`not null` : sql`null`}` });
  // `roles <> '{}'` is repeated here because it is the condition of the partial index.
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
 * Returns an additional condition that follows from a filter. Users sign in after they sign up, so an upper bound on the last sign-in is
 * also an upper bound on the sign-up (one day is added for clock differences). This speeds up lists that are read in the order of sign-up.
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

/** Returns the number of users, which a trigger maintains. */
export async function countAll(db: DbOrTx): Promise<number> {
  const { rows } = await sql<{ users: bigint }>`select sum(users)::int8 as users from user_counts`.execute(
    db,
  );
  return Number(rows[0]!.users);
}

const matches = (conditions: readonly Condition[]) => sql`select 1 from users where ${all(conditions)}`;

/** Returns the planner's estimate of the number of matches. */
export const estimateMatches = (db: DbOrTx, conditions: readonly Condition[]): Promise<number> =>
  plannedRows(db, matches(conditions));

/** Returns the number of matches, but at most `most`. */
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

const orderOf = ({ sortBy, isDescending }: Pick<PageRequest, 'sortBy' | 'isDescending'>) => {
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

/** Returns the ids of a page. The planner decides how they are read. */
export const pageOfIds = (db: DbOrTx, request: PageRequest): Promise<number[]> =>
  idsFrom(db, sql`users where ${all(request.conditions)}`, request);

/** Returns the next ids of the whole list. Consecutive calls in a snapshot continue where the previous call ended. */
export async function nextIds(db: DbOrTx, request: Omit<PageRequest, 'offset'>): Promise<number[]> {
  const statement = sql`select id from users where ${all(request.conditions)} order by ${orderOf(request)}`;
  const rows = await nextRows<{ id: number }>(db, { key: nextIds, statement, take: request.take });
  return rows.map((row) => row.id);
}

/** Like `pageOfIds`, but finds all matches before it sorts them. */
export const pageOfSorted = (db: DbOrTx, request: PageRequest): Promise<number[]> =>
  idsFrom(db, sql`(select * from users where ${all(request.conditions)} offset 0) matching`, request);

/**
 * Returns the number of matches, but at most `most` + 1, and the ids of a page. The page is correct only if there are at most `most`
 * matches.
 */
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

/** For each sort key, the filters on the same field, which limit the index scan. */
const BOUNDS: Readonly<Partial<Record<SortBy, readonly string[]>>> = {
  createdAt: ['registeredFrom', 'registeredTo', IMPLIED],
  lastLoginAt: ['lastLoginFrom', 'lastLoginTo'],
  username: ['prefix'],
  vipLevel: ['minVipLevel', 'maxVipLevel'],
  kycLevel: ['kycLevel'],
};

/** Like `pageOfIds`, but searches only the first `most` users. The page is incomplete if too few of these users match. */
export async function pageOfFirst(db: DbOrTx, request: PageRequest & { most: number }): Promise<number[]> {
  const { conditions, sortBy, most, take, offset } = request;
  const isBound = ({ about }: Condition) => BOUNDS[sortBy]?.includes(about) ?? false;
  // The outer query has no `order by`, because with one it would read all `most` users first.
  const { rows } = await sql<{ id: number }>`
    select id from (
      select * from users where ${joined(conditions.filter(isBound))}
      order by ${orderOf(request)} limit ${sql.lit(most)}
    ) first where ${all(conditions.filter((c) => !isBound(c)))} limit ${take} offset ${offset}`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the users with these ids, in the order of the ids. */
export async function usersOf(db: DbOrTx, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)!);
}

/** Throws 409 AUTH_USER_EXISTS if another user has this username or a similar one. */
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
