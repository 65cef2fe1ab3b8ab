-- What stays known of a month of bets or ledger lines that was detached: books are proven by it as if the month was still there.
-- A row counts while its partition is not attached, so that detaching and attaching need no other change.
create table archived_parts (
  part text primary key,
  list text not null check (list in ('bets', 'ledger_lines')),
  -- All its ids lie below.
  below bigint not null,
  -- When its last row was written or settled; null: it has none.
  latest timestamptz,
  rows bigint not null,
  created_at timestamptz not null default now()
);
-- Rows of a list that have gone with a part: of a user, or of all (user 0). Movements of the ledger, bets.
create table archived_rows (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  rows bigint not null,
  primary key (user_id, part)
);
-- What the lines of a part have added to an account. Accounts of the platform stand under user 0.
create table ledger_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  currency_id text not null,
  account smallint not null,
  change numeric(38, 0) not null,
  primary key (user_id, currency_id, account, part)
);
-- What the settled bets of a part come to for a player and a game; US dollars × 10^8, as in user_stats.
create table bet_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  game_id integer not null,
  bets bigint not null,
  wins bigint not null,
  wagered_usd numeric(38, 0) not null,
  payout_usd numeric(38, 0) not null,
  biggest_win_usd bigint not null,
  best_multiplier_e4 bigint not null,
  primary key (user_id, game_id, part)
);
-- The best of what has gone with a part from an hour of a player's in a game that has other bets as well. When one of those is rolled
-- back, the best of the hour is found again among them and this.
create table hour_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  game_id integer not null,
  hour timestamptz not null,
  biggest_win_usd bigint not null,
  best_multiplier_e4 bigint not null,
  last_at timestamptz not null,
  primary key (user_id, game_id, hour, part)
);

-- Parts that are away, by the snapshot of whoever asks: the same that decides whether he still reads their rows.
create view parts_away as
  select p.* from archived_parts p
  where not exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = p.list::regclass and c.relname = p.part and not i.inhdetachpending);

-- Ids of a list below which nothing can be read any more.
create function archived_below(which text) returns bigint stable language sql as $$
  select coalesce(max(below), 0) from parts_away where list = which
$$;

-- How many rows of a list have gone, of a user or of all.
create function archived_count(which text, whose integer) returns bigint stable language sql as $$
  select coalesce(sum(r.rows), 0)::bigint from archived_rows r join parts_away p on p.part = r.part
  where r.user_id = whose and p.list = which
$$;

-- Every bet of a round has a larger id: partitions before it are not looked into.
alter table speed_rounds add column first_id bigint not null default 0;
alter table speed_rounds alter column first_id set default coalesce(pg_sequence_last_value('ledger_ids'), 0);

-- Notices whose bodies are still there, for the job that empties them.
create index webhook_events_body_idx on webhook_events (received_at) where processed_at is not null and body <> '';
