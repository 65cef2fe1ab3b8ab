import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { Referrals } from '../../../platform/database.ts';
import type { Db } from '../../../platform/db.ts';
import { amountOf, type Conditions, conditionsOf } from '../../../platform/list/conditions.ts';
import type { Ordered } from '../../../platform/list/ordered.ts';
import { units } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import type { Settings } from './accounts.ts';
import { firstActiveDay, keyOf } from './rules.ts';
import type { AffiliateList, ReferralList, SORTS } from './schemas.ts';

type Sql = RawBuilder<unknown>;
type SortBy = (typeof SORTS)[number];
export type ReferralFilter = z.output<typeof ReferralList>['where'];
export type AffiliateFilter = NonNullable<z.output<typeof AffiliateList>['where']>;
export type ReferralRow = Selectable<Referrals>;
type Order = { sortBy: SortBy; sortOrder: 'asc' | 'desc' };

const KEYS = {
  createdAt: 'created_at',
  wageredUsdAmount: 'wagered_usd',
  earnedUsdAmount: 'earned_usd',
} as const satisfies Record<SortBy, string>;

/** Looked for in usernames, and as an id. A condition on a row of `table`. */
function named(table: 'referrals' | 'affiliates', text: string): Sql {
  const search = searchFor(text);
  if (!search) return sql`true`;
  const { pattern, isPrefix, id } = search;
  const name = isPrefix
    ? sql`coalesce(lower(u.username), '') collate "C" like lower(${pattern})`
    : sql`lower(u.username) like lower(${pattern})`;
  const place = id === undefined ? name : sql`(${name} or u.id = ${id})`;
  return sql`${sql.ref(`${table}.user_id`)} in (select u.id from users u where ${place})`;
}

const userBy = (column: 'username' | 'email', text: string) =>
  sql`affiliates.user_id = (select id from users where lower(${sql.ref(column)}) = lower(${text}))`;

const isActive = (since: string) => sql`referrals.last_bet_at >= ${`${since}T00:00:00Z`}::timestamptz`;

/** Times are shown in milliseconds, and kept finer. */
const upTo = (end: string) => new Date(Date.parse(end) + 1);

const timesOf = ({ startDate, endDate }: ReferralFilter): Sql[] => [
  ...(startDate === undefined ? [] : [sql`referrals.created_at >= ${new Date(startDate)}`]),
  ...(endDate === undefined ? [] : [sql`referrals.created_at < ${upTo(endDate)}`]),
];

/** Referrals that a filter names, in an order: of one affiliate by an index of theirs, else of all. */
export function referralList(
  { affiliateUserId, ...filter }: ReferralFilter,
  { sortBy, sortOrder }: Order,
  { settings, now }: { settings: Settings; now: Date },
): Ordered {
  const since = firstActiveDay(now, settings.activeDays);
  const times = timesOf(filter);
  const { code, search, isActive: wantsActive } = filter;
  const others: Sql[] = [
    ...(code === undefined ? [] : [sql`referrals.code_key = ${keyOf(code)!}`]),
    ...(search === undefined ? [] : [named('referrals', search)]),
    ...(wantsActive === undefined
      ? []
      : [wantsActive ? isActive(since) : sql`(${isActive(since)}) is not true`]),
  ];
  return {
    table: 'referrals',
    id: 'user_id',
    key: KEYS[sortBy],
    isDescending: sortOrder === 'desc',
    bounds: [
      ...(affiliateUserId === undefined ? [] : [sql`referrals.affiliate_user_id = ${affiliateUserId}`]),
      ...(sortBy === 'createdAt' ? times : []),
    ],
    conditions: sortBy === 'createdAt' ? others : [...times, ...others],
  };
}

/** Their affiliate is a streamer. */
export const OF_STREAMERS = sql`referrals.affiliate_user_id in (select id from users where is_streamer)`;

/** Affiliates that a filter names, in an order. Throws 400 AMOUNT_OUT_OF_RANGE. */
export function affiliateList(
  filter: AffiliateFilter,
  { sortBy, sortOrder }: Order,
  settings: Settings,
): Ordered {
  const leastWagered = amountOf(filter.minUsersWageredUsdAmount);
  const conditions: Conditions<AffiliateFilter> = {
    userId: (id) => sql`affiliates.user_id = ${id}`,
    username: (name) => userBy('username', name),
    email: (email) => userBy('email', email),
    code: (code) =>
      sql`affiliates.user_id = (select user_id from affiliate_codes where key = ${keyOf(code)!})`,
    levelId: (level) => atLevel(level, settings),
    search: (text) => named('affiliates', text),
    minReferralCount: (count) => sql`affiliates.referral_count >= ${count}`,
    minUsersWageredUsdAmount: () => sql`affiliates.wagered_usd >= ${leastWagered!}`,
  };
  const { minUsersWageredUsdAmount, ...others } = filter;
  const isBound = sortBy === 'wageredUsdAmount';
  return {
    table: 'affiliates',
    id: 'user_id',
    key: KEYS[sortBy],
    isDescending: sortOrder === 'desc',
    bounds: isBound ? conditionsOf(conditions, { minUsersWageredUsdAmount }) : [],
    conditions: conditionsOf(conditions, isBound ? others : filter),
  };
}

/** Whose level it is: by what was wagered, or by the least level that staff has given them. As `standingOf` says of one affiliate. */
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

/** The rows of these ids, in their order, each with the code as its owner writes it. */
export async function referralsOf(
  db: Db,
  ids: readonly number[],
): Promise<(ReferralRow & { code: string | null })[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('referrals')
    .innerJoin('affiliate_codes', 'affiliate_codes.key', 'referrals.code_key')
    .selectAll('referrals')
    .select('affiliate_codes.code')
    .where('referrals.user_id', 'in', ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.user_id, row]));
  return ids.map((id) => byId.get(id)!);
}
