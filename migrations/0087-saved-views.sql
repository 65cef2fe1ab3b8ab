-- A staff member's saved views of one list of the console, and its chosen columns.
create table saved_views (
  user_id integer not null references users,
  list text not null,
  views jsonb not null,
  columns text[],
  updated_at timestamptz not null default now(),
  primary key (user_id, list)
);
