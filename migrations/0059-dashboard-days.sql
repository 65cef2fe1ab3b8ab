-- Coarser sums of what dashboards read, so that a year of a million players costs hardly more than a month of a few. Each is what its finer
-- table says, kept by triggers in the transaction that changes that one.

-- ---------------------------------------------------------------- sums of sums

-- Adds what a statement has changed in a finer table to a coarser one. Arguments: the coarser table, its key, the key as it is computed from
-- a row of the finer table, the columns that are added up (`players`: one of each row). Rows are written in one order, or two changes could
-- wait for each other.
create function sum_up() returns trigger language plpgsql as $$
declare
  added_up text[] := string_to_array(tg_argv[3], ', ');
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, 1 as players, * from added'
    when 'DELETE' then 'select -1 as sign, 1 as players, * from removed'
    else 'select 1 as sign, 1 as players, * from added union all select -1, 1, * from removed' end;
begin
  execute format(
    'insert into %1$I as coarse (%2$s, %4$s) select %3$s, %5$s from (%6$s) changes group by %7$s order by %7$s
     on conflict (%2$s) do update set %8$s',
    tg_argv[0], tg_argv[1], tg_argv[2], tg_argv[3],
    (select string_agg(format('sum(sign * %I)', name), ', ') from unnest(added_up) name),
    changes,
    (select string_agg(n::text, ', ') from generate_series(1, cardinality(string_to_array(tg_argv[1], ', '))) n),
    (select string_agg(format('%1$I = coarse.%1$I + excluded.%1$I', name), ', ') from unnest(added_up) name));
  return null;
end $$;

-- Fills a coarser table and has every change of the finer one added to it.
create procedure keep_sums(finer text, coarser text, key text, computed text, summed text) language plpgsql as $$
declare
  event text;
begin
  execute format('insert into %I (%s, %s) select %s, %s from (select *, 1 as players from %I) finer group by %s', coarser, key, summed, computed,
    (select string_agg(format('sum(%I)', name), ', ') from unnest(string_to_array(summed, ', ')) name), finer,
    (select string_agg(n::text, ', ') from generate_series(1, cardinality(string_to_array(key, ', '))) n));
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format('create trigger %s after %s on %I referencing %s for each statement execute function sum_up(%L, %L, %L, %L)',
      finer || '_summed_on_' || event, event, finer,
      case event when 'insert' then 'new table as added' when 'delete' then 'old table as removed'
        else 'new table as added old table as removed' end,
      coarser, key, computed, summed);
  end loop;
end $$;

-- game_hours by the UTC day. A row may be without a bet.
create table game_days (
  day date not null,
  game_id integer not null,
  generation integer not null,
  bets bigint not null,
  own_staked_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  primary key (generation, day, game_id)
) with (fillfactor = 70);
call keep_sums('game_hours', 'game_days', 'generation, day, game_id', 'generation, (hour at time zone ''UTC'')::date, game_id',
  'bets, own_staked_usd, own_paid_usd');

-- account_hours by the UTC day.
create table account_days (
  day date not null,
  currency_id text not null,
  account smallint not null,
  change numeric(38, 0) not null,
  primary key (day, currency_id, account)
) with (fillfactor = 70);
call keep_sums('account_hours', 'account_days', 'day, currency_id, account', '(hour at time zone ''UTC'')::date, currency_id, account', 'change');

-- The tables that follow count everybody: who reads them takes off what `uncounted_users` have done, who are few. Sixteen rows of each, so
-- that payments and sign-ups seldom wait for each other. A row may be negative, a sum never is.

create table payment_days (
  day date not null,
  direction text not null,
  currency_id text not null,
  network_id text not null,
  shard smallint not null,
  count bigint not null,
  failed bigint not null,
  amount numeric(38, 0) not null,
  usd_amount numeric(38, 0) not null,
  primary key (day, direction, currency_id, network_id, shard)
) with (fillfactor = 70);
call keep_sums('payment_hours', 'payment_days', 'day, direction, currency_id, network_id, shard',
  '(hour at time zone ''UTC'')::date, direction, currency_id, network_id, pg_backend_pid() % 16', 'count, failed, amount, usd_amount');

