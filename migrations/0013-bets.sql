-- Lists of bets. A single-step bet is written settled and enters none of these indexes.

-- Bets that are open or went wrong: of everybody, of one player.
create index bets_unsettled_idx on bets (status, id) where status <> 'SETTLED';
create index bets_unsettled_user_idx on bets (user_id, status, id) where status <> 'SETTLED';

-- How many bets have ids below an id: of one user, or of all (user 0). `latest` is the largest created_at among them. Bets never
-- disappear and ids below the horizon are complete, so that a mark stays true whatever becomes of the bets before it.
create table bet_marks (
  user_id integer not null,
  rows bigint not null check (rows > 0),
  id bigint not null,
  latest timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, rows)
);
create index bet_marks_id_idx on bet_marks (user_id, id);
create index bet_marks_latest_idx on bet_marks (latest) where user_id = 0;
