-- What has happened, for sockets and for the outside world: written in the transaction of what happened. `id` comes from the blocks
-- of the ledger, so that bets, entries and events have one order (see ledger/horizon.ts). `user_id` is 0 where it is not one
-- player's own: then `room` says for whom.
create table events (
  id bigint primary key,
  user_id integer not null,
  room text not null check (room in ('user', 'public', 'game:speed-roulette', 'admin')),
  name text not null,
  data json not null,
  created_at timestamptz not null default now(),
  constraint events_room check ((user_id > 0) = (room = 'user'))
);
create index events_user_idx on events (user_id, id) where user_id > 0;
create index events_room_idx on events (room, id) where user_id = 0;
create index events_created_idx on events using brin (created_at);
