-- ---------------------------------------------------------------- speed-roulette: one round at a time for everybody

-- A chain of seeds, each the hash of the one played after it. The row is written before the block is known whose hash
-- becomes the public seed.
create table speed_chains (
  id integer generated always as identity primary key,
  -- The last link: published, never played.
  commitment text not null unique check (commitment ~ '^[0-9a-f]{64}$'),
  length integer not null check (length > 0),
  -- Every thousandth link, sealed as one: the others are hashed from them.
  links bytea not null,
  -- The block of the public chain that gives the public seed.
  block_height integer not null check (block_height >= 0),
  public_seed text check (length(public_seed) between 1 and 64),
  public_seed_at timestamptz,
  -- It can be played no further: its links cannot be read.
  retired_at timestamptz,
  -- When the commitment was published.
  created_at timestamptz not null default clock_timestamp(),
  check ((public_seed is null) = (public_seed_at is null)),
  check (public_seed_at > created_at)
);
create trigger speed_chains_no_delete before delete or truncate on speed_chains
  for each statement execute function refuse_change();

-- bets.round_id is the id of a row here. Limits (US dollars) and times are those of its start.
create table speed_rounds (
  id bigint generated always as identity primary key,
  chain_id integer not null references speed_chains,
  position integer not null check (position > 0),
  phase text not null check (phase in ('BETTING', 'WAITING', 'RESULT', 'DONE', 'VOID')),
  seed_hash text not null,
  seed text,
  number smallint check (number between 0 and 14),
  min_bet bigint not null check (min_bet > 0),
  max_bet bigint not null check (max_bet >= min_bet),
  max_profit bigint not null check (max_profit >= max_bet),
  betting_ms integer not null check (betting_ms > 0),
  waiting_ms integer not null check (waiting_ms >= 0),
  result_ms integer not null check (result_ms >= 0),
  started_at timestamptz not null,
  -- End of the phase that it is in.
  ends_at timestamptz not null,
  drawn_at timestamptz,
  -- Since when no bet of it waits for its result, or for its stake where there is none.
  settled_at timestamptz,
  unique (chain_id, position),
  -- Nothing of the result is in the row before RESULT, and all of it from then on.
  constraint speed_rounds_drawn check (
    case when phase in ('RESULT', 'DONE') then seed is not null and number is not null and drawn_at is not null
    else seed is null and number is null and drawn_at is null end),
  constraint speed_rounds_settled check (phase <> 'DONE' or settled_at is not null)
);
create unique index speed_rounds_current on speed_rounds ((true)) where phase in ('BETTING', 'WAITING', 'RESULT');
create index speed_rounds_unsettled_idx on speed_rounds (id) where settled_at is null;
create trigger speed_rounds_no_delete before delete or truncate on speed_rounds
  for each statement execute function refuse_change();
