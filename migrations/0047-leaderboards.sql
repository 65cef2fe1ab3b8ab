-- Leaderboards: whoever stakes most of their own money within a time wins prizes.

-- Runs are for what happens to bets from now on.
insert into cursors (name, follows, position)
  select 'leaderboards', 'bets', coalesce(greatest(max(id), max(settlement_id), max(reversal_id), (select max(id) from bet_corrections)), 0) from bets;

create table leaderboard_schedules (
  id text primary key check (id in ('daily', 'weekly', 'monthly')),
  enabled boolean not null default false,
  name text not null,
  description text not null,
  currency_id text not null,
  -- Dollars × 10^8; so are all amounts here but those that name a currency.
  min_bet_usd bigint not null default 0 check (min_bet_usd >= 0),
  prizes jsonb not null,
  -- Which games count: any of these. All empty: every game.
  categories text[] not null default '{}',
  provider_ids integer[] not null default '{}',
  game_slugs text[] not null default '{}',
  -- When its latest run ends and the next one begins; null: it never had one.
  next_start timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
insert into leaderboard_schedules (id, name, description, currency_id, prizes) values
  ('daily', 'Daily race', 'Whoever wagers most today wins.', 'USDT',
    '[{"place": 1, "usdAmount": "100"}, {"place": 2, "usdAmount": "50"}, {"place": 3, "usdAmount": "25"}]'),
  ('weekly', 'Weekly race', 'Whoever wagers most this week wins.', 'USDT',
    '[{"place": 1, "usdAmount": "500"}, {"place": 2, "usdAmount": "250"}, {"place": 3, "usdAmount": "125"}]'),
  ('monthly', 'Monthly race', 'Whoever wagers most this month wins.', 'USDT',
    '[{"place": 1, "usdAmount": "2000"}, {"place": 2, "usdAmount": "1000"}, {"place": 3, "usdAmount": "500"}]');

-- One run, with the settings of when it was made.
create table leaderboards (
  id integer generated always as identity primary key,
  type text not null check (type in ('DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL')),
  status text not null check (status in ('SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED')),
  schedule_id text references leaderboard_schedules,
  name text not null,
  description text not null,
  currency_id text not null,
  min_bet_usd bigint not null check (min_bet_usd >= 0),
  prizes jsonb not null,
  categories text[] not null,
  provider_ids integer[] not null,
  game_slugs text[] not null,
  -- Whether the prize of a place that is skipped goes to the next one.
  moves_prizes_up boolean not null,
  start_date timestamptz not null,
  end_date timestamptz not null,
  -- Of the cursor: bets that were counted in an earlier one no longer count in a run that is open.
  generation integer not null,
  participants integer not null default 0 check (participants >= 0),
  -- Set when the run ends: places are frozen once all effects of bets below it have been applied.
  horizon bigint,
  -- Effects up to this position are in the frozen places, or no longer matter.
  frozen_upto bigint,
  -- What was announced last: the first ten and their scores.
  leaders jsonb not null default '[]',
  announced_at timestamptz,
  -- Its counted bets were forgotten.
  is_purged boolean not null default false,
  created_by integer references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (schedule_id, end_date),
  check ((type = 'SPECIAL') = (schedule_id is null)),
  check (end_date > start_date),
  check ((status in ('AWAITING_PAYOUT', 'FINISHED')) = (frozen_upto is not null))
);
create index leaderboards_start_idx on leaderboards (start_date, id);
create index leaderboards_end_idx on leaderboards (end_date, id);
create index leaderboards_created_idx on leaderboards (created_at, id);
create index leaderboards_open_idx on leaderboards (id) where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING');

-- Who takes part, and with what: the sum of their bets that count. Nobody has a score of 0.
create table leaderboard_scores (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  score numeric(38, 0) not null,
  -- The sequence position of the last bet that counts: of two with one score the lower one is ahead.
  reached_place bigint not null,
  -- Once the run is frozen.
  place integer,
  -- What the place wins, once the run is frozen; null: nothing.
  prize_usd bigint check (prize_usd > 0),
  -- In a prize place, and may not win.
  is_skipped boolean not null default false,
  updated_at timestamptz not null default now(),
  primary key (leaderboard_id, user_id),
  check (not is_skipped or prize_usd is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index leaderboard_scores_standing_idx on leaderboard_scores (leaderboard_id, score desc, reached_place, user_id);
create index leaderboard_scores_user_idx on leaderboard_scores (user_id, leaderboard_id);
create index leaderboard_scores_prize_idx on leaderboard_scores (leaderboard_id, place) where prize_usd is not null;

-- What each bet has added to a run: a reversal takes this back.
create table leaderboard_bets (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  -- The sequence position of the bet.
  place bigint not null,
  bet_id bigint not null,
  usd bigint not null check (usd > 0),
  primary key (leaderboard_id, user_id, place, bet_id)
);

-- Prizes that were paid: once per player, and once per place.
create table leaderboard_prizes (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  place integer not null,
  usd_amount bigint not null check (usd_amount > 0),
  full_usd_amount bigint not null check (full_usd_amount >= usd_amount),
  currency_id text not null,
  amount bigint not null check (amount > 0),
  entry_id bigint not null unique,
  -- The member of staff; null: paid by itself.
  paid_by integer,
  created_at timestamptz not null default now(),
  primary key (leaderboard_id, user_id),
  unique (leaderboard_id, place)
);
