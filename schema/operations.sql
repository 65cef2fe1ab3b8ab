-- Technical tables: consumers, the broker over PostgreSQL, jobs, detached months and backups.

-- ---------------------------------------------------------------- Consumers

-- The position of a consumer. Everything with an id up to it has been processed.
create table cursors (
  name text primary key,
  position bigint not null default 0,
  -- Rows that the consumer has built count only if they have this generation. A rebuild starts a new one.
  generation integer not null default 0,
  updated_at timestamptz not null default now(),
  -- Version of the consumer that built the rows. An older version stops, a newer one rebuilds.
  version integer not null default 0,
  -- Paused by staff.
  paused_at timestamptz,
  -- Everything after this position is reversed and processed again.
  replay_from bigint check (replay_from >= 0),
  -- `bets` if positions are those of bets. Null for other sources.
  follows text check (follows in ('bets')),
  -- Payments depend on what it built, so it applies each position once and cannot be rebuilt.
  pays_out boolean not null default false,
  constraint cursors_pays_out_check check (not pays_out or (replay_from is null and generation = 0))
);
insert into cursors (name, follows, generation, pays_out, position, version) values
  ('account-hours', null, 0, false, 0, 0),
  ('challenges', 'bets', 0, false, 0, 0),
  ('events-relay', null, 0, false, 0, 0),
  ('game-returns', 'bets', 0, false, 0, 0),
  ('leaderboards', 'bets', 0, false, 0, 0),
  ('limit-warnings', 'bets', 0, false, 0, 0),
  ('rewards', 'bets', 0, true, 0, 0),
  ('user-stats', 'bets', 1, false, 0, 0);

-- ---------------------------------------------------------------- Jobs and processes

-- When a repeated job is due. next_at changes when a run has ended, so a job stays due if its worker dies.
create table schedules (
  name text primary key,
  every_ms integer not null check (every_ms > 0),
  next_at timestamptz not null default now(),
  ran_at timestamptz,
  succeeded_at timestamptz
);

-- Requests counted in a time window. Unlogged: lost after a crash.
create unlogged table rate_limits (
  key text not null,
  window_start bigint not null,
  hits integer not null,
  primary key (key, window_start)
);
create index rate_limits_window_idx on rate_limits (window_start);

-- A small write of a process that shows whether the database commits.
create table commit_probes (
  process uuid primary key,
  -- Increases with each write. A repeated number reveals a database that came back at an earlier state.
  beat integer not null,
  at timestamptz not null
) with (fillfactor = 50);

-- A message between realtime processes that is too large for NOTIFY. Written and deleted by the adapter of Socket.IO. Its ids pass
-- through JSON, so they restart before they become too large.
create unlogged table socket_io_attachments (
  id integer generated always as identity (cycle) primary key,
  created_at timestamptz not null default now(),
  payload bytea
);
create index socket_io_attachments_created_idx on socket_io_attachments (created_at);

-- Log levels that staff set for a while. At most one row.
create table log_levels (
  one boolean primary key default true check (one),
  levels jsonb not null,
  expires_at timestamptz not null
);

-- A finished backup. The worker exports the age of the newest.
create table backups (
  id bigint generated always as identity primary key,
  finished_at timestamptz not null,
  place text not null,
  bytes bigint not null
);
create index backups_finished_at on backups (finished_at);

-- ---------------------------------------------------------------- Broker over PostgreSQL

-- A queue.
create table broker_queues (
  name text primary key check (length(name) between 1 and 200),
  -- False if it ends with its last consumer.
  lasts boolean not null,
  -- The newest messages that it keeps. Null for all.
  most integer check (most > 0),
  created_at timestamptz not null default now()
);

-- A pattern of messages that a queue receives.
create table broker_bindings (
  queue text not null references broker_queues on delete cascade,
  pattern text not null,
  -- The pattern as a regular expression over the message's name followed by a dot.
  matcher text not null,
  primary key (queue, pattern)
);

-- A process that consumes a queue.
create table broker_consumers (
  queue text not null references broker_queues on delete cascade,
  -- The process, which is alive as long as it holds the advisory lock of this name.
  holder text not null,
  primary key (queue, holder)
);
create index broker_consumers_holder_idx on broker_consumers (holder);

