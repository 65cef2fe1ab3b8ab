/** npm run bench referrals: compares affiliate lists and statistics with few and many users. One affiliate has a tenth of all referrals. */
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import { fillTable } from '../fill.ts';
import { type Case, compareSizes, daysAgo, type House } from '../lists.ts';
import { defineSuite } from '../suite.ts';
import { query } from '../world.ts';
import { fillUsers } from './users.ts';

const SMALL = 10_000;

export const referrals = defineSuite({
  about: 'affiliate lists and statistics',
  options: {
    users: [1_000_000, 'users of the large database'],
    rounds: [40, 'how often each read is measured'],
  },
  run: (context, { users, rounds }) =>
    compareSizes(context, {
      sizes: { few_referrals: SMALL, many_referrals: users },
      fill: fillReferrals,
      cases: casesOf,
      rounds,
    }),
});

/** The affiliate with a tenth of all referrals. `code` is their referral code. */
const BIG = { id: 1, username: 'bigaffiliate', code: 'ref1' };
/** An affiliate with 500 referrals who each played on ten days, regardless of the total number of users. */
const PARTNER = { id: 2, code: 'ref2' };

const CLAIMS = 300;

const SORTS = ['createdAt', 'wageredUsdAmount', 'earnedUsdAmount'].flatMap((sortBy) =>
  ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })),
);
const dayAgo = (days: number) => `${daysAgo(days).slice(0, 10)}T00:00:00.000Z`;

const textOf = (fields: object) =>
  Object.entries(fields)
    .map(([field, value]) => `${field} ${value}`)
    .join(' ');

const REFERRAL_FILTERS: readonly object[] = [
  { code: 'REF101' },
  { search: 'max99' },
  { search: '4711' },
  { isActive: true },
  { isActive: false },
  { startDate: daysAgo(30) },
  { startDate: daysAgo(300), endDate: daysAgo(200) },
];

const AFFILIATE_FILTERS: readonly object[] = [
  { userId: BIG.id },
  { username: BIG.username },
  { email: 'nobody@web.example' },
  { code: BIG.code },
  ...[1, 2, 3, 4].map((levelId) => ({ levelId })),
  { search: 'max99' },
  { search: 'al' },
  { minReferralCount: 10 },
  { minReferralCount: 500 },
  { minUsersWageredUsdAmount: '1000000' },
];

/** Lists the requests of staff, of the affiliate who referred a tenth of all users, and of a partner's program. */
async function casesOf({ staff, signIn, createPartner }: House): Promise<Case[]> {
  const [affiliate, partner] = [await signIn(BIG.username), await createPartner(PARTNER.id)];
  const own = (path: string): Case => [path, () => affiliate(path)];
  const byStaff = (name: string, path: string, body: object): Case => [
    `staff${path} ${name}`,
    () => staff(`/admin/affiliate${path}`, body),
  ];
  const sorts = (path: string, more: { where?: object } = {}) =>
    SORTS.map((sort) =>
      byStaff(`${sort.sortBy} ${sort.sortOrder} ${textOf(more.where ?? {})}`.trim(), path, {
        ...sort,
        ...more,
      }),
    );
  const filters = (path: string, all: readonly object[]) =>
    all.map((where) => byStaff(textOf(where), path, { where }));
  const byPartner = (name: string, query: string): Case => [
    `partner, ${name}`,
    () => partner(`/external/affiliates?codes=${query}`),
  ];
  return [
    ...['me', 'overview', 'code', 'claims', 'claims?sortBy=usdAmount'].map((path) =>
      own(`/affiliate/${path}`),
    ),
    ...SORTS.map((sort) => own(`/affiliate/users?${new URLSearchParams(sort)}`)),
    own('/affiliate/users?page=30'),
    ...['find-one', 'find-one-stats', 'find-one-extended'].map((name) =>
      byStaff('', `/${name}`, { where: { userId: BIG.id } }),
    ),
    ...sorts(''),
    ...filters('', AFFILIATE_FILTERS),
    ...sorts('', { where: { levelId: 2 } }),
    ...sorts('/users', { where: { affiliateUserId: BIG.id } }),
    ...filters(
      '/users',
      REFERRAL_FILTERS.slice(1).map((filter) => ({ affiliateUserId: BIG.id, ...filter })),
    ),
    ...filters('/users', REFERRAL_FILTERS),
    ...sorts('/streamer/referrals'),
    ...filters('/streamer/referrals', REFERRAL_FILTERS),
    ...sorts('/streamer'),
    byPartner('500 referrals, a year', `${PARTNER.code}&startDate=${dayAgo(365)}&endDate=${dayAgo(0)}`),
    byPartner('the code of another user', BIG.code),
  ];
}

/**
 * Inserts the users of the suite `users`. Four in five were referred. Every hundredth user is an affiliate. Half of the referred users play, each
 * on two days. Returns a summary of the rows.
 */
