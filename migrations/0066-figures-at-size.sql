-- The players of a packed day once more, each of them once whatever they have played or deposited: what asks for no game and no currency reads
-- one row a day instead of one for each game. Days that were packed before this are packed again by the job; until then their hours are read.
create table packed_together (
  source text not null,
  day date not null,
  -- As in packed_players.
  players bytea not null,
  amounts bytea not null,
  -- In the same order: the hour in which they signed up, counted from 1970; 4 bytes each.
  sign_ups bytea not null,
  primary key (source, day),
  foreign key (source, day) references packed_days on delete cascade
);
alter table packed_together alter column players set storage external, alter column amounts set storage external,
  alter column sign_ups set storage external;
-- Sign-ups of a day are not packed any more.
delete from packed_days where source = 'registration';

-- First deposits by the UTC day, as the other sums by the day.
create table first_deposit_days (
  day date not null,
  currency_id text not null,
  shard smallint not null,
  players bigint not null,
  primary key (day, currency_id, shard)
) with (fillfactor = 70);
-- safe first_deposits: what is added up meanwhile are the hours of all years, some ten thousand rows
lock table first_deposits in share row exclusive mode;
insert into first_deposit_days (day, currency_id, shard, players)
  select (hour at time zone 'UTC')::date, currency_id, 0, sum(players) from first_deposit_hours group by 1, 2;
create trigger first_deposits_by_day_on_insert after insert on first_deposits referencing new table as added for each statement
  execute function sum_up('first_deposit_days', 'day, currency_id, shard', '(at at time zone ''UTC'')::date, currency_id, pg_backend_pid() % 16', 'players');
create trigger first_deposits_by_day_on_update after update on first_deposits referencing new table as added old table as removed for each statement
  execute function sum_up('first_deposit_days', 'day, currency_id, shard', '(at at time zone ''UTC'')::date, currency_id, pg_backend_pid() % 16', 'players');
create trigger first_deposits_by_day_on_delete after delete on first_deposits referencing old table as removed for each statement
  execute function sum_up('first_deposit_days', 'day, currency_id, shard', '(at at time zone ''UTC'')::date, currency_id, pg_backend_pid() % 16', 'players');

-- How many referrals of all streamers were active of late is read from the index alone.
create index referral_activity_counted_idx on referral_activity (affiliate_user_id, day) include (referrals);
