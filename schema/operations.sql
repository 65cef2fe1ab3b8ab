-- Technical tables: consumers, jobs, backups and detached months.

-- ---------------------------------------------------------------- Consumers

-- The position of a consumer. The consumer has processed everything up to and including this position.
create table cursors (
  name text primary key,
  position bigint not null default 0,
  -- Rows that the consumer has written are valid only if they have this generation. A rebuild starts a new generation.
  generation integer not null default 0,
  updated_at timestamptz not null default now(),
  -- Version of the consumer that wrote the rows. An older version of the consumer does nothing, and a newer version rebuilds the rows.
  version integer not null default 0,
  -- When staff paused the consumer. Null if it is not paused.
  paused_at timestamptz,
  -- Set while a replay is pending: everything after this position will be reversed and processed again.
  replay_from bigint check (replay_from >= 0),
  -- `bets` if the consumer processes bets. Null for other sources.
  follows text check (follows in ('bets')),
  -- True if payments depend on the consumer's rows. Such a consumer applies each position only once and cannot be rebuilt.
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

-- When a repeated job is due. Only processes of version 0.1.0 use this table. graphile-worker stores the runs of cron jobs.
create table schedules (
  name text primary key,
  every_ms integer not null check (every_ms > 0),
  next_at timestamptz not null default now(),
  ran_at timestamptz,
  succeeded_at timestamptz
);

-- The number of requests in a time window. The table is unlogged, so its rows are lost in a crash.
create unlogged table rate_limits (
  key text not null,
  window_start bigint not null,
  hits integer not null,
  primary key (key, window_start)
);
create index rate_limits_window_idx on rate_limits (window_start);

-- A small write that a process repeats to check whether the database commits.
create table commit_probes (
  process uuid primary key,
  -- Incremented by each write. If a process gets the same number twice, the database has returned to an earlier state.
  beat integer not null,
  at timestamptz not null
) with (fillfactor = 50);

-- A message between realtime processes that is too large for NOTIFY. The Socket.IO adapter writes and deletes it. The ids are sent as JSON
-- numbers, so the sequence starts again before they become too large.
create unlogged table socket_io_attachments (
  id integer generated always as identity (cycle) primary key,
  created_at timestamptz not null default now(),
  payload bytea
);
create index socket_io_attachments_created_idx on socket_io_attachments (created_at);

-- Log levels that staff have set temporarily. The table has at most one row.
create table log_levels (
  one boolean primary key default true check (one),
  levels jsonb not null,
  expires_at timestamptz not null
);

-- A finished backup. The worker exports the age of the newest backup as a metric.
create table backups (
  id bigint generated always as identity primary key,
  finished_at timestamptz not null,
  place text not null,
  bytes bigint not null
);
create index backups_finished_at on backups (finished_at);

-- ---------------------------------------------------------------- Broker over PostgreSQL

-- A queue of the message broker. Only processes of version 0.1.0 use this table and the next four.
create table broker_queues (
  name text primary key check (length(name) between 1 and 200),
  -- False if the queue is deleted when its last consumer is gone.
  lasts boolean not null,
  -- Maximum number of messages. If there are more, the oldest waiting messages are deleted. Null if there is no maximum.
  most integer check (most > 0),
  created_at timestamptz not null default now()
);

-- A pattern of message names. The queue receives all messages whose name matches.
create table broker_bindings (
  queue text not null references broker_queues on delete cascade,
  pattern text not null,
  -- The pattern as a regular expression, which is matched against the message's name followed by a dot.
  matcher text not null,
  primary key (queue, pattern)
);

-- A process that consumes a queue.
create table broker_consumers (
  queue text not null references broker_queues on delete cascade,
  -- Name of the process. The process is alive as long as it holds the advisory lock with this name.
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
  -- Number of failed deliveries so far.
  attempt integer not null default 0,
  redelivered boolean not null default false,
  -- The process that is handling the message. Null if the message is waiting.
  holder text,
  due_at timestamptz not null default now(),
  expires_at timestamptz,
  enqueued_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index broker_messages_waiting_idx on broker_messages (queue, id) where holder is null;
create index broker_messages_holder_idx on broker_messages (holder) where holder is not null;
create index broker_messages_expires_idx on broker_messages (expires_at) where expires_at is not null;

-- A message that was abandoned after too many failed attempts.
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

-- A message that a consumer has processed. Only processes of earlier versions use this table.
create table consumed_messages (
  queue text not null,
  message_id text not null,
  consumed_at timestamptz not null default now(),
  primary key (queue, message_id)
);
create index consumed_messages_consumed_idx on consumed_messages using brin (consumed_at);

-- ---------------------------------------------------------------- Detached months

-- The totals of detached months, so that the books can be verified without the detached rows. A row is used only while its partition is
-- detached.

-- A partition that was prepared for detaching. The view parts_away contains those that are actually detached.
create table archived_parts (
  part text primary key,
  list text not null,
  -- All ids in the partition are smaller than this id.
  below bigint not null,
  -- When the last row of the partition was written or settled. Null if it has no rows.
  latest timestamptz,
  rows bigint not null,
  created_at timestamptz not null default now(),
  constraint archived_parts_list_check check (list in ('bets', 'bet_rewards', 'ledger_lines'))
);

-- The partitions that are detached, according to the query's snapshot.
create view parts_away as
  select p.* from archived_parts p
  where not exists (
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = p.list::regclass and c.relname = p.part and not i.inhdetachpending);

-- Returns the id below which all rows of a partitioned table are detached and cannot be read, or 0 if no partition is detached.
create function archived_below(which text) returns bigint stable language sql as $$
  select coalesce(max(below), 0) from parts_away where list = which
$$;

-- The number of a player's rows in a detached partition. User 0 stands for all players. A ledger line is counted once for each of its sides
-- that is a player account.
create table archived_rows (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  rows bigint not null,
  primary key (user_id, part)
);

-- Returns the number of detached rows of a partitioned table, for one player or for all players (user 0).
create function archived_count(which text, whose integer) returns bigint stable language sql as $$
  select coalesce(sum(r.rows), 0)::bigint from archived_rows r join parts_away p on p.part = r.part
  where r.user_id = whose and p.list = which
$$;

-- The total change of an account by the lines of a detached partition. Accounts of the platform have user 0, except that claims and
-- suspense are stored for each player.
create table ledger_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  currency_id text not null,
  account smallint not null,
  change numeric(38, 0) not null,
  primary key (user_id, currency_id, account, part)
);

-- Sums of a player's settled bets on a game in a detached partition. Corrected bets are excluded, because bet_corrections contains their
-- amounts.
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

-- The maxima of a player's hour over the bets in a detached partition. Stored if the hour is recent, has corrected bets or also has bets in
-- a later partition. They are needed to recompute the maxima of the whole hour when one of its other bets is rolled back.
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

-- Sums of the rewards in a detached partition of bet_rewards, without rewards that were reversed.
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

-- Partitions for rows before the first month. They stay empty in a new database.
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

-- Attaches these partitions, creates the partitions of the current month and the next two months, and moves the id sequence to the current
-- month.
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
