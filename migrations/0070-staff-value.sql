-- Player funds of every kind that staff creates or moves. It replaces adjustments, which processes of the previous version still write.
create table staff_values (
  id uuid primary key,
  -- A second person's identical action has the same operation and input.
  operation text not null,
  input jsonb not null,
  -- Null: there is no upper limit or no reliable rate.
  usd_amount bigint check (usd_amount >= 0),
  reason text,
  -- The person who carried it out without approval, or proposed it.
  actor_id integer not null references users,
  created_at timestamptz not null default now(),
  -- When a proposal expires; null: one person was enough.
  expires_at timestamptz,
  agreed_by integer references users,
  carried_out_at timestamptz,
  -- Only for balances: the entry that moved the difference.
  entry_id bigint unique,
  constraint staff_values_by_two check (expires_at is null or (reason is not null and (carried_out_at is null) = (agreed_by is null))),
  constraint staff_values_alone check (expires_at is not null or carried_out_at is not null)
);
create index staff_values_open_idx on staff_values (operation, md5(input::text)) where carried_out_at is null;
create index staff_values_actor_idx on staff_values (actor_id, carried_out_at) where carried_out_at is not null;
create index staff_values_agreed_idx on staff_values (agreed_by, carried_out_at) where agreed_by is not null;

-- The players who receive the money, or from whom it is taken.
create table staff_value_recipients (
  value_id uuid not null references staff_values,
  user_id integer not null references users,
  usd_amount bigint check (usd_amount >= 0),
  -- Counts towards what one person may move for this player without approval; null: not carried out, or approved by two people.
  alone_at timestamptz,
  primary key (value_id, user_id)
);
create index staff_value_recipients_alone_idx on staff_value_recipients (user_id, alone_at) where alone_at is not null;

create trigger staff_values_no_delete before delete or truncate on staff_values
  for each statement execute function refuse_change();

insert into staff_values (id, operation, input, usd_amount, reason, actor_id, created_at, expires_at, agreed_by, carried_out_at, entry_id)
select id, 'balance',
  jsonb_build_object('userId', user_id, 'currencyId', currency_id,
    'before', trim_scale(cash_before / 1e8)::text, 'after', trim_scale(cash_after / 1e8)::text),
  usd_amount, reason, actor_id, created_at, expires_at, agreed_by, carried_out_at, entry_id
from adjustments;
insert into staff_value_recipients (value_id, user_id, usd_amount, alone_at)
select id, user_id, usd_amount, case when expires_at is null then carried_out_at end from adjustments;

-- Set up by one person and not yet approved by a second.
alter table promos
  add column terms_set_by integer references users,
  add column activated_by integer references users,
  -- US dollars that may be granted automatically until a second person approves; null: up to the whole budget.
  add column open_usd bigint check (open_usd >= 0);
alter table leaderboards add column approved_by integer references users;
alter table challenges add column reward_set_by integer references users;
