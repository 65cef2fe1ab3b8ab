-- Coins that arrived but are not credited wait in `suspense` until staff decides.
insert into ledger_accounts (code, name, owner) values (111, 'suspense', 'SYSTEM');

-- safe deposits.deposits_status_known: allows every status that the version before writes, and two more
-- RETURNING and WRITTEN_OFF are stored; the API shows UNDER_REVIEW and FAILED. A process of the previous version never writes them.
alter table deposits add constraint deposits_status_known check (status in ('CREATED', 'DETECTED', 'CONFIRMING', 'COMPLETED',
  'PARTIALLY_PAID', 'EXPIRED', 'UNDER_REVIEW', 'ON_HOLD', 'RETURNING', 'RETURNED', 'WRITTEN_OFF', 'FAILED', 'REVERSED')) not valid;
alter table deposits drop constraint deposits_status_check;
alter table deposits
  -- When the provider confirmed coins that were not credited.
  add column confirmed_at timestamptz,
  -- The amount of it in `suspense`, in units of currency_id.
  add column suspense_amount bigint not null default 0,
  -- The first deposit of a payment that has since grown.
  add column parent_id uuid,
  add column parent_external_id text,
  -- The provider's coin name and digits, if we cannot represent them.
  add column reported_currency text,
  add column reported_amount text,
  -- The coins to which the provider converted an unlisted coin.
  add column outcome_currency text,
  add column outcome_network text,
  add column outcome_amount bigint,
  -- The report itself, if it could not be understood.
  add column report text,
  -- Increases with each change that a staff decision depends on.
  add column version integer not null default 0,
  -- A reason that staff has not acknowledged yet.
  add column has_finding boolean not null default false;
create index if not exists deposits_review_idx on deposits (created_at, id) where status in ('UNDER_REVIEW', 'RETURNING') or has_finding;
create index if not exists deposits_parent_idx on deposits (parent_id) where parent_id is not null;
-- safe deposits: deposits under review and outputs with capital letters are few
-- Deposits already under review: their coins had arrived if the chain had confirmed them, or if only the amount was in question.
update deposits set confirmed_at = updated_at where status = 'UNDER_REVIEW' and output_key is not null
  and (confirmations >= greatest(required_confirmations, 1) or review_reason ~ '(BELOW_MINIMUM|AMOUNT_ABSURD)' or noticed_at < now() - interval '1 day');
-- Hashes on hexadecimal networks ignore letter case. Two rows that were credited twice stay as they are.
update deposits d set output_key = lower(d.output_key), tx_hash = lower(d.tx_hash) where d.network_id <> 'solana'
  and d.output_key <> lower(d.output_key) and not exists (select from deposits o where o.id <> d.id and lower(o.output_key) = lower(d.output_key));

-- Staff proposals about a deposit, and their outcomes.
create table deposit_reviews (
  id uuid primary key,
  deposit_id uuid not null references deposits,
  action text not null check (action in ('CREDIT', 'ASSIGN', 'RETURN', 'WRITE_OFF', 'ACKNOWLEDGE')),
  state text not null check (state in ('PROPOSED', 'DONE', 'REJECTED', 'LAPSED')),
  -- The deposit's values when this was proposed.
  version integer not null,
  user_id integer references users,
  amount bigint check (amount > 0),
  usd_amount bigint,
  address text,
  memo text,
  reason text not null,
  proposed_by integer not null references users,
  -- Null until a second person has decided; also set when one staff member decided without approval.
  decided_by integer references users,
  decision_reason text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  decided_at timestamptz
);
create unique index deposit_reviews_open_key on deposit_reviews (deposit_id) where state = 'PROPOSED';
create index deposit_reviews_deposit_idx on deposit_reviews (deposit_id, created_at);
-- US dollars that a staff member has credited within a day without a second person.
create index deposit_reviews_alone_idx on deposit_reviews (proposed_by, decided_at) where state = 'DONE' and decided_by = proposed_by;

-- Payouts that return a deposit to its sender, one attempt per row.
create table deposit_returns (
  reference text primary key,
  deposit_id uuid not null references deposits,
  review_id uuid not null references deposit_reviews,
  attempt integer not null,
  status text not null check (status in ('QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED', 'FAILED')),
  currency_id text not null,
  network_id text not null,
  address text not null,
  memo text,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  provider_id text,
  external_id text,
  tx_hash text,
  failed_reason text,
  checks integer not null default 0,
  asked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (deposit_id, attempt)
);
create unique index deposit_returns_open_key on deposit_returns (deposit_id) where status in ('QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME');

-- A rate that has moved by more than RATE_JUMP_PERCENT waits here for a second reading.
alter table exchange_rates add column pending_rate bigint, add column pending_source text, add column pending_at timestamptz;
create index if not exists skin_deposits_user_idx on skin_deposits (user_id, created_at, id);
create index if not exists skin_deposits_created_idx on skin_deposits (created_at, id);
