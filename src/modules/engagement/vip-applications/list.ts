import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import type { Sight } from '../../base/users/service.ts';
import type { ApplicationRow } from './queries.ts';
import type { ApplicationQuery } from './schemas.ts';

type Query = z.output<typeof ApplicationQuery>;

/** Rows are counted and paged up to here: what a list costs must not grow with the years. */
const COUNTED = 10_000;
/** A short search reads the applications of so many users: the first ones by name. */
const MOST_USERS = 1000;

const COLUMNS = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  totalWageredUsd: 'total_wagered_usd',
} as const;

export async function countApplications(db: Db, query: Query, sight: Sight): Promise<number> {
  const { total } = await db
    .selectFrom(matching(db, query, sight).select('a.id').limit(COUNTED).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function listApplications(
  db: Db,
  query: Query,
  { sight, offset, limit }: { sight: Sight; offset: number; limit: number },
): Promise<ApplicationRow[]> {
  const rows = await matching(db, query, sight)
    .selectAll('a')
    .orderBy(`a.${COLUMNS[query.sortBy]}`, query.sortOrder)
    .orderBy('a.id', query.sortOrder)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as ApplicationRow[];
}

function matching(db: Db, { status, assigneeId, search }: Query, sight: Sight) {
  const wanted = searchFor(search ?? '');
  return db
    .selectFrom('vip_applications as a')
    .$if(status !== undefined, (q) => q.where('a.status', '=', status!))
    .$if(assigneeId !== undefined, (q) => q.where('a.assignee_id', '=', assigneeId!))
    .$if(wanted !== undefined, (q) => q.where(sql<boolean>`a.id = any(array(${found(wanted!, sight)}))`));
}

/**
 * One look-up through its own index for each thing that is searched. Trigram indexes only know texts with three letters or digits in a
 * row; shorter ones are searched at the beginning of usernames only. Staff who see e-mail addresses masked have to know a whole one.
 */
function found({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const ofUser = sql`select id from vip_applications where user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return sql<string>`${ofUser} union select v.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${MOST_USERS}) u
      cross join lateral (select id from vip_applications where user_id = u.id offset 0) v`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<string>`${ofUser}
    union select id from vip_applications where lower(platform_username) like lower(${pattern})
    union select v.id from vip_applications v join users u on u.id = v.user_id where lower(u.username) like lower(${pattern})
    union select v.id from vip_applications v join users u on u.id = v.user_id where ${email}`;
}