async function fillReferrals(db: Db, count: number): Promise<string> {
  await fillUsers(db, count);
  await query(db)`update users set username = ${BIG.username} where id = ${BIG.id}`;
  await query(db)`update users set custom_min_affiliate_level = 1 + id / 1000 % 4 where id % 1000 = 1`;
  await query(db)`update users set is_streamer = true where id % 1000 = 501`;
  await insertAffiliates(db);
  await fillTable(db, 'referrals', (one) => insertReferrals(one, count));
  await fillTable(db, 'referral_days', insertDays);
  await addUp(db);
  await insertClaims(db);
  await query(db)`vacuum analyze`;
  const [summary] = await query(db)<{ made: string }>`
    select concat((select count(*) from affiliates), ' affiliates, ', (select count(*) from referrals), ' referrals, ',
      (select count(*) from referral_days), ' days') as made`;
  return summary!.made;
}

const IS_AFFILIATE = sql`id % 100 = 1 or id = ${sql.lit(PARTNER.id)}`;

async function insertAffiliates(db: Db): Promise<void> {
  await query(db)`
    insert into affiliates (user_id, created_at) select id, created_at from users where ${IS_AFFILIATE}`;
  await query(db)`insert into affiliate_codes (key, code, user_id, created_at)
    select 'ref' || id, 'REF' || id, id, created_at from users where ${IS_AFFILIATE}`;
}

/** Inserts the referrals with each player's total stakes in US dollars × 10^8. Most players stake little, a few stake a lot. */
const insertReferrals = (one: Db, count: number) => query(one)`
  insert into referrals (user_id, affiliate_user_id, code_key, is_held, wagered_usd, ggr_usd, last_bet_at, earned_usd, deposits,
    deposited_usd, withdrawn_usd, created_at)
  select id, owner, 'ref' || owner, false, wagered, floor(wagered * 0.02), case when wagered > 0 then created_at + random() * (now() - created_at) end,
    floor(wagered * 0.0005), (wagered > 0)::int, floor(wagered * 0.1), floor(wagered * 0.05), created_at
  from (
    select id, created_at,
      case when id between 3 and 502 then ${PARTNER.id}::int when of < 0.1 then ${BIG.id}::int
        else 1 + 100 * floor(${count}::int / 100 * power((of - 0.1) / 0.9, 2))::int end as owner,
      case when plays then floor(exp(luck * 14) * 1e8) else 0 end as wagered
    from (select id, created_at, random() as of, id between 3 and 502 or random() < 0.5 as plays, random() as luck from users
      where id between 3 and 502 and id % 100 <> 1 or id > 502 and id % 100 <> 1 and random() < 0.8) users
  ) referral`;

const insertDays = (one: Db) => query(one)`
  insert into referral_days (user_id, day, affiliate_user_id, wagered_usd, ggr_usd, deposited_usd, withdrawn_usd, earned_usd)
  select user_id, (last_bet_at at time zone 'UTC')::date - n, affiliate_user_id, floor(wagered_usd / 2), floor(ggr_usd / 2),
    floor(deposited_usd / 2), floor(withdrawn_usd / 2), floor(earned_usd / 2)
  from referrals, generate_series(0, case when affiliate_user_id = ${PARTNER.id} then 9 else 1 end) n where wagered_usd > 0`;

/** Computes the totals that consumers and triggers maintain in normal operation. */
async function addUp(db: Db): Promise<void> {
  await query(db)`
    update affiliates a set wagered_usd = r.wagered, ggr_usd = r.ggr, referral_count = r.count, depositor_count = r.depositors,
      deposited_usd = r.deposited, withdrawn_usd = r.withdrawn, earned_usd = r.earned, claims = r.claims, claimed_usd = floor(r.earned / 2)
    from (select affiliate_user_id, count(*) as count, count(*) filter (where deposits > 0) as depositors, sum(wagered_usd) as wagered,
        sum(ggr_usd) as ggr, sum(deposited_usd) as deposited, sum(withdrawn_usd) as withdrawn, sum(earned_usd) as earned,
        case when affiliate_user_id = ${BIG.id} then ${CLAIMS}::int else 0 end as claims
      from referrals group by 1) r where r.affiliate_user_id = a.user_id`;
  await query(db)`update affiliate_codes c set users_count = r.count
    from (select code_key, count(*) from referrals group by 1) r where r.code_key = c.key`;
  await query(db)`insert into affiliate_days (affiliate_user_id, day, earned_usd)
    select affiliate_user_id, day, sum(earned_usd) from referral_days group by 1, 2`;
  await query(db)`insert into referral_activity (affiliate_user_id, day, referrals)
    select affiliate_user_id, (last_bet_at at time zone 'UTC')::date, count(*) from referrals where last_bet_at is not null group by 1, 2`;
}

const insertClaims = (db: Db) => query(db)`
  insert into affiliate_claims (user_id, n, currency_id, amount, usd_amount, entry_id, created_at)
  select ${BIG.id}, n, 'USDT', n * 100000, n * 100000, n, now() - (${CLAIMS}::int - n) * interval '1 day'
  from generate_series(1, ${CLAIMS}::int) n`;
