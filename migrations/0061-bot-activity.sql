-- Scenery: rows of the live feed that nobody has played and that say so, and the accounts of bots under which they are shown.

-- Nobody signs in with the account of a bot, and it takes part in nothing: `players.is_banned` holds for it as for a banned one.
alter table users add column is_bot boolean not null default false;
create index users_bot_idx on users (id) where is_bot;

create table bot_activities (
  id uuid primary key,
  user_id integer not null unique references users,
  type text not null check (type in ('HOUSE_GAME', 'SLOTS', 'MIXED')),
  behavior text not null check (behavior in ('CALM', 'NORMAL', 'AGGRESSIVE')),
  -- Days of the week (UTC) on which it begins.
  play_days text[] not null check (cardinality(play_days) > 0
    and play_days <@ array['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']),
  -- Minutes after midnight (UTC).
  start_minute smallint not null check (start_minute between 0 and 1439),
  -- Slugs.
  games text[] not null check (cardinality(games) > 0),
  is_active boolean not null,
  last_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Kept for an hour. Ids come from the blocks of the ledger, so that rows have their place among the bets of the feed; no bet, posting or
-- event has the same.
create table simulated_bets (
  id bigint primary key,
  user_id integer not null,
  game_id integer not null,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  payout bigint not null check (payout >= 0),
  usd_amount bigint not null,
  usd_payout bigint not null,
  created_at timestamptz not null default now()
);
