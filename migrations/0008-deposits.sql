-- ---------------------------------------------------------------- money in

-- What was paid in and credited, by the ledger's key: what a reversal takes back.
create table payment_credits (
  key text primary key,
  kind text not null,
  user_id integer not null references users,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null check (usd_amount >= 0),
  -- What it added to what has to be wagered.
  turnover_usd bigint not null check (turnover_usd >= 0),
  entry_id bigint not null unique,
  credited_at timestamptz not null,
  reversal_entry_id bigint unique,
  reversed_at timestamptz,
  created_at timestamptz not null default now()
);

-- What players owe of credits that were taken back when the money was gone; later credits in the currency pay it.
create table claims (
  id bigint generated always as identity primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  remaining bigint not null check (remaining between 0 and amount),
  source_key text not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index claims_open_idx on claims (user_id, currency_id, id) where remaining > 0;

-- Turnover that deposits ask for before anything is paid out: dollars × 10^8, and what the player had wagered in his life when
-- counting began.
create table rollovers (
  user_id integer primary key references users,
  required_usd bigint not null check (required_usd >= 0),
  wagered_usd numeric(38, 0) not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Where a player pays in. Another provider gives other addresses.
create table deposit_addresses (
  user_id integer not null references users,
  currency_id text not null,
  network_id text not null,
  provider_id text not null,
  address text not null,
  memo text,
  -- Upper and lower case say nothing in some addresses: see addressKey in rules.ts.
  address_key text not null,
  external_id text,
  issued_at timestamptz not null default now(),
  primary key (user_id, currency_id, network_id, provider_id),
  foreign key (currency_id, network_id) references currency_networks
);
create unique index deposit_addresses_owner_key on deposit_addresses
  (address_key, coalesce(memo, ''), currency_id, network_id);

-- One row an output of a transaction; before its transaction is known, one a payment of the provider.
create table deposits (
  id uuid primary key,
  -- Null: nobody has this address.
  user_id integer references users,
  status text not null check (status in ('CREATED', 'DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED',
    'UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'FAILED', 'REVERSED')),
  status_history jsonb not null,
  -- What staff should look at, whether it was credited or not.
  review_reason text,
  provider_id text not null,
  external_id text not null,
  currency_id text not null,
  network_id text not null,
  pay_address text not null,
  pay_memo text,
  amount bigint not null check (amount >= 0),
  usd_amount bigint not null check (usd_amount >= 0),
  tx_hash text,
  output_index integer not null default 0 check (output_index >= 0),
  -- <network>:<transaction>:<output>: what is credited once.
  output_key text unique,
  confirmations integer not null default 0 check (confirmations >= 0),
  required_confirmations smallint not null,
  deposit_bonus bigint check (deposit_bonus >= 0),
  affiliate_amount bigint not null default 0 check (affiliate_amount >= 0),
  affiliate_code text,
  credit_key text unique references payment_credits,
  entry_id bigint,
  -- When what was said last had happened.
  noticed_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint deposits_credited check (status <> 'COMPLETED' or credit_key is not null)
);
create unique index deposits_payment_key on deposits (provider_id, external_id) where output_key is null;
create index deposits_external_idx on deposits (provider_id, external_id);
create index deposits_transaction_idx on deposits (tx_hash, output_index) where tx_hash is not null;
create index deposits_user_idx on deposits (user_id, created_at, id);
create index deposits_held_idx on deposits (id) where status = 'ON_HOLD';
create index deposits_user_usd_idx on deposits (user_id, usd_amount, id);
create index deposits_created_idx on deposits (created_at, id);
create index deposits_usd_idx on deposits (usd_amount, id);
create index deposits_status_idx on deposits (status, created_at, id);
create index deposits_status_usd_idx on deposits (status, usd_amount, id);
