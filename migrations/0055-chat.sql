-- Events of a room of the chat carry its name, `chat:<id>`.
alter table events
  drop constraint events_room_check,
  add constraint events_room_check check (
    room in ('user', 'internal', 'public', 'game:speed-roulette', 'admin') or room ~ '^chat:[a-z0-9-]{1,32}$') not valid;

-- What was written in the rooms of the chat. `id` is that of the event that announces it, so that history and frames have one order.
create table chat_messages (
  id bigint primary key,
  room_id text not null,
  user_id integer not null references users,
  -- What the player's program calls the message, so that it is written once. Null: the line of a tip.
  key text,
  text text not null check (char_length(text) <= 1000),
  tip_id integer references tips,
  created_at timestamptz not null default now(),
  -- Deleted messages are kept for staff as long as others.
  deleted_at timestamptz,
  deleted_by integer references users,
  check ((key is null) = (tip_id is not null) or deleted_at is not null)
);
create unique index chat_messages_key on chat_messages (user_id, key) where key is not null;
create index chat_messages_user_idx on chat_messages (user_id, id);
create index chat_messages_room_idx on chat_messages (room_id, id);

-- What staff has set of a room; none for a room of which it has set nothing.
create table chat_rooms (
  id text primary key,
  -- Messages up to this id are shown no more.
  cleared_to bigint not null default 0,
  slow_mode_seconds integer not null default 0 check (slow_mode_seconds between 0 and 3600)
);

-- Who may not write for a while. Written under the player's lock.
create table chat_mutes (
  user_id integer primary key references users,
  muted_until timestamptz not null
);
create index chat_mutes_until_idx on chat_mutes (muted_until);
