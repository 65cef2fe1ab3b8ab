-- What people who are not staff have tried of the routes of staff: one row a user and hour, entered into the audit when the hour is over.
create table refused_calls (
  hour timestamptz not null,
  user_id integer not null,
  calls bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The last of them.
  method text not null,
  path text not null,
  service text not null,
  permission text not null,
  status_code smallint not null,
  ip text not null,
  request_id text not null,
  primary key (hour, user_id)
);
