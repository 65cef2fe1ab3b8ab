import { type OrderByModifiers, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  countedPage,
  type EstimatedPage,
  estimatedPage,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import type { KycTiers } from '../../../platform/database/tables.ts';
import { countUpTo } from '../../../platform/list/page.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import { ShortPrivateUser, userErrors } from '../../base/users/schemas.ts';
import { SHORT_USER_COLUMNS, type Sight, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import { transactionTime } from '../gate/service.ts';
import { toPlayerTier } from './level.ts';
import { readTiers } from './queries.ts';
import { asOfNow, levelOf, type Status, type Tier } from './rules.ts';
import { KycAdminDetail, KycPath, KycTier, KycTierName, StaffStatus, UserId } from './schemas.ts';
import type { KycDeps } from './service.ts';
import { readDetail } from './view.ts';

const KycState = object('KycState', {
  level: z.number(),
  tiers: z.array(KycTier),
  requiredFor: z.array(z.string()),
});

export const getOwnKyc = operation({
  method: 'GET',
  path: '/kyc',
  tag: 'KYC',
  access: 'auth',
  summary: 'Get your verification status',
  response: KycState,
  handler: async ({ db, kyc }: KycDeps, { user: { id: userId } }) => {
    const now = await transactionTime(db);
    const tiers = await readTiers(db, userId);
    const level = levelOf(tiers, now);
    return {
      level,
      tiers: tiers.map((tier) => toPlayerTier(asOfNow(tier, now))),
      requiredFor: await kyc.requiredFor(userId, level),
    };
  },
});

export const getKyc = operation({
  method: 'GET',
  path: '/admin/kyc/{userId}',
  tag: 'KYC Admin',
  access: { permission: 'kyc.read' },
  summary: "Get a user's verification",
  description: 'Returns tiers, history, checks and risk signals.',
  params: KycPath,
  response: KycAdminDetail,
  errors: [userErrors.USER_NOT_FOUND],
  handler: ({ db, kyc }: KycDeps, { by, params }) => readDetail(db, kyc.persons, by, params.userId),
});

const KycAdminRow = object('KycAdminRow', {
  userId: z.number().int(),
  user: ShortPrivateUser,
  tier: KycTierName,
  status: StaffStatus,
  level: z.number(),
  provider: z.string().nullable(),
  submittedAt: Timestamp.nullable(),
  decidedAt: Timestamp.nullable(),
  updatedAt: Timestamp,
});

const KycQuery = z.strictObject({
  status: StaffStatus.optional(),
  tier: KycTierName.optional(),
  userId: UserId.optional(),
  search: z.string().min(1).max(50).optional(),
  sortBy: z.enum(['submittedAt', 'decidedAt', 'updatedAt']).default('updatedAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

type Query = z.output<typeof KycQuery>;
type Row = z.input<typeof KycAdminRow>;

/** The maximum number of users that a search for a short text finds, in the order of usernames. */
const MOST_USERS = 1000;

const COLUMNS = { submittedAt: 'submitted_at', decidedAt: 'decided_at', updatedAt: 'updated_at' } as const;

export const listKyc = operation({
  method: 'GET',
  path: '/admin/kyc',
  tag: 'KYC Admin',
  access: { permission: 'kyc.read' },
  summary: 'List identity verifications with filters and sorting',
  description:
    'Returns one row for each user and tier with activity. Only the first 10,000 rows are counted and can be read. The search ' +
    'matches ids and parts of usernames and email addresses. Without the permission `user.pii`, only complete email addresses ' +
    'match. A search without three consecutive letters or digits matches the first 1,000 users whose username starts with it. ' +
    'Rows without a time are sorted before all others.',
  query: KycQuery,
  response: estimatedPage(KycAdminRow),
  handler: ({ db }: KycDeps, { by, query }) => listTiers(db, query, sightOf(by.user)),
});

async function listTiers(db: Db, query: Query, sight: Sight): Promise<EstimatedPage<Row>> {
  const matching = matchingTiers(db, query, sight);
  return countedPage(
    query,
    (most) => countUpTo(db, matching.select('t.tier'), most),
    async ({ limit, offset }) => {
      const rows = await inOrder(matching, query).limit(limit).offset(offset).execute();
      return toRows(db, rows, sight);
    },
  );
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

async function toRows(db: Db, rows: readonly Selectable<KycTiers>[], sight: Sight): Promise<Row[]> {
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
  const term = searchFor(search ?? '');
  return db
    .selectFrom('kyc_tiers as t')
    .$if(userId !== undefined, (q) => q.where('t.user_id', '=', userId!))
    .$if(status !== undefined, (q) => q.where('t.status', '=', status!))
    .$if(tier !== undefined, (q) => q.where('t.tier', '=', tier!))
    .$if(term !== undefined, (q) =>
      q.where(sql<boolean>`t.user_id = any(array(${usersLike(term!, sight)}))`),
    );
}

/**
 * Finds users with KYC activity by id, username and email address, each through a separate index. A trigram index requires three
 * consecutive letters or digits, so a text without them matches only the start of usernames. Staff who see only masked email addresses
 * must enter a complete address.
 */
function usersLike({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const hasActivity = sql`exists (select from kyc_tiers k where k.user_id = u.id)`;
  const byId = sql`select ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return sql<number>`${byId} union select u.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${unlessWhole(MOST_USERS)}) u
      where ${hasActivity}`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<number>`${byId}
    union select u.id from users u where lower(u.username) like lower(${pattern}) and ${hasActivity}
    union select u.id from users u where ${email} and ${hasActivity}`;
}
