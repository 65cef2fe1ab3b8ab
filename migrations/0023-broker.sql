-- The broker over PostgreSQL: queues, what they are bound to, who consumes them, what waits in them, what was given up.
-- `most`: how many messages a queue keeps, the newest; null for all. A queue that does not last ends with its last consumer.
create table broker_queues (
  name text primary key check (length(name) between 1 and 200),
  lasts boolean not null,
  most integer check (most > 0),
  created_at timestamptz not null default now()
);

-- `matcher` is the pattern as a regular expression over what is published and a dot behind it.
create table broker_bindings (
  queue text not null references broker_queues on delete cascade,
  pattern text not null,
  matcher text not null,
  primary key (queue, pattern)
);

-- A holder is a process, alive for as long as it holds the advisory lock of its name.
create table broker_consumers (
  queue text not null references broker_queues on delete cascade,
  holder text not null,
  primary key (queue, holder)
);
create index broker_consumers_holder_idx on broker_consumers (holder);

-- `attempt` counts the deliveries that failed. With a holder the message is being handled.
create table broker_messages (
  id bigint generated always as identity primary key,
  queue text not null references broker_queues on delete cascade,
  message_id text not null,
  pattern text not null,
  data json not null,
  headers json not null default '{}',
  attempt integer not null default 0,
  redelivered boolean not null default false,
  holder text,
  due_at timestamptz not null default now(),
  expires_at timestamptz,
  enqueued_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index broker_messages_waiting_idx on broker_messages (queue, id) where holder is null;
create index broker_messages_holder_idx on broker_messages (holder) where holder is not null;
create index broker_messages_expires_idx on broker_messages (expires_at) where expires_at is not null;

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

-- Which messages a consumer has taken in, whichever broker they came from: written in the transaction of their effect.
create table consumed_messages (
  queue text not null,
  message_id text not null,
  consumed_at timestamptz not null default now(),
  primary key (queue, message_id)
);
create index consumed_messages_consumed_idx on consumed_messages using brin (consumed_at);

-- How far the events have been published to the broker.
insert into cursors (name) values ('events-relay');
