-- Who has played on a day is read from packed days (0059); nothing reads this any more. A worker of the version before cannot write without
-- it, and leaves the bets to its successor.
drop table play_days;

-- game_hours by the provider of the game: in a time zone each day begins within a UTC day, so that a year by the day is read by the hour.
-- A row may be without a bet; provider -1: of a game that is not in the catalogue, which nobody reads. The lock keeps changes away until the trigger is there.
lock table game_hours in share row exclusive mode;
create table provider_hours (
  hour timestamptz not null,
  provider_id integer not null,
  generation integer not null,
  bets bigint not null,
  own_staked_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  primary key (generation, hour, provider_id)
) with (fillfactor = 70);
insert into provider_hours (generation, hour, provider_id, bets, own_staked_usd, own_paid_usd)
  select generation, hour, coalesce(provider_id, -1), sum(bets), sum(own_staked_usd), sum(own_paid_usd)
  from game_hours left join games on games.id = game_id group by 1, 2, 3;
create trigger game_hours_of_providers_on_insert after insert on game_hours referencing new table as added for each statement
  execute function sum_up('provider_hours', 'generation, hour, provider_id',
    'generation, hour, coalesce((select provider_id from games where id = game_id), -1)', 'bets, own_staked_usd, own_paid_usd');
create trigger game_hours_of_providers_on_update after update on game_hours referencing new table as added old table as removed for each statement
  execute function sum_up('provider_hours', 'generation, hour, provider_id',
    'generation, hour, coalesce((select provider_id from games where id = game_id), -1)', 'bets, own_staked_usd, own_paid_usd');
create trigger game_hours_of_providers_on_delete after delete on game_hours referencing old table as removed for each statement
  execute function sum_up('provider_hours', 'generation, hour, provider_id',
    'generation, hour, coalesce((select provider_id from games where id = game_id), -1)', 'bets, own_staked_usd, own_paid_usd');
