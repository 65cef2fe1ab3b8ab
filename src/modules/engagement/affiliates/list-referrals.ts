import { type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, estimated, estimatedPage, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Referrals } from '../../../platform/database/tables.ts';
import { listErrors } from '../../../platform/errors.ts';
import { dateOf, every, inTime } from '../../../platform/list/conditions.ts';
import { readList } from '../../../platform/list/list.ts';
import type { OrderedList } from '../../../platform/list/ordered.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';
import { type Sight, shortUsers, sightOf, toShortPublicUser, usersById } from '../../base/users/service.ts';
import { type AffiliateDeps, matches, type Order, type ReadDeps, SORT_COLUMNS } from './accounts.ts';
import { firstActiveDay, keyOf } from './rules.ts';
import { ReferralFilter, referralFields, sorting, staffSorting } from './schemas.ts';
import { formatUsd } from './view.ts';

const AffiliateUserRow = object('AffiliateUserRow', {
  ...referralFields,
  user: ShortPublicUser,
  isActive: z.boolean(),
});

export const listOwnReferrals = operation({
  method: 'GET',
  path: '/affiliate/users',
  tag: 'Affiliate',
  access: 'auth',
  isHistory: true,
  summary: 'List your referrals',
  description: 'Only the first 10,000 rows can be read, in any sort order.',
  query: z.strictObject(sorting),
  response: estimatedPage(AffiliateUserRow),
  handler: async (deps: AffiliateDeps, { user: { id: userId }, query }) => {
    const { rows, found } = await readReferrals(deps, { affiliateUserId: userId }, query);
    const isActive = activeReferrals(deps);
    const userIds = rows.map((row) => row.user_id);
    const users = await usersById(deps.db, userIds);
    const referrals = rows.map((row) => ({
      ...toReferral(row),
      user: toShortPublicUser(users.get(row.user_id)!, userId),
      isActive: isActive(row),
    }));
    return estimated(referrals, query, found);
  },
});

const FilteredList = z.strictObject({ ...staffSorting, where: ReferralFilter });
const List = z.strictObject({ ...staffSorting, where: ReferralFilter.optional() });
type List = z.output<typeof List>;

const staffFields = {
  ...referralFields,
  userId: UserId,
  user: ShortPrivateUser,
};

const AdminAffiliateUserRow = object('AdminAffiliateUserRow', {
  ...staffFields,
  affiliateUserId: UserId,
  affiliateUser: ShortPrivateUser.optional().meta({ description: 'The affiliate who earns the commission.' }),
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  isActive: z.boolean(),
  lastBetAt: Timestamp.nullable(),
});

const StreamerReferralRow = object('StreamerReferralRow', {
  ...staffFields,
  streamerUserId: UserId,
  streamerUser: ShortPrivateUser.optional().meta({ description: 'The streamer who earns the commission.' }),
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  ggrUsdAmount: Decimal,
  lastBetAt: Timestamp.nullable(),
});

const listing = {
  method: 'POST',
  access: { permission: 'affiliate.read' },
  gate: 'none',
  status: 200,
  description:
    'Only the first 10,000 rows can be read, in any sort order. `total` is exact for all referrals of one affiliate. Otherwise it ' +
    'is exact up to 1,000 and an estimate above it.',
  errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE],
} as const;

export const listReferrals = operation({
  ...listing,
  path: '/admin/affiliate/users',
  tag: 'Admin Affiliate',
  summary: 'List referrals with filters and sorting',
  body: FilteredList,
  response: estimatedPage(AdminAffiliateUserRow),
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { rows, found } = await readRows(deps, body, { sight: sightOf(by.user) });
    const isActive = activeReferrals(deps);
    const referrals = rows.map(({ row, owner, shared }) => ({
      ...shared,
      affiliateUserId: row.affiliate_user_id,
      affiliateUser: owner,
      isActive: isActive(row),
    }));
    return estimated(referrals, body, found);
  },
});

/** In the backoffice, the filter is optional and the response status is 201. */
export const listReferralsInBackoffice = { ...listReferrals, body: List, status: 201 as const };

export const listStreamerReferrals = operation({
  ...listing,
  path: '/admin/affiliate/streamer/referrals',
  tag: 'Admin Affiliate Streamer',
  summary: "List streamers' referrals with filters and sorting",
  body: List,
  response: estimatedPage(StreamerReferralRow),
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { rows, found } = await readRows(deps, body, { sight: sightOf(by.user), ofStreamers: true });
    const referrals = rows.map(({ row, owner, shared }) => ({
      ...shared,
      streamerUserId: row.affiliate_user_id,
      streamerUser: owner,
      ggrUsdAmount: formatUsd(row.ggr_usd),
    }));
    return estimated(referrals, body, found);
  },
});

/** Returns a page of referrals. Each has its user and `owner`, the affiliate or streamer, as staff see them. */
async function readRows(
  deps: AffiliateDeps,
  { where = {}, ...request }: List,
  { sight, ofStreamers = false }: { sight: Sight; ofStreamers?: boolean },
) {
  const { rows, found } = await readReferrals(deps, where, { ...request, ofStreamers });
  const userIds = rows.flatMap((row) => [row.user_id, row.affiliate_user_id]);
  const users = await shortUsers(deps.db, userIds, sight);
  return {
    found,
    rows: rows.map((row) => ({
      row,
      owner: users.get(row.affiliate_user_id),
      shared: {
        ...toReferral(row),
        userId: row.user_id,
        user: users.get(row.user_id)!,
        depositedUsdAmount: formatUsd(row.deposited_usd),
        withdrawnUsdAmount: formatUsd(row.withdrawn_usd),
        lastBetAt: row.last_bet_at && iso(row.last_bet_at),
      },
    })),
  };
}

