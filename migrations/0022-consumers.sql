-- What follows settled bets, and can be taken back.

-- Where in the order of ids a settled bet was rolled back; its amounts stay as they were. A bet that was rolled back while it was
-- open has none: it never counted.
alter table bets add column reversal_id bigint;
create index bets_reversal_idx on bets (reversal_id) where reversal_id is not null;
create index bets_user_reversal_idx on bets (user_id, reversal_id) where reversal_id is not null;

alter table cursors
  -- The version of the program that has built this: an older one leaves it alone, a newer one begins anew.
  add column version integer not null default 0,
  add column paused_at timestamptz,
  -- What was taken in behind this place is taken back, then taken in again.
  add column replay_from bigint check (replay_from >= 0),
  -- Whose places it counts; null: it follows something else than bets.
  add column follows text check (follows in ('bets'));
update cursors set follows = 'bets' where name in ('user-stats', 'game-returns');
update cursors set version = generation where name = 'game-returns';
-- Statistics get a table more: they are built anew, answers stay exact meanwhile.
update cursors set position = 0, generation = generation + 1 where name = 'user-stats';
-- Who has used most of a limit matters from now on only.
insert into cursors (name, follows, position) select 'limit-warnings', 'bets', coalesce(max(id), 0) from bets;

-- What a player's settled bets in a game come to by the hour of their settlement, up to the cursor `user-stats`; US dollars × 10^8.
-- Maxima can be found again: his bets of the hour have places from first_place to last_place.
create table play_hours (
  hour timestamptz not null,
  game_id integer not null,
  user_id integer not null,
  generation integer not null,
  bets bigint not null,
  wins bigint not null,
  staked_usd numeric(38, 0) not null,
  paid_usd numeric(38, 0) not null,
  biggest_win_usd bigint not null,
  best_multiplier_e4 bigint not null,
  last_at timestamptz not null,
  first_place bigint not null,
  last_place bigint not null,
  primary key (game_id, hour, user_id)
) with (fillfactor = 80);
create index play_hours_user_idx on play_hours (user_id, hour);

-- Of which limits a player was told in which period that most of them is used; a limit of another amount is another one.
create table limit_warnings (
  user_id integer not null,
  type text not null,
  period text not null,
  period_start timestamptz not null,
  amount bigint not null,
  warned_at timestamptz not null default now(),
  primary key (user_id, type, period, period_start, amount)
);
create index limit_warnings_warned_idx on limit_warnings (warned_at);
