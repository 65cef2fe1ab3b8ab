-- When each job that repeats is due, by the clock of the database: whichever worker finds it due and holds its lock runs it. `next_at`
-- moves when a run has ended, so that one that died with its worker is due still.
create table schedules (
  name text primary key,
  every_ms integer not null check (every_ms > 0),
  next_at timestamptz not null default now(),
  ran_at timestamptz,
  succeeded_at timestamptz
);
