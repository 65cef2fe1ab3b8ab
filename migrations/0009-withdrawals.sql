-- ---------------------------------------------------------------- money out

-- One row a withdrawal. The whole amount lies in the player's hold from the request on; what became of it is in the ledger
-- under withdrawal:<id>:<step>:<attempt>.
create table withdrawals (
  id uuid primary key,
  user_id integer not null references users,
  status text not null check (status in ('WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT',
    'COMPLETED', 'REJECTED', 'CANCELLED', 'FAILED')),
  status_history jsonb not null,
  currency_id text not null,
  network_id text not null,
  amount bigint not null check (amount > 0),
  -- Taken from the amount: the recipient gets the rest.
  fee bigint not null check (fee >= 0 and fee < amount),
  usd_amount bigint not null check (usd_amount >= 0),
  -- False: there was no rate to trust, and staff decides whatever the amount.
  is_priced boolean not null,
  recipient_address text not null,
  recipient_memo text,
  risk_score smallint not null,
  risk_reasons text[] not null,
  hold_reason text,
  -- Each attempt after the first is asked for by staff. Its name at the provider is stored before the provider is asked.
  attempt smallint not null default 1 check (attempt > 0),
  provider_id text,
  reference text,
  external_id text,
  asked_at timestamptz,
  -- What the provider said last is as old as this.
  told_at timestamptz,
  tx_hash text,
  confirmations integer not null default 0 check (confirmations >= 0),
  -- When the worker looks at it again: to release, to send, or to ask what became of it; and how often it has.
  check_at timestamptz,
  checks smallint not null default 0,
  first_approved_by integer references users,
  confirmed_by integer references users,
  confirmed_at timestamptz,
  reject_reason text,
  failed_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (currency_id, network_id) references currency_networks,
  constraint withdrawals_asked check (status not in ('PROCESSING', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED')
    or (reference is not null and provider_id is not null))
);
create index withdrawals_user_idx on withdrawals (user_id, created_at, id);
create index withdrawals_user_usd_idx on withdrawals (user_id, usd_amount, id);
create index withdrawals_user_address_idx on withdrawals (user_id, network_id, lower(recipient_address));
create index withdrawals_user_open_idx on withdrawals (user_id)
  where status in ('WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME');
create index withdrawals_created_idx on withdrawals (created_at, id);
create index withdrawals_usd_idx on withdrawals (usd_amount, id);
create index withdrawals_status_idx on withdrawals (status, created_at, id);
create index withdrawals_status_usd_idx on withdrawals (status, usd_amount, id);
create index withdrawals_check_idx on withdrawals (check_at) where check_at is not null;
create trigger withdrawals_no_delete before delete or truncate on withdrawals
  for each statement execute function refuse_change();

-- How many withdrawals there are in each state without counting them: sixteen rows of each, so that changes seldom wait for each
-- other. A row may be negative, a sum never is.
create table withdrawal_counts (
  status text not null,
  shard smallint not null,
  withdrawals bigint not null,
  primary key (status, shard)
);
create function count_withdrawal() returns trigger language plpgsql as $$
begin
  -- Always in the same order, or two changes could wait for each other.
  insert into withdrawal_counts (status, shard, withdrawals)
  select status, pg_backend_pid() % 16, change from (
    select new.status, 1 as change
    union all
    select old.status, -1 where tg_op = 'UPDATE'
  ) changes order by status
  on conflict (status, shard) do update set withdrawals = withdrawal_counts.withdrawals + excluded.withdrawals;
  return null;
end $$;
create trigger withdrawals_added after insert on withdrawals for each row execute function count_withdrawal();
create trigger withdrawals_changed after update on withdrawals for each row
  when (old.status <> new.status) execute function count_withdrawal();

-- Who may not ask for a withdrawal. In force until it is lifted or over.
create table withdrawal_blocks (
  id bigint generated always as identity primary key,
  user_id integer not null references users,
  reason text,
  -- What the player reads.
  reason_public text,
  -- Null: until somebody lifts it.
  block_until timestamptz,
  created_by integer not null references users,
  lifted_by integer references users,
  lifted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index withdrawal_blocks_one_per_user on withdrawal_blocks (user_id) where lifted_at is null;
create trigger withdrawal_blocks_no_delete before delete or truncate on withdrawal_blocks
  for each statement execute function refuse_change();
