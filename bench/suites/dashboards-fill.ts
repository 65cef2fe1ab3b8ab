import { type RawBuilder, sql } from 'kysely';
import { packDays } from '../../src/modules/backoffice/dashboards/packed/queries.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { fillTable } from '../fill.ts';
import { query } from '../world.ts';
import { fillUsers } from './users.ts';

type Sql = RawBuilder<unknown>;
type Size = { users: number; bets: number };
/** The statement that fills each table, in the order in which they are filled. */
type Inserts = Readonly<Record<string, Sql>>;

const PROVIDERS = 5;
const GAMES_EACH = 22;
/**
 * Average number of bets per session. A session covers one hour and at most two games. `BETS_FOR` is the number of bets per deposit, per
 * withdrawal and per reward.
 */
const BETS_OF_SESSION = 25;
const BETS_FOR = { deposit: 30, withdrawal: 120, reward: 50 };

const YEAR = sql`(now() - interval '365 days')`;
const HOUR = (at: Sql) => sql`date_trunc('hour', ${at}, 'UTC')`;
const DAY = sql`(hour at time zone 'UTC')::date`;
const GENERATION = sql`(select generation from cursors where name = 'user-stats')`;

/**
 * Fills the tables that dashboards read, in chronological order, as if this many users had made this many bets within a year. Sign-ups are
 * inserted as in the suite `users`. A few players make most of the bets, and no player bets before signing up. Returns a summary of the rows.
 */
export async function fillDashboards(db: Db, size: Size): Promise<string> {
  await fillUsers(db, size.users);
  await insertCatalogue(db);
  const inserts = { ...playTables(size), ...moneyTables(size), ...SUMS };
  for (const [table, insert] of Object.entries(inserts)) await fillWithoutTriggers(db, table, insert);
  await insertOwed(db);
  await query(db)`analyze`;
  await packDays(db);
  await query(db)`vacuum analyze`;
  const [summary] = await query(db)<{ made: string }>`
    select concat((select sum(bets) from play_hours), ' bets in ', (select count(*) from play_hours), ' hours of players, ',
      (select count(*) from game_hours), ' hours of games, ', (select count(distinct (user_id, (hour at time zone 'UTC')::date)) from play_hours), ' days of players, ',
      (select sum(count) from payment_hours), ' payments, ', (select count(*) from money_hours), ' rewards') as made`;
  return summary!.made;
}

async function insertCatalogue(db: Db): Promise<void> {
  await query(db)`insert into game_providers (slug, name, origin_name)
    select 'studio-' || n, 'Studio ' || n, 'Studio ' || n from generate_series(1, ${PROVIDERS}::int) n`;
  await query(db)`
    insert into games (slug, name, type, provider_id, external_code, categories)
    select p.slug || '-' || n, 'Game ' || n || ' of ' || p.name, case n % 5 when 0 then 'EVO_GAME' else 'SLOTS' end, p.id, n::text,
      array[case n % 5 when 0 then 'LIVE_CASINO' else 'SLOTS' end]
    from game_providers p, generate_series(1, ${GAMES_EACH}::int) n where p.slug like 'studio-%'`;
}

const playTables = ({ users, bets }: Size): Inserts => ({
  play_hours: insertPlay(users, Math.round(bets / BETS_OF_SESSION)),
  game_hours: sql`
    insert into game_hours (hour, game_id, generation, bets, own_staked_usd, own_paid_usd)
    select hour, game_id, generation, sum(bets), sum(own_staked_usd), sum(own_paid_usd) from play_hours
    where user_id not in (select user_id from uncounted_users) group by 1, 2, 3 order by 1`,
  game_days: sql`
    insert into game_days (day, game_id, generation, bets, own_staked_usd, own_paid_usd)
    select ${DAY}, game_id, generation, sum(bets), sum(own_staked_usd), sum(own_paid_usd) from game_hours group by 1, 2, 3 order by 1`,
  provider_hours: sql`
    insert into provider_hours (hour, provider_id, generation, bets, own_staked_usd, own_paid_usd)
    select hour, provider_id, generation, sum(bets), sum(own_staked_usd), sum(own_paid_usd)
    from game_hours join games on games.id = game_id group by 1, 2, 3 order by 1`,
  game_returns: INSERT_RETURNS,
});

