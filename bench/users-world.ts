import { type Kysely, sql } from 'kysely';
import type { DB } from '../src/platform/database.ts';
import type { Db } from '../src/platform/db.ts';
import { fillTable } from './fill.ts';

const NAMES =
  'alex maria john lucky daniel anna max lisa tiger king nina marco elena bruno shadow sofia'.split(' ');
const STARTS = 'ka lo mi ra to ve su ni pa jo le da bri ster mon fle cha dor wil gra'.split(' ');
const ENDS = 'na ro lin dy mar vex ton ie sa ck ber ly no ra der st mi go zu el'.split(' ');
/** What people call themselves: a few names are everywhere, most are rare. */
const WORDS = [
  ...NAMES,
  ...STARTS.flatMap((a) => ENDS.flatMap((b) => ['', 'li', 'mo'].map((c) => a + c + b))),
];

const DOMAINS =
  'gmail.com gmail.com gmail.com gmail.com gmail.com yahoo.com outlook.com outlook.com web.example mail.example'.split(
    ' ',
  );
const COUNTRIES = 'DE DE DE BR BR BR CA CA FI FI JP JP NO PL AT IE IN NZ PT MT'.split(' ');

const array = (values: readonly string[]) => sql`${values}::text[]`;
/** One of the values; the first ones more often than the last. */
const skewed = (values: readonly string[], power = 2) =>
  sql`(${array(values)})[1 + floor(${values.length}::int * power(random(), ${power}::int))::int]`;

/**
 * Users as a casino has them, made by the database itself: sign-ups over three years, most of them from a few countries, few
 * VIPs, few with a second factor, a handful of staff. Indexes are built afterwards, statistics last.
 */
export async function fillUsers(db: Db, count: number): Promise<void> {
  await fillTable(db, 'users', async (one) => {
    await sql`select setseed(0.4)`.execute(one);
    await insertUsers(one, count);
  });
  await insertAround(db);
  await sql`vacuum analyze`.execute(db);
}

async function insertUsers(db: Kysely<DB>, count: number): Promise<void> {
  await sql`
    insert into users (username, email, username_skeleton, created_at, updated_at, last_login_at, country_code, vip_level,
      kyc_level, email_verified, is_mfa_enabled, is_private, is_streamer, is_youtuber, is_test, is_staff, roles, banned_at,
      ban_reason, affiliate_code, self_excluded_until)
    select name, name || '@' || ${skewed(DOMAINS)}, name, at, at,
      case when random() < 0.93 then at + random() * (now() - at) end,
      ${skewed(COUNTRIES)}, least(20, floor(-ln(1 - random()) * 1.4)),
      case when random() < 0.7 then 0 when random() < 0.7 then 1 when random() < 0.8 then 2 else 3 end,
      random() < 0.62, random() < 0.04, random() < 0.1, random() < 0.001, random() < 0.0005, random() < 0.0004,
      n % (${count}::int / 50) = 0,
      case when n % (${count}::int / 50) = 0 then array[(array['SUPPORT', 'RISK', 'FINANCE', 'ADMIN'])[1 + n / (${count}::int / 50) % 4]]
        else '{}' end,
      case when random() < 0.008 then at + random() * (now() - at) end, null,
      case when random() < 0.15 then 'code' || floor(2000 * power(random(), 3)) end,
      case when random() < 0.005 then now() + (random() - 0.3) * interval '90 days' end
    from (
      select n, ${skewed(WORDS)} || case when random() < 0.3 then '_' else '' end || ${skewed(WORDS)} || n as name,
        now() - interval '3 years' * (1 - power(n / ${count}::float8, 0.6)) - interval '1 hour' as at
      from generate_series(1, ${count}::int) n
    ) person order by n`.execute(db);
}

/** Sessions, sign-ups, wallets, statistics and notes. */
async function insertAround(db: Db): Promise<void> {
  const ip = sql`'10.' || floor(256 * power(random(), 2)) || '.' || floor(random() * 256) || '.' || floor(random() * 256)`;
  await sql`insert into registration_info (user_id, type, ip_address, created_at) select id, 'EMAIL', ${ip}, created_at from users`.execute(
    db,
  );
  await sql`
    insert into sessions (id, user_id, refresh_hash, ip_address, created_at, last_used_at, expires_at)
    select gen_random_uuid(), id, sha256(convert_to(id::text, 'utf8')), ${ip}, last_login_at, last_login_at, now() + interval '9 days'
    from users where last_login_at > now() - interval '60 days'`.execute(db);
  await sql`
    insert into wallets (user_id, currency_id, cash) select id, c, floor(random() * 1e10)::int8
    from users, unnest(array['USDT', 'BTC', 'EUR']) c where random() < 0.3`.execute(db);
  await sql`
    insert into user_notes (user_id, created_by, note)
    select id, 1, 'a note of some length about user ' || id from users, generate_series(1, 30) where id % 200 = 0`.execute(
    db,
  );
}
