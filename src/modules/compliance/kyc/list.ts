import { type OrderByModifiers, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { KycTiers } from '../../../platform/database.ts';
import type { Db } from '../../../platform/db.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import { SHORT_USER_COLUMNS, type Sight, toShortPrivateUser } from '../../base/users/service.ts';
import type { Status, Tier } from './rules.ts';
import type { KycAdminRow, KycQuery } from './schemas.ts';

type Query = z.output<typeof KycQuery>;
type Row = z.input<typeof KycAdminRow>;

/** As far as rows are counted and paged: what a list costs must not grow with the years. */
const COUNTED = 10_000;
/** Users that a short search looks for: the first ones by name. */
const MOST_USERS = 1000;

const COLUMNS = { submittedAt: 'submitted_at', decidedAt: 'decided_at', updatedAt: 'updated_at' } as const;

/** Tiers in which something has happened, by filter and in order; what has no time sorts before everything. */
export async function listTiers(db: Db, query: Query, sight: Sight): Promise<Page<Row>> {
  const matching = matchingTiers(db, query, sight);
  const { total } = await db
    .selectFrom(matching.select('t.tier').limit(COUNTED).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const limit = Math.min(query.take, total - offset);
    const rows = await inOrder(matching, query).limit(limit).offset(offset).execute();
    return withPeople(db, rows, sight);
  });
}

function inOrder(matching: ReturnType<typeof matchingTiers>, { sortBy, sortOrder }: Query) {
  const nullable: OrderByModifiers = (order) =>
    sortOrder === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast();
  return matching
    .selectAll('t')
    .orderBy(`t.${COLUMNS[sortBy]}`, sortBy === 'updatedAt' ? sortOrder : nullable)
    .orderBy('t.user_id', sortOrder)
    .orderBy('t.tier', sortOrder);
}

async function withPeople(db: Db, rows: readonly Selectable<KycTiers>[], sight: Sight): Promise<Row[]> {
  const people = await db
    .selectFrom('users')
    .select([...SHORT_USER_COLUMNS, 'users.kyc_level'])
    .where('id', 'in', rows.map((row) => row.user_id).concat(0))
    .execute();
  const byId = new Map(people.map((person) => [person.id, person]));
  return rows.map((row) => {
    const person = byId.get(row.user_id)!;
    return {
      userId: row.user_id,
      user: toShortPrivateUser(person, sight),
      tier: row.tier as Tier,
      status: row.status as Status,
      level: person.kyc_level,
      provider: row.provider,
      submittedAt: row.submitted_at && iso(row.submitted_at),
      decidedAt: row.decided_at && iso(row.decided_at),
      updatedAt: iso(row.updated_at),
    };
  });
}

function matchingTiers(db: Db, { userId, status, tier, search }: Query, sight: Sight) {
  const wanted = searchFor(search ?? '');
  return db
    .selectFrom('kyc_tiers as t')
    .$if(userId !== undefined, (q) => q.where('t.user_id', '=', userId!))
    .$if(status !== undefined, (q) => q.where('t.status', '=', status!))
    .$if(tier !== undefined, (q) => q.where('t.tier', '=', tier!))
    .$if(wanted !== undefined, (q) =>
      q.where(sql<boolean>`t.user_id = any(array(${usersLike(wanted!, sight)}))`),
    );
}

/**
 * Users who have begun: by id, by name and by e-mail address, each through its own index. No trigram index knows texts without three
 * letters or digits in a row: those are looked for at the beginning of usernames only. Who sees addresses masked has to know a
 * whole one.
 */
function usersLike({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const hasBegun = sql`exists (select from kyc_tiers k where k.user_id = u.id)`;
  const byId = sql`select ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return sql<number>`${byId} union select u.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${MOST_USERS}) u
      where ${hasBegun}`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<number>`${byId}
    union select u.id from users u where lower(u.username) like lower(${pattern}) and ${hasBegun}
    union select u.id from users u where ${email} and ${hasBegun}`;
}
