-- What a player is told beside what he sees: the newest hundred of each, as they were written in his language. `payload` says the
-- same in words for programs.
create table notifications (
  id bigint generated always as identity,
  user_id integer not null references users,
  type text not null,
  title text not null,
  body text not null,
  payload json,
  is_aware boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
create index notifications_created_idx on notifications using brin (created_at);

-- Who was told that his exclusion is over; nobody of those that ended before this was there to tell.
alter table exclusions add column end_told_at timestamptz;
update exclusions set end_told_at = now() where play_from <= now() or lifted_at is not null;
create index exclusions_ending_idx on exclusions (play_from) where end_told_at is null;
