-- Which positions came up in a game on a day (UTC), up to the cursor `game-returns`: pockets of the wheel, numbers drawn, cards by their
-- place in the deck. Rows of an earlier generation count for nothing.
create table game_positions (
  game_id integer not null references games,
  day timestamptz not null,
  generation integer not null,
  counts integer[] not null,
  primary key (game_id, day)
) with (fillfactor = 50);

-- Of which time on no test has taken in what came up: days with too little to be tested wait for the next. Null: of all time.
alter table return_alerts add column untested_from timestamptz;

-- The rounds of a day, which are counted as they are.
create index speed_rounds_drawn_idx on speed_rounds (drawn_at) where number is not null;
