-- Until when the use of a session (`last_used_at`: its sign-in, then each refresh) has been said by the event `session.used`.
alter table sessions add column said_until timestamptz;

-- Events of the room `internal` are about a player but for our own consumers: no socket is sent them.
alter table events
  drop constraint events_room_check,
  drop constraint events_room,
  add constraint events_room_check check (room in ('user', 'internal', 'public', 'game:speed-roulette', 'admin')) not valid,
  add constraint events_room check ((user_id > 0) = (room in ('user', 'internal'))) not valid;
