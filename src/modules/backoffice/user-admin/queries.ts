import { type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { z } from 'zod';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import type { DB, Users } from '../../../platform/database/tables.ts';
import { type Conditions, every, givenIn } from '../../../platform/list/conditions.ts';
import { type OrderedList, orderOf, type Slice } from '../../../platform/list/ordered.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import type { Search } from '../../base/users/rules.ts';
import { userErrors } from '../../base/users/schemas.ts';
import type { SORTS, UserFilter } from './schemas.ts';

export type Filter = z.output<typeof UserFilter>;
export type SortBy = (typeof SORTS)[number];
type Row = Selectable<Users>;
type Sql = RawBuilder<unknown>;
/** An SQL condition. `about` is the name of the filtered field. */
export type Condition = { about: string; is: Sql };

const IMPLIED = 'implied';

/** The sort expressions of the indexes. Missing text is sorted like an empty string, and a missing time before all other times. */
const KEYS = {
  id: 'id',
  createdAt: 'created_at',
  lastLoginAt: 'last_login_at',
  username: sql`coalesce(lower(username), '') collate "C"`,
  email: sql`coalesce(lower(email), '') collate "C"`,
  vipLevel: 'vip_level',
  kycLevel: 'kyc_level',
} as const satisfies Record<SortBy, string | Sql>;

const flag = (column: string) => (value: boolean) =>
  value ? sql`${sql.ref(column)}` : sql`not ${sql.ref(column)}`;

/** The condition for each filter field. Each must match the expression of the field's index. */
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
  tag: (tag) => sql`id in (select user_id from user_tags where tag = ${tag})`,
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
  /** If true, part of an email address can be searched for. Staff who see masked addresses must enter a complete address. */
  showsPii: boolean;
};

/** Returns the conditions of a request. The result is empty for the full list. */
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
 * also an upper bound on the sign-up. One day is added, because clocks may differ. This speeds up lists that are read in the order of
 * sign-up.
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

/** For each sort key, the filters on the same field. They limit the range of the index that is scanned. */
const BOUNDS: Readonly<Partial<Record<SortBy, readonly string[]>>> = {
  createdAt: ['registeredFrom', 'registeredTo', IMPLIED],
  lastLoginAt: ['lastLoginFrom', 'lastLoginTo'],
  username: ['prefix'],
  vipLevel: ['minVipLevel', 'maxVipLevel'],
  kycLevel: ['kycLevel'],
};

/** The users that meet all conditions, in one of the sort orders, in the form that the list engine requires. */
export function userList(conditions: readonly Condition[], sortBy: SortBy): OrderedList {
  const isBound = ({ about }: Condition) => BOUNDS[sortBy]?.includes(about) ?? false;
  const [implied, given] = [
    conditions.filter(({ about }) => about === IMPLIED),
    conditions.filter(({ about }) => about !== IMPLIED),
  ];
  const sqlOf = (some: readonly Condition[]) => some.map(({ is }) => is);
  return {
    table: 'users',
    id: 'id',
    key: KEYS[sortBy],
    nulls: sortBy === 'lastLoginAt' ? 'first' : undefined,
    bounds: sqlOf(given.filter(isBound)),
    implied: sqlOf(implied.filter(isBound)),
    conditions: sqlOf(given.filter((condition) => !isBound(condition))),
  };
}

/** Returns the number of users, which is kept up to date by a trigger. */
export async function countAll(db: DbOrTx): Promise<number> {
  const { rows } = await sql<{ users: bigint }>`select sum(users)::int8 as users from user_counts`.execute(
    db,
  );
  return Number(rows[0]!.users);
}

const idsFrom = async (db: DbOrTx, from: Sql, list: OrderedList, slice: Slice): Promise<number[]> => {
  const { take, offset, isDescending } = slice;
  const { rows } = await sql<{ id: number }>`
    select id from ${from} order by ${orderOf(list, isDescending)} limit ${take} offset ${offset}`.execute(
    db,
  );
  return rows.map((row) => row.id);
};

const all = ({ bounds, conditions }: OrderedList) => every([...bounds, ...conditions]);

/** Returns the ids of a page. The planner decides how they are read. */
export const pageOfIds = (db: DbOrTx, list: OrderedList, slice: Slice): Promise<number[]> =>
  idsFrom(db, sql`users where ${all(list)}`, list, slice);

/** Like `pageOfIds`, but finds all matches before sorting them. */
export const pageOfSorted = (db: DbOrTx, list: OrderedList, slice: Slice): Promise<number[]> =>
  idsFrom(db, sql`(select * from users where ${all(list)} offset 0) matching`, list, slice);

/** Returns the users with these ids, in the order of the ids. */
export async function usersOf(db: DbOrTx, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  return inOrderOf(ids, rows, (row) => row.id);
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
