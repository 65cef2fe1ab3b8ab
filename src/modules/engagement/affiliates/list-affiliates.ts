import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  Amount,
  Decimal,
  estimated,
  estimatedPage,
  object,
  page,
  paginated,
  strictObject,
  text,
} from '../../../http/schemas.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { amountOf, type Conditions, conditionsOf } from '../../../platform/list/conditions.ts';
import { readList } from '../../../platform/list/list.ts';
import type { OrderedList } from '../../../platform/list/ordered.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import { ShortPrivateUser, UserId, userErrors } from '../../base/users/schemas.ts';
import { getUser, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import {
  type AffiliateDeps,
  getAccount,
  matches,
  type Order,
  type Settings,
  SORT_COLUMNS,
} from './accounts.ts';
import { keyOf } from './rules.ts';
import { AffiliateCode, AffiliateLevel, affiliateFields, CodeId, Count, staffSorting } from './schemas.ts';
import { affiliateRows, codesOf, toLevel } from './view.ts';

type Sql = RawBuilder<unknown>;

const AffiliateFilter = strictObject('FindManyAffiliateWhere', {
  userId: UserId.optional(),
  username: text(64).optional(),
  email: text(254).optional(),
  code: CodeId.optional(),
  levelId: z.number().int().min(1).max(100).optional(),
  search: text(64).meta({ description: 'Part of the username, or the id.' }).optional(),
  minReferralCount: z.number().int().min(0).max(2_147_483_647).optional(),
  minUsersWageredUsdAmount: Amount.optional(),
});
type AffiliateFilter = z.output<typeof AffiliateFilter>;

const AdminAffiliateRow = object('AdminAffiliateRow', {
  ...affiliateFields,
  totalClaimedUsdAmount: Decimal,
});

export const listAffiliates = operation({
  method: 'POST',
  path: '/admin/affiliate',
  tag: 'Admin Affiliate',
  access: { permission: 'affiliate.read' },
  gate: 'none',
  status: 200,
  summary: 'List affiliates with filters and sorting',
  description:
    'Lists users who have or had a code. Only the first 10,000 rows can be read, in any sort order. `total` is exact up to 1,000 ' +
    'and an estimate above it.',
  body: z.strictObject({ ...staffSorting, where: AffiliateFilter.optional() }),
  response: estimatedPage(AdminAffiliateRow),
  errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE, commonErrors.AMOUNT_OUT_OF_RANGE],
  handler: async (deps: AffiliateDeps, { by, body: { where = {}, ...request } }) => {
    const list = affiliateList(where, request.sortBy, deps.siteConfig.get('AFFILIATES'));
    const { rows: ids, ...found } = await readList(deps.db, list, request);
    const rows = await affiliateRows(deps, ids, sightOf(by.user));
    const affiliates = rows.map(({ account, row }) => ({
      ...row,
      totalClaimedUsdAmount: formatUnits(account.claimedUsd),
    }));
    return estimated(affiliates, request, found);
  },
});

function affiliateList(filter: AffiliateFilter, sortBy: Order['sortBy'], settings: Settings): OrderedList {
  const minWagered = amountOf(filter.minUsersWageredUsdAmount);
  const conditions: Conditions<AffiliateFilter> = {
    userId: (id) => sql`affiliates.user_id = ${id}`,
    username: (name) => userBy('username', name),
    email: (email) => userBy('email', email),
    code: (code) =>
      sql`affiliates.user_id = (select user_id from affiliate_codes where key = ${keyOf(code)!})`,
    levelId: (level) => atLevel(level, settings),
    search: (text) => matches('affiliates', text),
    minReferralCount: (count) => sql`affiliates.referral_count >= ${count}`,
    minUsersWageredUsdAmount: () => sql`affiliates.wagered_usd >= ${minWagered!}`,
  };
  const { minUsersWageredUsdAmount, ...others } = filter;
  const isBound = sortBy === 'wageredUsdAmount';
  return {
    table: 'affiliates',
    id: 'user_id',
    key: SORT_COLUMNS[sortBy],
    bounds: isBound ? conditionsOf(conditions, { minUsersWageredUsdAmount }) : [],
    conditions: conditionsOf(conditions, isBound ? others : filter),
  };
}

const userBy = (column: 'username' | 'email', text: string) =>
  sql`affiliates.user_id = (select id from users where lower(${sql.ref(column)}) = lower(${text}))`;