-- A message in a queue.
create table broker_messages (
  id bigint generated always as identity primary key,
  queue text not null references broker_queues on delete cascade,
  message_id text not null,
  pattern text not null,
  data json not null,
  headers json not null default '{}',
  -- Failed deliveries so far.
  attempt integer not null default 0,
  redelivered boolean not null default false,
  -- The process that handles the message now.
  holder text,
  due_at timestamptz not null default now(),
  expires_at timestamptz,
  enqueued_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index broker_messages_waiting_idx on broker_messages (queue, id) where holder is null;
create index broker_messages_holder_idx on broker_messages (holder) where holder is not null;
create index broker_messages_expires_idx on broker_messages (expires_at) where expires_at is not null;

-- A message that was given up after too many attempts.
create table broker_dead_letters (
  id uuid primary key default gen_random_uuid(),
  queue text not null,
  message_id text not null,
  pattern text not null,
  data json not null,
  headers json not null,
  attempts integer not null,
  reason text not null,
  died_at timestamptz not null default now()
);
create index broker_dead_letters_died_idx on broker_dead_letters (died_at);

-- A message that a consumer has processed. Used by processes of earlier versions only.
create table consumed_messages (
  queue text not null,
  message_id text not null,
  consumed_at timestamptz not null default now(),
  primary key (queue, message_id)
);
create index consumed_messages_consumed_idx on consumed_messages using brin (consumed_at);

-- ---------------------------------------------------------------- Detached months

-- The totals of detached months, so that the books can be verified without them. A row counts while its partition is detached.

-- A detached partition.
create table archived_parts (
  part text primary key,
  list text not null,
  -- All its ids are smaller.
  below bigint not null,
  -- When its last row was written or settled. Null without rows.
  latest timestamptz,
  rows bigint not null,
  created_at timestamptz not null default now(),
  constraint archived_parts_list_check check (list in ('bets', 'bet_rewards', 'ledger_lines'))
);

-- Partitions that are detached in the snapshot of the query.
create view parts_away as
  select p.* from archived_parts p
  where not exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = p.list::regclass and c.relname = p.part and not i.inhdetachpending);

-- Ids of a list below which nothing can be read.
create function archived_below(which text) returns bigint stable language sql as $$
  select coalesce(max(below), 0) from parts_away where list = which
$$;

-- The number of rows of a player, or of all (user 0), in a detached partition.
create table archived_rows (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  rows bigint not null,
  primary key (user_id, part)
);

-- The number of detached rows of a list for a player or for all.
create function archived_count(which text, whose integer) returns bigint stable language sql as $$
  select coalesce(sum(r.rows), 0)::bigint from archived_rows r join parts_away p on p.part = r.part
  where r.user_id = whose and p.list = which
$$;

-- The change of an account by the lines of a detached partition. Accounts of the platform have user 0.
create table ledger_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  currency_id text not null,
  account smallint not null,
  change numeric(38, 0) not null,
  primary key (user_id, currency_id, account, part)
);

-- The settled bets of a player in a game in a detached partition.
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
  undecided_usd numeric(38, 0) not null default 0,
  primary key (user_id, game_id, part)
);

-- The best bets of a player's hour in a detached partition, if the hour also has bets in another partition. Needed when one of those is
-- rolled back.
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

-- The sums of detached bet_rewards that count.
create table reward_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  currency_id text not null,
  -- 0 if the player was not referred.
  affiliate_user_id integer not null,
  own_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  instant numeric(38, 0) not null,
  daily numeric(38, 0) not null,
  weekly numeric(38, 0) not null,
  monthly numeric(38, 0) not null,
  affiliate_usd numeric(38, 0) not null,
  primary key (part, user_id, currency_id, affiliate_user_id)
);

-- ---------------------------------------------------------------- Partitions

-- Rows before the first month. In a new database these partitions stay empty.
create table bets_before (like bets including defaults including constraints including storage,
  constraint bets_before_pkey primary key (id),
  constraint bets_before_seed_nonce_key unique (seed_pair_id, nonce)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index bets_before_user_idx on bets_before (user_id, id);
create index bets_before_settlement_idx on bets_before (settlement_id) where settlement_id is not null;
create index bets_before_round_idx on bets_before (round_id, user_id) where round_id is not null;
create index bets_before_unsettled_idx on bets_before (status, id) where status <> 'SETTLED';
create index bets_before_unsettled_user_idx on bets_before (user_id, status, id) where status <> 'SETTLED';
create index bets_before_user_settlement_idx on bets_before (user_id, settlement_id) where settlement_id is not null;

create table ledger_lines_before (like ledger_lines including defaults including constraints including storage,
  constraint ledger_lines_before_pkey primary key (user_id, id)
);
create index ledger_lines_before_id_brin on ledger_lines_before using brin (id int8_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);
create index ledger_lines_before_rare_idx on ledger_lines_before (id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_before_rare_kind_idx on ledger_lines_before (kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_before_rare_user_idx on ledger_lines_before (user_id, kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));

create table bet_rewards_before (like bet_rewards including defaults including constraints including storage);

-- Attaches them, creates the current month and the next two, and moves the ids to the current month.
do $$
declare
  month integer := (extract(year from now() at time zone 'UTC')::int - 2020) * 12 + extract(month from now() at time zone 'UTC')::int - 1;
  whole text;
begin
  foreach whole in array array['bets', 'ledger_lines', 'bet_rewards'] loop
    execute format('alter table %I attach partition %I for values from (minvalue) to (%s)', whole, whole || '_before', month::bigint << 43);
    perform guard_partition((whole || '_before')::regclass, whole);
  end loop;
  perform create_month(month + ahead) from generate_series(0, 2) ahead;
  perform move_ids(month);
  perform analyze_whole('bets'), analyze_whole('ledger_lines'), analyze_whole('bet_rewards');
end $$;
