import { type Kysely, sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { fillTable } from './fill.ts';
import { fillUsers } from './users-world.ts';

/** The affiliate with a tenth of all referrals. `code` is their referral code. */
export const BIG = { id: 1, username: 'bigaffiliate', code: 'ref1' };
/** An affiliate with 500 referrals who each played on ten days, regardless of the total number of users. */
export const PARTNER = { id: 2, code: 'ref2' };

const CLAIMS = 300;

/**
 * Inserts the users of bench:users. Four in five were referred. Every hundredth user is an affiliate. Half of the referred users play, each
 * on two days. Returns a summary of the rows.
 */
export async function fillReferrals(db: Db, count: number): Promise<string> {
  await fillUsers(db, count);
  await sql`update users set username = ${BIG.username} where id = ${BIG.id}`.execute(db);
  await sql`update users set custom_min_affiliate_level = 1 + id / 1000 % 4 where id % 1000 = 1`.execute(db);
  await sql`update users set is_streamer = true where id % 1000 = 501`.execute(db);
  await insertAffiliates(db);
  await fillTable(db, 'referrals', (one) => insertReferrals(one, count));
  await fillTable(db, 'referral_days', insertDays);
  await addUp(db);
  await insertClaims(db);
  await sql`vacuum analyze`.execute(db);
  const { rows } = await sql<{ made: string }>`
    select concat((select count(*) from affiliates), ' affiliates, ', (select count(*) from referrals), ' referrals, ',
      (select count(*) from referral_days), ' days') as made`.execute(db);
  return rows[0]!.made;
}

const AFFILIATES = sql`id % 100 = 1 or id = ${sql.lit(PARTNER.id)}`;

async function insertAffiliates(db: Db): Promise<void> {
  await sql`insert into affiliates (user_id, created_at) select id, created_at from users where ${AFFILIATES}`.execute(
    db,
  );
  await sql`insert into affiliate_codes (key, code, user_id, created_at)
    select 'ref' || id, 'REF' || id, id, created_at from users where ${AFFILIATES}`.execute(db);
}

/** Inserts the referrals with each player's total stakes in US dollars × 10^8. Most players stake little, a few stake a lot. */
const insertReferrals = (one: Kysely<DB>, count: number) =>
  sql`
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
  ) referral`.execute(one);

const insertDays = (one: Kysely<DB>) =>
  sql`
  insert into referral_days (user_id, day, affiliate_user_id, wagered_usd, ggr_usd, deposited_usd, withdrawn_usd, earned_usd)
  select user_id, (last_bet_at at time zone 'UTC')::date - n, affiliate_user_id, floor(wagered_usd / 2), floor(ggr_usd / 2),
    floor(deposited_usd / 2), floor(withdrawn_usd / 2), floor(earned_usd / 2)
  from referrals, generate_series(0, case when affiliate_user_id = ${PARTNER.id} then 9 else 1 end) n where wagered_usd > 0`.execute(
    one,
  );

/** Computes the totals that consumers and triggers maintain in normal operation. */
async function addUp(db: Db): Promise<void> {
  await sql`
    update affiliates a set wagered_usd = r.wagered, ggr_usd = r.ggr, referral_count = r.count, depositor_count = r.depositors,
      deposited_usd = r.deposited, withdrawn_usd = r.withdrawn, earned_usd = r.earned, claims = r.claims, claimed_usd = floor(r.earned / 2)
    from (select affiliate_user_id, count(*) as count, count(*) filter (where deposits > 0) as depositors, sum(wagered_usd) as wagered,
        sum(ggr_usd) as ggr, sum(deposited_usd) as deposited, sum(withdrawn_usd) as withdrawn, sum(earned_usd) as earned,
        case when affiliate_user_id = ${BIG.id} then ${CLAIMS}::int else 0 end as claims
      from referrals group by 1) r where r.affiliate_user_id = a.user_id`.execute(db);
  await sql`update affiliate_codes c set users_count = r.count
    from (select code_key, count(*) from referrals group by 1) r where r.code_key = c.key`.execute(db);
  await sql`insert into affiliate_days (affiliate_user_id, day, earned_usd)
    select affiliate_user_id, day, sum(earned_usd) from referral_days group by 1, 2`.execute(db);
  await sql`insert into referral_activity (affiliate_user_id, day, referrals)
    select affiliate_user_id, (last_bet_at at time zone 'UTC')::date, count(*) from referrals where last_bet_at is not null group by 1, 2`.execute(
    db,
  );
}

const insertClaims = (db: Db) =>
  sql`
  insert into affiliate_claims (user_id, n, currency_id, amount, usd_amount, entry_id, created_at)
  select ${BIG.id}, n, 'USDT', n * 100000, n * 100000, n, now() - (${CLAIMS}::int - n) * interval '1 day'
  from generate_series(1, ${CLAIMS}::int) n`.execute(db);