/**
 * SQL condition: the affiliate has this level, either because of referrals' wagers or because of the minimum level that staff set.
 * Implements the same rule as `standingOf`.
 */
function atLevel(level: number, { levels }: Settings): Sql {
  const index = levels.findIndex(({ id }) => id === level);
  if (index < 0) return sql`false`;
  const last = index === levels.length - 1;
  const from = units(levels[index]!.minWageredUsdAmount);
  const below = last ? undefined : units(levels[index + 1]!.minWageredUsdAmount);
  const reached = index === 0 ? sql`true` : sql`affiliates.wagered_usd >= ${from}`;
  const notNext = below === undefined ? sql`true` : sql`affiliates.wagered_usd < ${below}`;
  const lifted = (condition: Sql) =>
    sql`affiliates.user_id = any(array(select id from users where custom_min_affiliate_level is not null and ${condition}))`;
  const above = last ? sql`false` : lifted(sql`custom_min_affiliate_level > ${level}`);
  const given = lifted(
    last ? sql`custom_min_affiliate_level >= ${level}` : sql`custom_min_affiliate_level = ${level}`,
  );
  return sql`${notNext} and not ${above} and (${reached} or ${given})`;
}

const StreamerRow = object('StreamerRow', {
  ...affiliateFields,
  ftdCount: Count.meta({ description: 'Referrals who have made a deposit.' }),
  depositedUsdAmount: Decimal,
  ggrUsdAmount: Decimal,
});

/** The maximum number of streamers that can be listed. There are few, so all of them are read and sorted. */
const MOST = 10_000;

const KEYS: Readonly<Record<Order['sortBy'], RawBuilder<unknown>>> = {
  createdAt: sql`u.created_at`,
  wageredUsdAmount: sql`coalesce(a.wagered_usd, 0)`,
  earnedUsdAmount: sql`coalesce(a.earned_usd, 0)`,
};

const reading = { tag: 'Admin Affiliate Streamer', access: { permission: 'affiliate.read' } } as const;

export const listStreamers = operation({
  ...reading,
  method: 'POST',
  path: '/admin/affiliate/streamer',
  gate: 'none',
  status: 200,
  summary: "List streamers with their referrals' activity",
  description: 'Includes streamers without a code.',
  body: z.strictObject(staffSorting),
  response: page(StreamerRow),
  errors: [listErrors.SORT_TOO_LONG],
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { sortBy, sortOrder, page, take } = body;
    const most = unlessWhole(MOST);
    const direction = sortOrder === 'desc' ? sql`desc` : sql`asc`;
    const offset = Math.min((page - 1) * take, most);
    const { rows } = await sql<{ total: number; ids: number[] }>`
      with streamers as materialized (
        select u.id, ${KEYS[sortBy]} as key from users u left join affiliates a on a.user_id = u.id
        where u.is_streamer limit ${sql.lit(most + 1)}
      )
      select (select count(*)::int from streamers) as total,
        array(select id from streamers order by key ${direction}, id ${direction} limit ${take} offset ${offset}) as ids`.execute(
      deps.db,
    );
    const { total, ids } = rows[0]!;
    if (total > most) throw listErrors.SORT_TOO_LONG({ most });
    const streamers = (await affiliateRows(deps, ids, sightOf(by.user))).map(({ account, row }) => ({
      ...row,
      ftdCount: account.depositorCount,
      depositedUsdAmount: formatUnits(account.depositedUsd),
      ggrUsdAmount: formatUnits(account.ggrUsd),
    }));
    return paginated(streamers, body, total);
  },
});

export const getStreamer = operation({
  ...reading,
  method: 'GET',
  path: '/admin/affiliate/streamer/{id}',
  summary: "Get a streamer's level and codes",
  description: 'Returns 404 for users who are not streamers.',
  params: z.object({ id: UserId }),
  response: z.object({
    user: ShortPrivateUser.optional(),
    level: AffiliateLevel.nullable(),
    codes: z.array(AffiliateCode),
  }),
  errors: [userErrors.USER_NOT_FOUND],
  handler: async (deps: AffiliateDeps, { by, params: { id: userId } }) => {
    const user = await getUser(deps.db, userId);
    if (!user.is_streamer) throw userErrors.USER_NOT_FOUND({ userId });
    const { current } = await getAccount(deps, userId);
    return {
      user: toShortPrivateUser(user, sightOf(by.user)),
      level: toLevel(current),
      codes: (await codesOf(deps.db, [userId])).get(userId) ?? [],
    };
  },
});