type Sql = RawBuilder<unknown>;

type Row = Selectable<Referrals> & { code: string | null };

const OF_STREAMERS = sql`referrals.affiliate_user_id in (select id from users where is_streamer)`;

/** Reads a page of referrals and the totals through the list engine. */
async function readReferrals(
  deps: ReadDeps,
  where: ReferralFilter,
  { ofStreamers = false, ...request }: Order & { page: number; take: number; ofStreamers?: boolean },
) {
  const { db } = deps;
  const since = activeSince(deps);
  const list = referralList(where, request.sortBy, since);
  const known = await knownTotal(db, where, { ofStreamers, since });
  const conditions = ofStreamers ? [...list.conditions, OF_STREAMERS] : list.conditions;
  const { rows: ids, ...found } = await readList(db, { ...list, conditions, known }, request);
  return { rows: await rowsOf(db, ids), found };
}

/** Returns the first UTC day on which a bet makes a referral active. */
function activeSince({ siteConfig, databaseClock }: ReadDeps): string {
  return firstActiveDay(new Date(databaseClock.now()), siteConfig.get('AFFILIATES').activeDays);
}

/** Returns a predicate that is true for active referrals. */
function activeReferrals(deps: ReadDeps): (row: Row) => boolean {
  const since = new Date(`${activeSince(deps)}T00:00:00Z`);
  return ({ last_bet_at }) => last_bet_at !== null && last_bet_at >= since;
}

const toReferral = (row: Row) => ({
  code: row.code,
  wageredUsdAmount: formatUsd(row.wagered_usd),
  earnedUsdAmount: formatUsd(row.earned_usd),
  createdAt: iso(row.created_at),
});

const isActive = (since: string) => sql`referrals.last_bet_at >= ${`${since}T00:00:00Z`}::timestamptz`;

/**
 * Returns the matching referrals as input for the list engine. Uses the index on an affiliate's referrals if the filter has an affiliate.
 */
function referralList(
  { affiliateUserId, ...filter }: ReferralFilter,
  sortBy: Order['sortBy'],
  since: string,
): OrderedList {
  const times = inTime({ start: dateOf(filter.startDate), end: dateOf(filter.endDate) });
  const { code, search, isActive: wantsActive } = filter;
  const others: Sql[] = [
    ...(code === undefined ? [] : [sql`referrals.code_key = ${keyOf(code)!}`]),
    ...(search === undefined ? [] : [matches('referrals', search)]),
    ...(wantsActive === undefined
      ? []
      : [wantsActive ? isActive(since) : sql`(${isActive(since)}) is not true`]),
  ];
  return {
    table: 'referrals',
    id: 'user_id',
    key: SORT_COLUMNS[sortBy],
    bounds: [
      ...(affiliateUserId === undefined ? [] : [sql`referrals.affiliate_user_id = ${affiliateUserId}`]),
      ...(sortBy === 'createdAt' ? times : []),
    ],
    conditions: sortBy === 'createdAt' ? others : [...times, ...others],
  };
}

/** Returns the exact total if it is stored. Totals are stored per affiliate and per code. */
async function knownTotal(
  db: Db,
  where: ReferralFilter,
  { ofStreamers, since }: { ofStreamers: boolean; since: string },
): Promise<number | undefined> {
  const { affiliateUserId, isActive, code, ...others } = where;
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  const affiliates = [
    ...(affiliateUserId === undefined ? [] : [sql`a.user_id = ${affiliateUserId}`]),
    ...(ofStreamers ? [sql`a.user_id in (select id from users where is_streamer)`] : []),
  ];
  if (code === undefined)
    return affiliates.length === 0 ? undefined : totalOf(db, affiliates, { isActive, since });
  return affiliates.length > 0 || isActive !== undefined ? undefined : totalOfCode(db, code);
}

async function totalOf(
  db: Db,
  affiliates: Sql[],
  { isActive, since }: { isActive: boolean | undefined; since: string },
): Promise<number> {
  const all = sql`(select coalesce(sum(referral_count), 0) from chosen)`;
  const active = sql`(select coalesce(sum(referrals), 0) from referral_activity
    where affiliate_user_id = any(array(select user_id from chosen)) and day >= ${since}::date)`;
  const some = isActive ? active : sql`${all} - ${active}`;
  const { rows } = await sql<{ total: number }>`
    with chosen as materialized (select user_id, referral_count from affiliates a where ${every(affiliates)})
    select (${isActive === undefined ? all : some})::int as total`.execute(db);
  return rows[0]!.total;
}

async function totalOfCode(db: Db, code: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select users_count as total from affiliate_codes where key = ${keyOf(code)!}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Returns rows in the order of the ids. Each row contains the code as its owner wrote it. */
async function rowsOf(db: Db, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('referrals')
    .innerJoin('affiliate_codes', 'affiliate_codes.key', 'referrals.code_key')
    .selectAll('referrals')
    .select('affiliate_codes.code')
    .where('referrals.user_id', 'in', ids)
    .execute();
  return inOrderOf(ids, rows, (row) => row.user_id);
}
