import { sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import { fillTable, inRanges, insertPlainUsers } from './fill.ts';

/** The player who makes every tenth bet. */
export const HEAVY = 1;
const DAYS = 365;
/** Number of users who have referred others. */
const OWNERS = 10;

/**
 * Inserts this many bets, spread over a year, eight per block of ids. In every ten thousand bets, 3 are open, 3 failed and 4 were rolled
 * back. Every game has an RTP of 99 %. The bets are generated in the database. Indexes are built afterwards.
 */
export async function fillBets(db: Db, bets: number): Promise<void> {
  const players = Math.max(20, Math.round(bets / 500));
  await insertPlainUsers(db, players);
  await referEverySecond(db);
  await fillTable(db, 'bets', (one) =>
    inRanges(1, bets, ({ from, to }) =>
      sql`
      insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, created_at, updated_at, user_id, game_id, status,
        currency_id, settled_at, rtp_bp)
      select 1024::int8 * (1 + e / 8) + e % 8 * 3, amount, payout, amount, payout, 1e12, at, at,
        case when hash % 10 = 0 then ${HEAVY}::int else 2 + hash % (${players}::int - 1) end, 1 + hash % 9, status,
        (array['USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'BTC', 'BTC', 'ETH', 'EUR'])[1 + hash / 16 % 10],
        case when status <> 'CREATED' then at end, 9900
      from (
        select e, hash, at, 1e8::int8 * (1 + hash % 50) as amount, 1e8::int8 * (hash % 100) as payout,
          case when e % 10000 < 3 then 'CREATED' when e % 10000 < 6 then 'ERROR' when e % 10000 < 10 then 'ROLLBACK' else 'SETTLED' end as status
        from (
          select e, now() - interval '1 day' * ${DAYS}::int * (1 - e / ${bets}::float8) as at, (e::int8 * 2654435761 >> 9) & 65535 as hash
          from generate_series(${from}::int, ${to}::int) e
        ) event
      ) bet order by e`.execute(one),
    ),
  );
  await sql`select setval('ledger_ids', ${1024n * BigInt(2 + Math.floor(bets / 8))}::int8)`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

/** Stores a referral for every second player. The referrer is one of the first players. */
async function referEverySecond(db: Db): Promise<void> {
  await sql`
    with referred as (
      select id, 1 + id / 2 % ${OWNERS}::int as owner from users where id % 2 = 0 and id > ${OWNERS}::int),
    owners as (select owner as id, count(*) as came from referred group by owner),
    codes as (
      insert into affiliate_codes (key, code, user_id, users_count) select 'bench-' || id, 'bench-' || id, id, came from owners),
    accounts as (insert into affiliates (user_id, referral_count) select id, came from owners)
    insert into referrals (user_id, affiliate_user_id, code_key, is_held)
    select id, owner, 'bench-' || owner, false from referred order by id`.execute(db);
}