create table money_days (
  day date not null,
  kind text not null,
  currency_id text not null,
  shard smallint not null,
  usd_amount numeric(38, 0) not null,
  primary key (day, kind, currency_id, shard)
) with (fillfactor = 70);
call keep_sums('money_hours', 'money_days', 'day, kind, currency_id, shard',
  '(hour at time zone ''UTC'')::date, kind, currency_id, pg_backend_pid() % 16', 'usd_amount');

create table first_deposit_hours (
  hour timestamptz not null,
  currency_id text not null,
  shard smallint not null,
  players bigint not null,
  primary key (hour, currency_id, shard)
) with (fillfactor = 70);
call keep_sums('first_deposits', 'first_deposit_hours', 'hour, currency_id, shard',
  'date_trunc(''hour'', at, ''UTC''), currency_id, pg_backend_pid() % 16', 'players');
drop procedure keep_sums;

-- Sign-ups by the hour, counted where all users are.
create table registration_hours (
  hour timestamptz not null,
  shard smallint not null,
  users bigint not null,
  primary key (hour, shard)
) with (fillfactor = 70);
insert into registration_hours (hour, shard, users) select date_trunc('hour', created_at, 'UTC'), 0, count(*) from users group by 1;
create or replace function count_new_users() returns trigger language plpgsql as $$
begin
  update user_counts set users = users + (select count(*) from added) where shard = pg_backend_pid() % 16;
  insert into registration_hours as h (hour, shard, users)
  select date_trunc('hour', created_at, 'UTC'), pg_backend_pid() % 16, count(*) from added group by 1 order by 1
  on conflict (hour, shard) do update set users = h.users + excluded.users;
  return null;
end $$;

-- ---------------------------------------------------------------- players

-- Who signed up, played or deposited on a UTC day that is over, packed so that a year of a million players is read in a few megabytes: what
-- counts players (of a range, of some games, who came back) cannot be added up from sums. A job packs days. Whatever changes one unpacks
-- it in the same transaction: then, and as long as a day goes on, it is read from its rows.
create table packed_days (
  source text not null check (source in ('play', 'deposit', 'registration')),
  day date not null,
  -- Of `user-stats` for play: a day of an earlier one is not packed.
  generation integer not null,
  primary key (source, day)
);
create table packed_players (
  source text not null,
  day date not null,
  -- The game that was played, the currency that was deposited.
  key text not null,
  -- Of each in ascending order: id, and the hours of the day as bits; 4 bytes each.
  players bytea not null,
  -- In the same order: own stakes and payouts, or what was deposited and how many of these deposits were not the first; 8 bytes each.
  amounts bytea not null,
  primary key (source, day, key),
  foreign key (source, day) references packed_days on delete cascade
);
-- They would not become smaller.
alter table packed_players alter column players set storage external, alter column amounts set storage external;

-- Arguments: the source, and the column with the time.
create function unpack_days() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    execute format('delete from packed_days where source = %L and day in (select (%I at time zone ''UTC'')::date from added)', tg_argv[0], tg_argv[1]);
  end if;
  if tg_op <> 'INSERT' then
    execute format('delete from packed_days where source = %L and day in (select (%I at time zone ''UTC'')::date from removed)', tg_argv[0], tg_argv[1]);
  end if;
  return null;
end $$;
create procedure keep_packed(finer text, source text, at text) language plpgsql as $$
declare
  event text;
begin
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format('create trigger %s after %s on %I referencing %s for each statement execute function unpack_days(%L, %L)',
      finer || '_unpacked_on_' || event, event, finer,
      case event when 'insert' then 'new table as added' when 'delete' then 'old table as removed'
        else 'new table as added old table as removed' end,
      source, at);
  end loop;
end $$;
call keep_packed('play_hours', 'play', 'hour');
call keep_packed('payment_hours', 'deposit', 'hour');
call keep_packed('first_deposits', 'deposit', 'at');
drop procedure keep_packed;

-- ---------------------------------------------------------------- withdrawals

-- How long withdrawals that were approved in a time had waited.
create index withdrawals_confirmed_idx on withdrawals (confirmed_at) include (created_at, currency_id, network_id, user_id, status)
  where confirmed_at is not null;