/**
 * Inserts the hourly totals of these sessions. Stakes are the players' own money, in US dollars × 10^8. Most stakes are small, a few are
 * large.
 */
const insertPlay = (users: number, sessions: number) => sql`
  insert into play_hours (hour, game_id, user_id, generation, bets, wins, staked_usd, paid_usd, own_staked_usd, own_paid_usd, biggest_win_usd,
    best_multiplier_e4, last_at, first_place, last_place)
  select hour, game_id, user_id, ${GENERATION}, sum(bets), 0, sum(staked), sum(paid), sum(staked), sum(paid), 0, 0, hour, 1, 2 from (
    select ${HOUR(sql`since + (now() - since) * at`)} as hour, g.id as game_id, user_id, bets, bets * stake as staked,
      floor(bets * stake * 2 * random() * 0.97) as paid
    from (
      select u.id as user_id, greatest(u.created_at, ${YEAR}) as since, at, floor(1e7 * exp(random() * 6))::int8 as stake,
        1 + floor(${BETS_OF_SESSION}::int * random())::int8 as bets, random() as of
      from (
        select 1 + floor(${users}::int * power(random(), 2))::int as id, random() as at
        from generate_series(1, ${sessions}::int)) s
      join users u using (id) cross join generate_series(1, 2)) s
    join (select id, row_number() over (order by id) as place, count(*) over () as games from games) g
      on g.place = 1 + floor(power(s.of, 2) * g.games)) session
  group by hour, game_id, user_id order by hour`;

const INSERT_RETURNS = sql`
  insert into game_returns (game_id, hour, generation, bets, staked_usd, paid_usd, counted, expected, variance, apart_bets, apart_staked_usd,
    apart_paid_usd)
  select game_id, hour, (select generation from cursors where name = 'game-returns'), h.bets, h.own_staked_usd, h.own_paid_usd,
    h.own_paid_usd / 1e8, h.own_staked_usd * 0.99 / 1e8, power(h.own_staked_usd / 1e8, 2) / h.bets, 0, 0, 0
  from game_hours h join games g on g.id = h.game_id where g.type = 'HOUSE_GAME' order by hour`;

const CURRENCIES = sql`(array['USDT', 'USDT', 'BTC', 'ETH'])[1 + floor(4 * random())::int]`;
const NETWORKS = sql`(select id from currency_networks n where n.currency_id = p.currency_id order by id limit 1)`;
const amounts = (largest: number) => sql`floor(1e8 * exp(random() * ${sql.lit(largest)}))::int8`;

/** Selects random times in the year, after the player's sign-up, in chronological order. */
const moments = (users: number, count: number) => sql`(
  select u.id as user_id, greatest(u.created_at, ${YEAR}) + (now() - greatest(u.created_at, ${YEAR})) * random() as at,
    ${CURRENCIES} as currency_id
  from (select 1 + floor(${users}::int * power(random(), 2))::int as id from generate_series(1, ${count}::int)) s join users u using (id)
  order by 2)`;

const moneyTables = ({ users, bets }: Size): Inserts => ({
  withdrawals: insertWithdrawals(users, Math.round(bets / BETS_FOR.withdrawal)),
  payment_hours: sql`
    insert into payment_hours (hour, direction, currency_id, network_id, user_id, count, failed, amount, usd_amount)
    select hour, direction, p.currency_id, ${NETWORKS}, user_id, sum(done), sum(1 - done), sum(done * usd), sum(done * usd) from (
      select ${HOUR(sql`at`)} as hour, 'DEPOSIT' as direction, currency_id, user_id, (random() < 0.95)::int as done, ${amounts(6)} as usd
      from ${moments(users, Math.round(bets / BETS_FOR.deposit))} d
      union all
      select ${HOUR(sql`confirmed_at`)}, 'WITHDRAW', currency_id, user_id, 1, usd_amount from withdrawals where status = 'COMPLETED'
    ) p group by 1, 2, 3, 4, 5 order by 1`,
  first_deposits: sql`
    insert into first_deposits (user_id, credit_key, at, currency_id, amount, usd_amount)
    select * from (select distinct on (user_id) user_id, 'deposit:' || user_id, hour, currency_id, amount, usd_amount from payment_hours
      where direction = 'DEPOSIT' and count > 0 order by user_id, hour) f order by hour`,
  money_hours: sql`
    insert into money_hours (hour, kind, user_id, currency_id, count, amount, usd_amount)
    select hour, kind, user_id, currency_id, count(*), sum(usd)::int8, sum(usd)::int8 from (
      select ${HOUR(sql`at`)} as hour, (array['rakeback.claim', 'promo.conversion', 'promo.grant', 'admin.tip'])[1 + floor(4 * random())::int] as kind,
        user_id, currency_id, ${amounts(3)} as usd from ${moments(users, Math.round(bets / BETS_FOR.reward))} m) made
    group by 1, 2, 3, 4`,
});

