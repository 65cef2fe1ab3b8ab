-- ---------------------------------------------------------------- deposits by skins, through a marketplace

create table skin_deposits (
  -- Also our reference at the marketplace: asking again with it opens nothing new.
  id uuid primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  game text not null,
  min_usd_amount bigint check (min_usd_amount >= 0),
  success_url text not null,
  fail_url text not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED')),
  -- What the marketplace has answered; null: it has not yet, or its answer was lost.
  transaction_id text unique,
  url text,
  expires_at timestamptz,
  items json not null default '[]',
  usd_amount bigint check (usd_amount >= 0),
  risk text check (risk in ('LOW', 'MEDIUM', 'HIGH')),
  hold_until timestamptz,
  fail_reason text,
  -- What staff should look at, whether it was credited or not.
  review_reason text,
  -- What the ledger has got, at the rate of then; it stays when it is taken back.
  credited_amount bigint check (credited_amount >= 0),
  credited_usd_amount bigint check (credited_usd_amount >= 0),
  credited_at timestamptz,
  returned_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((transaction_id is null) = (url is null) and (url is null) = (expires_at is null)),
  check ((credited_amount is null) = (credited_at is null) and (credited_usd_amount is null) = (credited_at is null)),
  check (returned_at is null or credited_at is not null)
);
-- The advances that a player has not covered yet.
create index skin_deposits_advances_idx on skin_deposits (user_id) where status = 'HOLD_APPROVED' and credited_at is not null;

-- Notices that came before the answer to the request which they belong to.
create table skin_notices (
  id bigint generated always as identity primary key,
  transaction_id text not null,
  body bytea not null,
  created_at timestamptz not null default now()
);
create index skin_notices_transaction_idx on skin_notices (transaction_id, id);
