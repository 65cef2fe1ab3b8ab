-- Tips: money that players give each other, and that staff gives players or takes from them.

-- An id is taken once nothing speaks against the tip any more: 2^31 tips, not tries.
create table tips (
  id integer generated always as identity primary key,
  sender_id integer not null references users,
  recipient_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  -- At the rate of then.
  usd_amount bigint not null check (usd_amount > 0),
  message text,
  -- May be shown to everybody.
  is_public boolean not null,
  created_at timestamptz not null default now(),
  check (sender_id <> recipient_id)
);
create index tips_sender_idx on tips (sender_id, created_at, id);
create index tips_sender_usd_idx on tips (sender_id, usd_amount, id);
create index tips_recipient_idx on tips (recipient_id, created_at, id);
create index tips_recipient_usd_idx on tips (recipient_id, usd_amount, id);

-- Tips as their sender and as their recipient sees them: each in the order of the indexes above.
create view tip_sides as
  select id, sender_id as user_id, 'SENT'::text as direction, usd_amount, created_at from tips
  union all
  select id, recipient_id, 'RECEIVED'::text, usd_amount, created_at from tips;

-- What a player has sent and received on a UTC day, in dollars at the rates of then. Written under the locks of both players.
create table tip_days (
  user_id integer not null,
  day date not null,
  sent_usd bigint not null default 0 check (sent_usd >= 0),
  received_usd bigint not null default 0 check (received_usd >= 0),
  primary key (user_id, day)
) with (fillfactor = 70);

-- What staff has given players, and taken from them.
create table admin_tips (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('TIP', 'DEDUCTION')),
  -- The member of staff.
  sender_id integer not null references users,
  -- The player whose cash has changed.
  recipient_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  -- At the rate of then.
  usd_amount bigint not null check (usd_amount >= 0),
  notes text not null,
  tag text,
  created_at timestamptz not null default now(),
  check (sender_id <> recipient_id)
);
create index admin_tips_time_idx on admin_tips (created_at, id);
create index admin_tips_usd_idx on admin_tips (usd_amount, id);
create index admin_tips_sender_idx on admin_tips (sender_id, created_at, id);
create index admin_tips_recipient_idx on admin_tips (recipient_id, created_at, id);
create index admin_tips_received_usd_idx on admin_tips (recipient_id, usd_amount, id) where kind = 'TIP';