const insertWithdrawals = (users: number, count: number) => sql`
  insert into withdrawals (id, user_id, status, status_history, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address,
    risk_score, risk_reasons, provider_id, reference, confirmed_at, created_at, updated_at)
  select gen_random_uuid(), user_id, case when random() < 0.001 then 'WAITING_FOR_APPROVAL' else 'COMPLETED' end, '[]', p.currency_id, ${NETWORKS}, usd, 0,
    usd, true, 'an address', 0, '{}', 'sandbox', 'r', at + random() * interval '2 hours', at, at
  from (select *, ${amounts(7)} as usd from ${moments(users, count)} m) p`;

const SHARD = sql`user_id % 4`;

/** The summary tables, which triggers fill in normal operation. The rows look as if four backends had written each hour or day. */
const SUMS: Inserts = {
  payment_days: sql`
    insert into payment_days (day, direction, currency_id, network_id, shard, count, failed, amount, usd_amount)
    select ${DAY}, direction, currency_id, network_id, ${SHARD}, sum(count), sum(failed), sum(amount), sum(usd_amount) from payment_hours
    group by 1, 2, 3, 4, 5`,
  money_days: sql`
    insert into money_days (day, kind, currency_id, shard, usd_amount)
    select ${DAY}, kind, currency_id, ${SHARD}, sum(usd_amount) from money_hours group by 1, 2, 3, 4`,
  first_deposit_hours: sql`
    insert into first_deposit_hours (hour, currency_id, shard, players)
    select ${HOUR(sql`at`)}, currency_id, ${SHARD}, count(*) from first_deposits group by 1, 2, 3`,
  first_deposit_days: sql`
    insert into first_deposit_days (day, currency_id, shard, players)
    select ${DAY}, currency_id, shard, sum(players) from first_deposit_hours group by 1, 2, 3`,
};

async function insertOwed(db: Db): Promise<void> {
  await query(db)`
    insert into account_hours (hour, currency_id, account, change)
    select hour, currency, account, floor(random() * 1e12) - 4e11
    from generate_series(${HOUR(YEAR)}, now(), '1 hour') hour, unnest(array['USDT', 'BTC', 'ETH']) currency,
      unnest(array[1, 2, 3, 4, 100, 101, 103, 104, 105, 106, 108]) account`;
  await query(db)`
    insert into liability_days (day, kind, currency_id, amount, usd_amount)
    select day, kind, currency, 1e12, 1e12 from generate_series(current_date - 364, current_date, '1 day') day,
      unnest(array['rakeback', 'affiliate', 'leaderboard', 'challenge']) kind, unnest(array['USDT', 'BTC', 'ETH']) currency
    where kind <> 'affiliate' or currency = 'USDT'`;
  await query(db)`insert into liability_counts (day) select distinct day from liability_days`;
}

async function fillWithoutTriggers(db: Db, table: string, insert: Sql): Promise<void> {
  await fillTable(db, table, async (one) => {
    await query(one)`set session_replication_role = replica`;
    await query(one)`set work_mem = '256MB'`;
    await insert.execute(one);
    await query(one)`reset work_mem`;
    await query(one)`reset session_replication_role`;
    await query(one)`analyze ${sql.ref(table)}`;
  });
}
