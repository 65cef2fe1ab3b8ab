const GENERATION = `(select generation from cursors where name = 'user-stats')`;

const DAY = `(hour at time zone 'UTC')::date`;

/** SQL that compares the rows of a table of longer periods with the sums over a table of shorter periods, and returns those that differ. */
const differing = (
  coarser: string,
  finer: string,
  { key, computed, sums }: Record<'key' | 'computed' | 'sums', string>,
) => {
  const names = sums.split(', ');
  const all = names.map((name) => `sum(${name}) as ${name}`).join(', ');
  const both = names.map((name) => `c.${name}, f.${name} as finer_${name}`).join(', ');
  const or0 = (of: 'c' | 'f') => names.map((name) => `coalesce(${of}.${name}, 0)`).join(', ');
  return `
    select ${key}, ${both} from (select ${key}, ${all} from ${coarser} group by ${key}) c
    full join (select ${computed}, ${all} from ${finer} group by ${key}) f using (${key})
    where (${or0('c')}) <> (${or0('f')})`;
};

/** SQL that finds packed days that differ from the hourly rows, for each key and for all keys together. */
const unlikeHours = (source: string, hours: string) => `
    with packed as (select day from packed_days where source = '${source}' and generation = ${source === 'play' ? GENERATION : '0'}),
    hours as materialized (select ${DAY} as day, hours.* from (${hours}) hours)
    select day, form, key, length(p.players) / 8 as packed, length(h.players) / 8 as found
    from (
      select day, 'by key' as form, key, players, amounts from packed_players join packed using (day) where source = '${source}'
      union all
      select day, 'together', '', players, amounts from packed_together join packed using (day) where source = '${source}' and players <> '') p
    full join (
      select day, form, key, string_agg(int4send(user_id) || int4send(hours), '' order by user_id) as players,
        string_agg(int8send(one) || int8send(two), '' order by user_id) as amounts
      from (
        select day, form, key, user_id, bit_or(1 << extract(hour from hour at time zone 'UTC')::int4) as hours, sum(one)::int8 as one,
          sum(two)::int8 as two
        from (select 'by key' as form, * from hours union all select 'together', day, '', user_id, hour, one, two from hours) hours
        group by 1, 2, 3, 4) players
      where day in (select day from packed) group by 1, 2, 3) h using (day, form, key)
    where (p.players, p.amounts) is distinct from (h.players, h.amounts)`;

/** Queries that return rows only if the module's sums are wrong. */
export const checks = {
  N8: {
    "a game's daily totals are not the sums of its hourly totals": differing('game_days', 'game_hours', {
      key: 'generation, day, game_id',
      computed: `generation, ${DAY} as day, game_id`,
      sums: 'bets, own_staked_usd, own_paid_usd',
    }),
    "a provider's hourly totals are not the sums of its games' hourly totals": differing(
      '(select * from provider_hours where provider_id >= 0) provider_hours',
      '(select game_hours.*, provider_id from game_hours join games on games.id = game_id) game_hours',
      {
        key: 'generation, hour, provider_id',
        computed: 'generation, hour, provider_id',
        sums: 'bets, own_staked_usd, own_paid_usd',
      },
    ),
    "an account's daily totals are not the sums of its hourly totals": differing(
      'account_days',
      'account_hours',
      {
        key: 'day, currency_id, account',
        computed: `${DAY} as day, currency_id, account`,
        sums: 'change',
      },
    ),
    'daily payment totals are not the sums of hourly payment totals': differing(
      'payment_days',
      'payment_hours',
      {
        key: 'day, direction, currency_id, network_id',
        computed: `${DAY} as day, direction, currency_id, network_id`,
        sums: 'count, failed, amount, usd_amount',
      },
    ),
    'daily reward totals are not the sums of hourly reward totals': differing('money_days', 'money_hours', {
      key: 'day, kind, currency_id',
      computed: `${DAY} as day, kind, currency_id`,
      sums: 'usd_amount',
    }),
    "hourly first deposits do not match the players' first deposits": differing(
      'first_deposit_hours',
      '(select *, 1 as players from first_deposits) first_deposits',
      {
        key: 'hour, currency_id',
        computed: `date_trunc('hour', at, 'UTC') as hour, currency_id`,
        sums: 'players',
      },
    ),
    'daily first deposits are not the sums of hourly first deposits': differing(
      'first_deposit_days',
      'first_deposit_hours',
      { key: 'day, currency_id', computed: `${DAY} as day, currency_id`, sums: 'players' },
    ),
    'hourly sign-ups do not match the users of that hour': differing(
      'registration_hours',
      '(select *, 1 as users from users) users',
      { key: 'hour', computed: `date_trunc('hour', created_at, 'UTC') as hour`, sums: 'users' },
    ),
    'a packed day of play does not match its hours': unlikeHours(
      'play',
      `select game_id::text as key, user_id, hour, own_staked_usd as one, own_paid_usd as two from play_hours where generation = ${GENERATION}`,
    ),
    'a packed day of deposits does not match its hours': unlikeHours(
      'deposit',
      `select p.currency_id as key, p.user_id, hour, sum(p.usd_amount) as one, sum(count) - max((f.user_id is not null)::int4) as two
       from payment_hours p
       left join first_deposits f on f.user_id = p.user_id and f.currency_id = p.currency_id and date_trunc('hour', f.at, 'UTC') = hour
       where direction = 'DEPOSIT' and count > 0 group by 1, 2, 3`,
    ),
    "a packed sign-up does not match the player's sign-up": `
      select day, source, user_id, hour as packed from packed_together,
        lateral (select ('x' || encode(substr(players, 8 * n + 1, 4), 'hex'))::bit(32)::int4 as user_id,
          ('x' || encode(substr(sign_ups, 4 * n + 1, 4), 'hex'))::bit(32)::int4 as hour from generate_series(0, length(players) / 8 - 1) n) packed
      where not exists (select from users where id = user_id and floor(extract(epoch from created_at) / 3600) = hour)
      union all
      select day, source, null, null from packed_together where length(sign_ups) <> length(players) / 2`,
  },
};
