-- A player's bets that were settled later than they were made, for his statistics behind the cursor.
create index bets_user_settlement_idx on bets (user_id, settlement_id) where settlement_id is not null;

-- What settled bets of a game come to by the hour, up to the cursor `game-returns`; US dollars × 10^8, theory in dollars. Rows of an
-- earlier generation count for nothing. Apart: bets that maxProfit can cut, and bets that no theory is known for.
insert into cursors (name) values ('game-returns');
create table game_returns (
  game_id integer not null references games,
  hour timestamptz not null,
  generation integer not null,
  bets bigint not null,
  staked_usd numeric(38, 0) not null,
  paid_usd numeric(38, 0) not null,
  -- Paid as theory counts it, Σ s·r and Σ s²·v of these bets; in dollars.
  counted double precision not null,
  expected double precision not null,
  variance double precision not null,
  apart_bets bigint not null,
  apart_staked_usd numeric(38, 0) not null,
  apart_paid_usd numeric(38, 0) not null,
  primary key (game_id, hour)
);

-- What the daily watch over the returns knows of a game: each window is judged once, each alert is raised once.
create table return_alerts (
  game_id integer not null references games,
  kind text not null check (kind in ('RETURN', 'UNIFORMITY')),
  -- Windows running that lay outside.
  misses integer not null default 0,
  judged_until timestamptz not null,
  -- Since when an alert stands; null: none does.
  raised_at timestamptz,
  facts jsonb not null default '{}',
  primary key (game_id, kind)
);
