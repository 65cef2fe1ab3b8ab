-- What one realtime process says to the others when it does not fit into a notice (8000 bytes). The adapter of Socket.IO writes
-- it, and deletes it after half a minute. Its ids go through JSON, where a bigint cannot: they begin anew at the end.
create unlogged table socket_io_attachments (
  id integer generated always as identity (cycle) primary key,
  created_at timestamptz not null default now(),
  payload bytea
);
create index socket_io_attachments_created_idx on socket_io_attachments (created_at);
