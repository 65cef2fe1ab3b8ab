-- Currencies, the ledger, payments and bonus money.

-- ---------------------------------------------------------------- Currencies

-- A currency that players can hold.
create table currencies (
  id text primary key check (id ~ '^[A-Z0-9]{2,12}$'),
  name text not null,
  symbol text not null,
  type text not null check (type in ('CRYPTO', 'FIAT')),
  -- Number of decimal places in which amounts are accepted and paid out. At most 8, even if the blockchain has more.
  decimals smallint not null check (decimals between 0 and 8),
  -- Number of decimal places that the site shows.
  display_decimals smallint not null check (display_decimals between 0 and 8),
  enabled boolean not null default true,
  sort_order integer not null,
  icon_url text
);

-- Notifies all processes of a change, because they cache currencies, networks and rates.
create function announce_currencies() returns trigger language plpgsql as $$
begin
  perform pg_notify('currencies_changed', '');
  return null;
end $$;
create trigger currencies_announced after insert or update or delete on currencies
  for each statement execute function announce_currencies();
insert into currencies (id, name, symbol, type, decimals, display_decimals, sort_order) values
  ('BTC', 'Bitcoin', '₿', 'CRYPTO', 8, 8, 10),
  ('ETH', 'Ethereum', 'Ξ', 'CRYPTO', 8, 6, 20),
  ('USDT', 'Tether', '₮', 'CRYPTO', 6, 2, 30),
  ('USDC', 'USD Coin', 'USDC', 'CRYPTO', 6, 2, 40),
  ('LTC', 'Litecoin', 'Ł', 'CRYPTO', 8, 6, 50),
  ('TRX', 'TRON', 'TRX', 'CRYPTO', 6, 2, 60),
  ('SOL', 'Solana', 'SOL', 'CRYPTO', 8, 4, 70),
  ('DOGE', 'Dogecoin', 'Ð', 'CRYPTO', 8, 2, 80),
  ('BNB', 'BNB', 'BNB', 'CRYPTO', 8, 6, 90),
  ('XRP', 'XRP', 'XRP', 'CRYPTO', 6, 2, 100),
  ('BCH', 'Bitcoin Cash', 'BCH', 'CRYPTO', 8, 6, 110),
  ('EUR', 'Euro', '€', 'FIAT', 2, 2, 120),
  ('USD', 'US Dollar', '$', 'FIAT', 2, 2, 130);

-- A network on which a currency can be deposited and withdrawn.
create table currency_networks (
  currency_id text not null references currencies,
  id text not null,
  name text not null,
  deposit_enabled boolean not null default true,
  withdraw_enabled boolean not null default true,
  min_deposit bigint not null default 0 check (min_deposit >= 0),
  min_withdraw bigint not null default 0 check (min_withdraw >= 0),
  withdraw_fee bigint not null default 0 check (withdraw_fee >= 0),
  -- Number of confirmations that a deposit needs.
  confirmations smallint not null default 1 check (confirmations >= 0),
  -- True if all players share one address and the memo identifies the player.
  memo_required boolean not null default false,
  -- Format of addresses. Null if the network has no addresses.
  address_kind text,
  eta_minutes smallint not null default 60,
  primary key (currency_id, id)
);
create trigger currency_networks_announced after insert or update or delete on currency_networks
  for each statement execute function announce_currencies();
insert into currency_networks (currency_id, id, name, deposit_enabled,
  withdraw_enabled, min_deposit, min_withdraw, withdraw_fee, confirmations, memo_required, address_kind, eta_minutes) values
  ('BTC', 'bitcoin', 'Bitcoin', true, true, 10000, 20000, 5000, 2, false, 'btc', 60),
  ('ETH', 'ethereum', 'Ethereum', true, true, 200000, 500000, 100000, 12, false, 'eth', 15),
  ('ETH', 'bsc', 'BNB Smart Chain', true, true, 200000, 500000, 20000, 15, false, 'eth', 10),
  ('USDT', 'ethereum', 'Ethereum', true, true, 500000000, 1000000000, 400000000, 12, false, 'eth', 15),
  ('USDT', 'tron', 'TRON', true, true, 100000000, 500000000, 100000000, 20, false, 'trx', 10),
  ('USDT', 'bsc', 'BNB Smart Chain', true, true, 100000000, 300000000, 50000000, 15, false, 'eth', 10),
  ('USDT', 'solana', 'Solana', true, true, 100000000, 300000000, 50000000, 30, false, 'sol', 5),
  ('USDC', 'ethereum', 'Ethereum', true, true, 500000000, 1000000000, 400000000, 12, false, 'eth', 15),
  ('USDC', 'bsc', 'BNB Smart Chain', true, true, 100000000, 300000000, 50000000, 15, false, 'eth', 10),
  ('USDC', 'solana', 'Solana', true, true, 100000000, 300000000, 50000000, 30, false, 'sol', 5),
  ('LTC', 'litecoin', 'Litecoin', true, true, 1000000, 2000000, 100000, 6, false, 'ltc', 30),
  ('TRX', 'tron', 'TRON', true, true, 1000000000, 2000000000, 100000000, 20, false, 'trx', 10),
  ('SOL', 'solana', 'Solana', true, true, 1000000, 5000000, 100000, 30, false, 'sol', 5),
  ('DOGE', 'dogecoin', 'Dogecoin', true, true, 500000000, 2000000000, 200000000, 20, false, 'doge', 40),
  ('BNB', 'bsc', 'BNB Smart Chain', true, true, 200000, 1000000, 50000, 15, false, 'eth', 10),
  ('XRP', 'ripple', 'XRP Ledger', true, true, 100000000, 500000000, 20000000, 1, true, 'xrp', 5),
  ('BCH', 'bitcoincash', 'Bitcoin Cash', true, true, 500000, 1000000, 50000, 10, false, 'bch', 120),
  ('EUR', 'sepa', 'SEPA transfer', false, false, 0, 0, 0, 1, false, null, 60),
  ('USD', 'swift', 'SWIFT transfer', false, false, 0, 0, 0, 1, false, null, 60);

-- The current exchange rate of a currency.
create table exchange_rates (
  currency_id text primary key references currencies,
  usd_rate bigint not null check (usd_rate > 0),
  source text not null,
  updated_at timestamptz not null,
  -- A new rate that differs from the current one by more than RATE_JUMP_PERCENT. It is used only if a second reading confirms it.
  pending_rate bigint,
  pending_source text,
  pending_at timestamptz
);
create trigger exchange_rates_announced after insert or update or delete on exchange_rates
  for each statement execute function announce_currencies();

-- A past exchange rate, for charts and for looking up the rate at an earlier time. Kept for 7 days.
create table exchange_rate_points (
  currency_id text not null references currencies,
  at timestamptz not null,
  usd_rate bigint not null check (usd_rate > 0),
  primary key (currency_id, at)
);

-- ---------------------------------------------------------------- Ledger

-- Each value reserves a block of 1,024 ids, from the value to the value + 1023, for the entries, bets, lines and events of one transaction.
-- A transaction reserves the block after it has locked the players, so that each player's ids are in chronological order. Ids also contain
-- the month: the ids of month m, counted from January 2020, start at m·2^43.
create sequence ledger_ids increment by 1024 start with 1024 minvalue 1024;

-- A type of ledger account. Each player has one account for each code below 100. The platform has one account for each code from 100.
create table ledger_accounts (
  code smallint primary key,
  name text not null unique,
  owner text not null check (owner in ('USER', 'SYSTEM'))
);
insert into ledger_accounts (code, name, owner) values
  (1, 'cash', 'USER'),
  (2, 'vault', 'USER'),
  (3, 'bonus', 'USER'),
  (4, 'hold', 'USER'),
  (100, 'house', 'SYSTEM'),
  (101, 'deposits', 'SYSTEM'),
  (102, 'fees', 'SYSTEM'),
  (103, 'promo', 'SYSTEM'),
  (104, 'rakeback', 'SYSTEM'),
  (105, 'affiliate', 'SYSTEM'),
  (106, 'prizes', 'SYSTEM'),
  (107, 'tips', 'SYSTEM'),
  (108, 'treasury', 'SYSTEM'),
  (109, 'adjustments', 'SYSTEM'),
  (110, 'claims', 'SYSTEM'),
  (111, 'suspense', 'SYSTEM');

-- A player's balances in one currency.
create table wallets (
  user_id integer not null,
  currency_id text not null,
  -- Balance that is available for bets and withdrawals.
  cash bigint not null default 0 constraint wallets_cash_not_negative check (cash >= 0),
  vault bigint not null default 0 constraint wallets_vault_not_negative check (vault >= 0),
  bonus bigint not null default 0 constraint wallets_bonus_not_negative check (bonus >= 0),
  -- Amount that is reserved for withdrawals.
  hold bigint not null default 0 constraint wallets_hold_not_negative check (hold >= 0),
  -- Increases with each change of the row.
  version bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (user_id, currency_id)
) with (fillfactor = 60);

-- A ledger entry that is not a bet. Its amounts are in ledger_lines. Bets have no row here, because their row in bets takes its place.
-- Append-only.
create table ledger_entries (
  id bigint primary key,
  -- Unique key, such as `withdrawal:<id>:release:1`, that prevents the entry from being posted twice.
  key text not null unique check (length(key) between 1 and 200),
  -- Hash of the postings, so that a key cannot be reused for a different entry.
  input_hash bytea not null,
  kind text not null,
  -- The user who caused the entry.
  actor_id integer,
  memo text,
  created_at timestamptz not null default now()
);
-- These indexes find entries about an object (by key prefix `namespace:id`), in a namespace, and by actor.
create index ledger_entries_key_idx on ledger_entries (key collate "C");
create index ledger_entries_namespace_idx on ledger_entries (split_part(key, ':', 1), id);
create index ledger_entries_actor_idx on ledger_entries (actor_id, id) where actor_id is not null;
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_change();

-- A transfer of an amount from a debit account to a credit account, so that debits always equal credits. Partitioned by month. Append-only.
create table ledger_lines (
  id bigint not null,
  -- The entry or bet that the line belongs to.
  entry_id bigint not null,
  amount bigint not null constraint ledger_lines_amount_positive check (amount > 0),
  -- Balance of the debit account after the transfer. Null if the account belongs to the platform. The same applies to credit_after.
  debit_after bigint check (debit_after >= 0),
  credit_after bigint check (credit_after >= 0),
  created_at timestamptz not null default now(),
  -- The player whose account is debited or credited. 0 for transfers between accounts of the platform.
  user_id integer not null,
  debit smallint not null,
  credit smallint not null,
  currency_id text not null,
  -- One of the kinds in src/modules/money/ledger/kinds.ts.
  kind text not null,
  primary key (user_id, id),
  -- A line affects at most one player. If it debits or credits a player's account, it must contain the player and the balance after the
  -- transfer.
  constraint ledger_lines_sides check (
    debit <> credit and (debit < 100) = (debit_after is not null) and (credit < 100) = (credit_after is not null)
    and (user_id > 0 or (debit >= 100 and credit >= 100))
  )
) partition by range (id);
-- New rows have increasing ids, so a BRIN index is sufficient. Each summary contains several ranges, so that one late row in an old page
-- does not make the summary useless.
create index ledger_lines_id_brin on ledger_lines using brin (id int8_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);
-- All transfers from or to players' accounts, except stakes and payouts in cash or bonus money. Queries must repeat this condition to use
-- the indexes.
create index ledger_lines_rare_idx on ledger_lines (id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_kind_idx on ledger_lines (kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_user_idx on ledger_lines (user_id, kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
-- Lines of bets that were placed in an earlier block of ids, such as later stakes and payouts of a round.
create index ledger_lines_later_idx on ledger_lines (id) where (id >> 10) <> (entry_id >> 10);
create trigger ledger_lines_append_only before update or delete on ledger_lines
  for each statement execute function refuse_change();
create trigger ledger_lines_no_truncate before truncate on ledger_lines
  for each statement execute function refuse_change();

-- Each line as two postings, one for each account. The postings of an entry, and those in a currency, add up to zero.
create view ledger_postings as
  select l.id, l.entry_id, l.kind, l.user_id, l.debit as account, l.currency_id, -l.amount as amount, l.created_at from ledger_lines l
  union all
  select l.id, l.entry_id, l.kind, l.user_id, l.credit, l.currency_id, l.amount, l.created_at from ledger_lines l;

-- A mark in the list of postings to players' accounts: the number of postings before an id, for one player or for all players (user 0).
-- Marks make pages deep in a long list fast to find. Postings never change, so a mark stays correct.
create table ledger_marks (
  user_id integer not null,
  -- Number of postings before the id. A line between two of a player's accounts counts as two postings.
  rows bigint not null check (rows > 0),
  id bigint not null,
  -- Latest created_at of these postings.
  latest timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, rows)
);
create index ledger_marks_id_idx on ledger_marks (user_id, id);
create index ledger_marks_latest_idx on ledger_marks (latest) where user_id = 0;

-- Money that a player owes because a credit was reversed after it was spent. Later credits in the same currency are used to pay it.
create table claims (
  id bigint generated always as identity primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  remaining bigint not null check (remaining between 0 and amount),
  -- Ledger key of the reversal.
  source_key text not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index claims_open_idx on claims (user_id, currency_id, id) where remaining > 0;

-- A balance correction by staff from the time before staff_values replaced this table. No new rows are written.
create table adjustments (
  id uuid primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  -- The amount of the correction is the difference between cash_after and cash_before.
  cash_before bigint not null check (cash_before >= 0),
  cash_after bigint not null check (cash_after >= 0 and cash_after <> cash_before),
  -- Null if there was no reliable exchange rate.
  usd_amount bigint check (usd_amount >= 0),
  reason text,
  -- The staff member who carried out the correction alone, or proposed it.
  actor_id integer not null references users,
  created_at timestamptz not null default now(),
  -- When the proposal expires. Null if one person was enough.
  expires_at timestamptz,
  agreed_by integer references users,
  carried_out_at timestamptz,
  entry_id bigint unique,
  constraint adjustments_carried_out check ((carried_out_at is null) = (entry_id is null)),
  constraint adjustments_by_two check (expires_at is null or (reason is not null and (carried_out_at is null or agreed_by is not null)))
);
create index adjustments_open_idx on adjustments (user_id, currency_id) where carried_out_at is null;
create index adjustments_alone_user_idx on adjustments (user_id, carried_out_at) where expires_at is null;
create index adjustments_alone_actor_idx on adjustments (actor_id, carried_out_at) where expires_at is null;
create trigger adjustments_no_delete before delete or truncate on adjustments
  for each statement execute function refuse_change();

-- Total amount of one kind that was given to a player or taken from them in an hour, apart from bets and payments. The hour is that of the
-- ledger entries.
create table money_hours (
  hour timestamptz not null,
  kind text not null,
  user_id integer not null,
  currency_id text not null,
  count integer not null,
  amount bigint not null,
  -- Converted at the exchange rates that applied when the amounts were posted.
  usd_amount bigint not null,
  primary key (hour, kind, user_id, currency_id)
);
create index money_hours_user_idx on money_hours (user_id, hour);
create trigger money_hours_summed_on_insert after insert on money_hours referencing new table as added
  for each statement execute function sum_up(
    'money_days', 'day, kind, currency_id, shard',
    '(hour at time zone ''UTC'')::date, kind, currency_id, pg_backend_pid() % 16', 'usd_amount');
create trigger money_hours_summed_on_update after update on money_hours referencing new table as added old table as removed
  for each statement execute function sum_up(
    'money_days', 'day, kind, currency_id, shard',
    '(hour at time zone ''UTC'')::date, kind, currency_id, pg_backend_pid() % 16', 'usd_amount');
create trigger money_hours_summed_on_delete after delete on money_hours referencing old table as removed
  for each statement execute function sum_up(
    'money_days', 'day, kind, currency_id, shard',
    '(hour at time zone ''UTC'')::date, kind, currency_id, pg_backend_pid() % 16', 'usd_amount');

-- ---------------------------------------------------------------- Deposits

-- The credit of a deposit to a player's balance. Reversing the credit requires these amounts.
create table payment_credits (
  -- Key of the credit's ledger entry.
  key text primary key,
  kind text not null,
  user_id integer not null references users,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null check (usd_amount >= 0),
  -- Turnover that the player must complete because of the credit.
  turnover_usd bigint not null check (turnover_usd >= 0),
  entry_id bigint not null unique,
  credited_at timestamptz not null,
  reversal_entry_id bigint unique,
  reversed_at timestamptz,
  created_at timestamptz not null default now(),
  -- Commission that the affiliate earned from the credit.
  affiliate_usd bigint not null default 0 check (affiliate_usd >= 0)
);
-- For the conditions of promotions, and for finding a player's first deposit.
create index payment_credits_user_idx on payment_credits (user_id, credited_at) include (usd_amount) where reversal_entry_id is null;

-- Adds a payment to payment_hours, or removes it if the counts are negative.
create function count_payment(
  player integer, way text, currency text, network text, moment timestamptz, paid integer, failures integer, change bigint, usd bigint
) returns void language plpgsql as $$
begin
  if paid + failures > 0 then
    insert into payment_hours as h (hour, direction, currency_id, network_id, user_id, count, failed, amount, usd_amount)
    values (date_trunc('hour', moment, 'UTC'), way, currency, network, player, paid, failures, change, usd)
    on conflict (hour, direction, currency_id, network_id, user_id) do update set count = h.count + excluded.count,
      failed = h.failed + excluded.failed, amount = h.amount + excluded.amount, usd_amount = h.usd_amount + excluded.usd_amount;
  else
    update payment_hours h set count = h.count + paid, failed = h.failed + failures, amount = h.amount + change,
      usd_amount = h.usd_amount + usd
    where h.hour = date_trunc('hour', moment, 'UTC') and h.direction = way and h.currency_id = currency and h.network_id = network
      and h.user_id = player;
    delete from payment_hours h
    where h.hour = date_trunc('hour', moment, 'UTC') and h.direction = way and h.currency_id = currency and h.network_id = network
      and h.user_id = player and h.count = 0 and h.failed = 0;
  end if;
end $$;

-- Updates payment_hours and first_deposits when a deposit is credited or its credit is reversed.
create function count_credit() returns trigger language plpgsql as $$
declare
  network text := coalesce((select network_id from deposits where credit_key = new.key), '');
  sign integer := case when new.reversal_entry_id is null then 1 else -1 end;
begin
  perform count_payment(new.user_id, 'DEPOSIT', new.currency_id, network, new.credited_at, sign, 0, sign * new.amount, sign * new.usd_amount);
  if sign < 0 then
    delete from first_deposits where user_id = new.user_id and credit_key = new.key;
  end if;
  insert into first_deposits as f (user_id, credit_key, at, currency_id, amount, usd_amount)
  select user_id, key, credited_at, currency_id, amount, usd_amount from payment_credits
  where user_id = new.user_id and reversal_entry_id is null order by credited_at, entry_id limit 1
  on conflict (user_id) do update set credit_key = excluded.credit_key, at = excluded.at, currency_id = excluded.currency_id,
    amount = excluded.amount, usd_amount = excluded.usd_amount
  where f.credit_key <> excluded.credit_key;
  return null;
end $$;
-- Runs at the end of the transaction. The network is in the deposit, which refers to its credit only after the credit was inserted.
create constraint trigger payment_credits_counted after insert on payment_credits deferrable initially deferred
  for each row when (new.reversal_entry_id is null) execute function count_credit();
create constraint trigger payment_credits_counted_back after update of reversal_entry_id on payment_credits deferrable initially deferred
  for each row when (old.reversal_entry_id is null and new.reversal_entry_id is not null) execute function count_credit();

-- The address that a payment provider assigned to a player for deposits in a currency on a network.
create table deposit_addresses (
  user_id integer not null references users,
  currency_id text not null,
  network_id text not null,
  provider_id text not null,
  address text not null,
  memo text,
  -- Normalized form of the address for comparisons. Some networks ignore letter case.
  address_key text not null,
  -- The id that the provider assigned to the address.
  external_id text,
  issued_at timestamptz not null default now(),
  primary key (user_id, currency_id, network_id, provider_id),
  foreign key (currency_id, network_id) references currency_networks
);
create unique index deposit_addresses_owner_key on deposit_addresses
  (address_key, coalesce(memo, ''), currency_id, network_id);

-- A deposit: one output of a blockchain transaction, or a payment that the provider reported while its transaction is still unknown.
create table deposits (
  id uuid primary key,
  -- Null if the address belongs to no player.
  user_id integer references users,
  -- Players see RETURNING as UNDER_REVIEW, and WRITTEN_OFF as FAILED.
  status text not null,
  -- Every status that the deposit has had, with its time.
  status_history jsonb not null,
  -- Why staff should review the deposit. It can also be set on a deposit that was credited.
  review_reason text,
  provider_id text not null,
  -- The id that the provider assigned to the payment.
  external_id text not null,
  currency_id text not null,
  network_id text not null,
  pay_address text not null,
  pay_memo text,
  amount bigint not null check (amount >= 0),
  usd_amount bigint not null check (usd_amount >= 0),
  tx_hash text,
  output_index integer not null default 0 check (output_index >= 0),
  -- `<network>:<transaction>:<output>`. It is unique, so that each output is credited only once.
  output_key text unique,
  confirmations integer not null default 0 check (confirmations >= 0),
  required_confirmations smallint not null,
  deposit_bonus bigint check (deposit_bonus >= 0),
  affiliate_amount bigint not null default 0 check (affiliate_amount >= 0),
  affiliate_code text,
  -- Key of the deposit's credit. Null if the deposit was never credited.
  credit_key text unique references payment_credits,
  entry_id bigint,
  -- Time of the newest report from the provider that was processed.
  noticed_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When the provider confirmed the deposit's coins, if they were not credited at that time.
  confirmed_at timestamptz,
  -- Part of the amount that is in the ledger account `suspense` until staff decide about the deposit.
  suspense_amount bigint not null default 0,
  -- If the provider reported a larger amount for a payment that had already arrived, the increase is a deposit of its own. For such a
  -- deposit, this is the payment's first deposit.
  parent_id uuid,
  parent_external_id text,
  -- Currency and amount of a coin that we do not support, as the provider reported them.
  reported_currency text,
  reported_amount text,
  -- The currency to which the provider converted an unsupported coin.
  outcome_currency text,
  outcome_network text,
  outcome_amount bigint,
  -- The provider's report, if it could not be interpreted.
  report text,
  -- Increases with each change that matters for a decision by staff.
  version integer not null default 0,
  -- True until staff acknowledge a new review_reason.
  has_finding boolean not null default false,
  constraint deposits_credited check (status <> 'COMPLETED' or credit_key is not null)
);
alter table deposits add constraint deposits_status_known check (status in ('CREATED', 'DETECTED', 'CONFIRMING', 'COMPLETED',
  'PARTIALLY_PAID', 'EXPIRED', 'UNDER_REVIEW', 'ON_HOLD', 'RETURNING', 'RETURNED', 'WRITTEN_OFF', 'FAILED', 'REVERSED')) not valid;
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
create index deposits_review_idx on deposits (created_at, id) where status in ('UNDER_REVIEW', 'RETURNING') or has_finding;
create index deposits_parent_idx on deposits (parent_id) where parent_id is not null;

-- Returns the time of the latest status in a status history, or `otherwise` if the history does not contain a time.
create function last_change(history jsonb, otherwise timestamptz) returns timestamptz stable language sql as $$
  select coalesce((history -> -1 ->> 'at')::timestamptz, otherwise)
$$;

-- Updates the number of failed deposits in payment_hours.
create function count_failed_deposit() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status = 'FAILED' and old.user_id is not null then
    perform count_payment(old.user_id, 'DEPOSIT', old.currency_id, old.network_id, last_change(old.status_history, old.updated_at), 0, -1, 0, 0);
  end if;
  if new.status = 'FAILED' and new.user_id is not null then
    perform count_payment(new.user_id, 'DEPOSIT', new.currency_id, new.network_id, last_change(new.status_history, new.updated_at), 0, 1, 0, 0);
  end if;
  return null;
end $$;
create trigger deposits_failures_counted after update on deposits for each row
  when ((old.status, old.user_id) is distinct from (new.status, new.user_id) and 'FAILED' in (old.status, new.status))
  execute function count_failed_deposit();
create trigger deposits_failures_counted_at_once after insert on deposits for each row
  when (new.status = 'FAILED') execute function count_failed_deposit();

-- A decision by staff about a deposit, or a proposal that a second person must confirm.
create table deposit_reviews (
  id uuid primary key,
  deposit_id uuid not null references deposits,
  action text not null check (action in ('CREDIT', 'ASSIGN', 'RETURN', 'WRITE_OFF', 'ACKNOWLEDGE')),
  state text not null check (state in ('PROPOSED', 'DONE', 'REJECTED', 'LAPSED')),
  -- The deposit's version when the proposal was made.
  version integer not null,
  user_id integer references users,
  amount bigint check (amount > 0),
  usd_amount bigint,
  address text,
  memo text,
  reason text not null,
  proposed_by integer not null references users,
  -- The person who decided about the proposal. Null until then. Equal to proposed_by if one person was enough.
  decided_by integer references users,
  decision_reason text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  decided_at timestamptz
);
create unique index deposit_reviews_open_key on deposit_reviews (deposit_id) where state = 'PROPOSED';
create index deposit_reviews_deposit_idx on deposit_reviews (deposit_id, created_at);
-- For the limit on the amount that one person may credit within a day.
create index deposit_reviews_alone_idx on deposit_reviews (proposed_by, decided_at) where state = 'DONE' and decided_by = proposed_by;

-- An attempt to return a deposit with a payout to the address that staff entered.
create table deposit_returns (
  -- Our id for the payout, under which the provider stores it.
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
  -- Number of times that the worker queried the payout's status at the provider.
  checks integer not null default 0,
  asked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (deposit_id, attempt)
);
create unique index deposit_returns_open_key on deposit_returns (deposit_id) where status in ('QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME');

-- ---------------------------------------------------------------- Skins

-- A deposit for which a player sells game items (skins) through a marketplace.
create table skin_deposits (
  -- Also our reference at the marketplace, so that a repeated request does not create a second transaction.
  id uuid primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  game text not null,
  min_usd_amount bigint check (min_usd_amount >= 0),
  success_url text not null,
  fail_url text not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED')),
  -- The id that the marketplace assigned to the transaction. Null until the marketplace has responded.
  transaction_id text unique,
  url text,
  expires_at timestamptz,
  items json not null default '[]',
  usd_amount bigint check (usd_amount >= 0),
  risk text check (risk in ('LOW', 'MEDIUM', 'HIGH')),
  hold_until timestamptz,
  fail_reason text,
  -- Why staff should review the deposit. It can also be set on a deposit that was credited.
  review_reason text,
  -- The credited amount, at the exchange rate when it was credited. It remains after a reversal.
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
-- Deposits that were credited in advance while the items are still on hold.
create index skin_deposits_advances_idx on skin_deposits (user_id) where status = 'HOLD_APPROVED' and credited_at is not null;
create index skin_deposits_user_idx on skin_deposits (user_id, created_at, id);
create index skin_deposits_created_idx on skin_deposits (created_at, id);

-- A webhook from the marketplace that arrived before we stored the id of its transaction.
create table skin_notices (
  id bigint generated always as identity primary key,
  transaction_id text not null,
  body bytea not null,
  created_at timestamptz not null default now()
);
create index skin_notices_transaction_idx on skin_notices (transaction_id, id);

-- ---------------------------------------------------------------- Turnover

-- The amount that a player must still wager before a withdrawal (turnover).
create table rollovers (
  user_id integer primary key references users,
  -- Turnover that was still open after the latest change of the requirement.
  required_usd bigint not null check (required_usd >= 0),
  -- The player's counted stakes in total at that change. Stakes that were counted since then reduce the open turnover.
  wagered_usd numeric(38, 0) not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Part of required_usd that is required by promotional cash and tips instead of deposits. A self-exclusion does not waive it.
  kept_usd bigint not null default 0
);

-- A change of a player's required turnover. A bet counts in the period between two changes in which it was settled. If it is voided later,
-- the turnover of that period is missing again, even if a new deposit has been made since.
create table rollover_changes (
  user_id integer not null references users,
  id bigint generated always as identity,
  -- Ledger position of the change. The player's earlier ids are at most this value, and later ids are greater.
  position bigint not null,
  added_usd bigint not null,
  added_kept_usd bigint not null,
  -- Open turnover after the change. kept_usd is the part that a self-exclusion does not waive.
  required_usd bigint not null,
  kept_usd bigint not null,
  -- The player's counted stakes in total at the time of the change.
  wagered_usd numeric(38, 0) not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);

-- ---------------------------------------------------------------- Withdrawals

-- A withdrawal requested by a player. The request moves the amount to the player's hold. Its ledger entries have the keys
-- `withdrawal:<id>:<step>:<attempt>`. Never deleted.
create table withdrawals (
  id uuid primary key,
  user_id integer not null references users,
  status text not null check (status in ('WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT',
    'COMPLETED', 'REJECTED', 'CANCELLED', 'FAILED')),
  status_history jsonb not null,
  currency_id text not null,
  network_id text not null,
  amount bigint not null check (amount > 0),
  -- The fee is deducted from the amount. The recipient gets the rest.
  fee bigint not null check (fee >= 0 and fee < amount),
  usd_amount bigint not null check (usd_amount >= 0),
  -- False if there was no reliable exchange rate. Staff must then review the withdrawal, whatever its amount.
  is_priced boolean not null,
  recipient_address text not null,
  recipient_memo text,
  risk_score smallint not null,
  risk_reasons text[] not null,
  -- Why the status is ON_HOLD.
  hold_reason text,
  -- Number of the current payout attempt. Staff must request each attempt after the first.
  attempt smallint not null default 1 check (attempt > 0),
  provider_id text,
  -- Our id for the payout, stored before the request to the provider is sent.
  reference text,
  -- The id that the provider assigned to the payout.
  external_id text,
  -- When the worker last began to send the payout to the provider.
  asked_at timestamptz,
  -- Time of the newest report from the provider.
  told_at timestamptz,
  tx_hash text,
  confirmations integer not null default 0 check (confirmations >= 0),
  -- When the worker acts next: it releases the withdrawal from hold, sends the payout or queries its status. Null if it has nothing to do.
  check_at timestamptz,
  -- Number of checks by the worker, which determines the delay until the next one.
  checks smallint not null default 0,
  -- The first of two approvers.
  first_approved_by integer references users,
  -- The staff member who gave the final approval, or rejected the withdrawal. Null if it was approved automatically.
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
-- A player's recent payouts.
create index withdrawals_user_asked_idx on withdrawals (user_id, asked_at) where status in ('SENT', 'COMPLETED');
-- For statistics about how long withdrawals waited until they were approved.
create index withdrawals_confirmed_idx on withdrawals (confirmed_at) include (created_at, currency_id, network_id, user_id, status)
  where confirmed_at is not null;
create index withdrawals_recipient_idx on withdrawals (lower(recipient_address), user_id);
create trigger withdrawals_no_delete before delete or truncate on withdrawals
  for each statement execute function refuse_change();

-- Updates withdrawal_counts.
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

-- Updates the withdrawals in payment_hours.
create function count_withdrawal_hour() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status = 'FAILED' then
    perform count_payment(old.user_id, 'WITHDRAW', old.currency_id, old.network_id, last_change(old.status_history, old.updated_at), 0, -1, 0, 0);
  end if;
  if new.status = 'FAILED' then
    perform count_payment(new.user_id, 'WITHDRAW', new.currency_id, new.network_id, last_change(new.status_history, new.updated_at), 0, 1, 0, 0);
  elsif new.status = 'COMPLETED' then
    perform count_payment(new.user_id, 'WITHDRAW', new.currency_id, new.network_id, last_change(new.status_history, new.updated_at), 1, 0,
      new.amount, new.usd_amount);
  end if;
  return null;
end $$;
create trigger withdrawals_counted_in_hours after update on withdrawals for each row
  when (old.status <> new.status and (old.status = 'FAILED' or new.status in ('COMPLETED', 'FAILED'))) execute function count_withdrawal_hour();
create trigger withdrawals_counted_at_once after insert on withdrawals for each row
  when (new.status in ('COMPLETED', 'FAILED')) execute function count_withdrawal_hour();

-- A part of the number of withdrawals in a status. The number is spread over sixteen rows so that changes rarely wait for each other. A
-- single row may be negative, but the sum is not.
create table withdrawal_counts (
  status text not null,
  shard smallint not null,
  withdrawals bigint not null,
  primary key (status, shard)
);

-- A block that prevents a player from withdrawing money until it ends or is lifted. Never deleted.
create table withdrawal_blocks (
  id bigint generated always as identity primary key,
  user_id integer not null references users,
  reason text,
  -- Reason that the player sees.
  reason_public text,
  -- When the block ends. Null if it applies until staff lift it.
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

-- The total of a player's completed deposits or withdrawals in a period, for lists of top depositors.
create table payment_stats (
  kind text not null check (kind in ('DEPOSIT', 'WITHDRAW')),
  period text not null check (period in ('ALL', 'HOUR', 'DAY', 'WEEK', 'MONTH')),
  -- -infinity for the period ALL.
  period_start timestamptz not null,
  user_id integer not null references users,
  usd_amount numeric(38, 0) not null default 0,
  payments bigint not null default 0,
  last_at timestamptz not null,
  primary key (kind, period, period_start, user_id)
);
create index payment_stats_amount_idx on payment_stats (kind, period, period_start, usd_amount, user_id);

-- ---------------------------------------------------------------- Bonus money

-- A promotion that staff have defined. Promotion 1 stands for the VIP level rewards and is never offered to players.
create table promos (
  id bigint generated by default as identity (start with 1000) primary key,
  name text not null,
  description text,
  type text not null check (type in ('WELCOME', 'DEPOSIT', 'CODE', 'MANUAL')),
  status text not null default 'DRAFT' check (status in ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED')),
  kind text not null check (kind in ('CASH', 'BONUS', 'FREE_SPINS', 'FREE_BET')),
  currency_id text not null,
  amount bigint check (amount > 0),
  percent_bp integer check (percent_bp > 0),
  -- Maximum amount of a percentage bonus, in currency_id.
  max_amount bigint check (max_amount > 0),
  free_spins integer,
  free_spin_value_usd bigint,
  game_slug text,
  wager_multiplier_e2 integer not null check (wager_multiplier_e2 >= 0),
  wager_base text not null check (wager_base in ('BONUS', 'DEPOSIT_AND_BONUS')),
  max_bet_usd bigint check (max_bet_usd > 0),
  max_withdrawal_multiplier_e2 integer check (max_withdrawal_multiplier_e2 >= 0),
  validity_hours integer check (validity_hours > 0),
  start_at timestamptz,
  end_at timestamptz,
  -- Conditions that a player must meet, as staff entered them.
  conditions jsonb not null default '{}',
  -- Which games count towards the wagering requirement, and how much: gameSlugs, providerIds, categories, contribution, perGame.
  games jsonb not null default '{}',
  max_grants integer check (max_grants > 0),
  max_total_usd bigint check (max_total_usd > 0),
  -- Number of grants so far, which max_grants limits. Their value, granted_usd, is limited by max_total_usd.
  grants integer not null default 0,
  granted_usd bigint not null default 0,
  created_by integer references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Staff member who set the current terms, for four-eyes approval.
  terms_set_by integer references users,
  -- Staff member who activated the promotion.
  activated_by integer references users,
  -- Amount that may still be granted automatically before a second person approves the budget. Null if the whole budget may be granted.
  open_usd bigint check (open_usd >= 0)
);
create index promos_created_idx on promos (created_at, id);
create index promos_active_idx on promos (type, id) where status = 'ACTIVE';
insert into promos (id, name, type, status, kind, currency_id, wager_multiplier_e2, wager_base)
  values (1, 'VIP level reward', 'MANUAL', 'ACTIVE', 'CASH', 'USDT', 100, 'BONUS');

-- A code with which players claim a promotion.
create table promo_codes (
  -- The code in lower case, because codes are not case-sensitive.
  key text collate "C" primary key,
  -- The code as staff entered it.
  code text not null,
  promo_id bigint not null references promos,
  kind text not null check (kind in ('UNIVERSAL', 'ONE_TIME')),
  max_uses integer check (max_uses > 0),
  uses integer not null default 0,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  check (max_uses is null or uses <= max_uses)
);
create index promo_codes_promo_idx on promo_codes (promo_id, created_at, key);
create index promo_codes_key_idx on promo_codes (promo_id, key);
create index promo_codes_uses_idx on promo_codes (promo_id, uses, key);

-- A grant of a promotion to a player, with the promotion's terms at the time of the grant. A FREE_SPINS grant is PENDING until all spins
-- were played. Its granted_amount is then the total stake of the spins, and converted is the total of their winnings.
create table promo_grants (
  id bigint generated always as identity primary key,
  promo_id bigint not null references promos,
  user_id integer not null,
  -- Prevents a second grant from the same source.
  source_key text not null unique,
  source text not null check (source in ('OFFER', 'CODE', 'ADMIN', 'CRM', 'VIP')),
  code text,
  -- The staff member who made the grant, if the source is ADMIN.
  granted_by integer,
  name text not null,
  type text not null,
  kind text not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'COMPLETED', 'FORFEITED', 'EXPIRED', 'LOST', 'CANCELLED')),
  currency_id text not null,
  -- 0 while a percentage bonus waits for its deposit.
  granted_amount bigint not null default 0 check (granted_amount >= 0),
  -- Bonus money that the player gets when the grant starts, including money that rollbacks have returned.
  to_start bigint not null default 0 check (to_start >= 0),
  granted_usd bigint not null default 0,
  -- For a percentage bonus: the percentage of the next deposit. max_amount and min_deposit_usd are also set only for such a bonus.
  percent_bp integer,
  max_amount bigint,
  max_amount_currency_id text,
  -- A smaller deposit has no effect, and the grant continues to wait.
  min_deposit_usd bigint,
  wager_multiplier_e2 integer not null,
  wager_base text not null,
  max_bet_usd bigint,
  max_withdrawal_multiplier_e2 integer,
  validity_hours integer,
  games jsonb not null default '{}',
  -- Key of the deposit's credit, for a percentage bonus.
  deposit_key text,
  wager_required bigint not null default 0 check (wager_required >= 0),
  -- Amount wagered so far. It is in units of currency_id, like wager_required.
  wager_done bigint not null default 0,
  -- Part of the player's bonus balance that belongs to this grant.
  bonus_balance bigint not null default 0 check (bonus_balance >= 0),
  converted bigint not null default 0,
  forfeited bigint not null default 0,
  -- Amount that the platform paid in addition to the grant, because the grant could not cover payouts that were rolled back.
  written_off bigint not null default 0,
  -- Number of ledger entries of the grant, used in their keys.
  entries integer not null default 0,
  -- Number of bets that were rejected because of max_bet_usd.
  refused_bets integer not null default 0,
  -- True if the grant may have ended or must be settled again. A job checks this outside the transaction of the bet.
  is_due boolean not null default false,
  -- When the grant expires if it has not started.
  waits_until timestamptz,
  activated_at timestamptz,
  expires_at timestamptz,
  closed_at timestamptz,
  close_reason text,
  created_at timestamptz not null default now(),
  -- Payouts that were rolled back after the grant had ended and that the platform has covered so far. The next settlement of the grant
  -- deducts them and resets this column.
  to_take_back bigint not null default 0 check (to_take_back >= 0),
  -- Turnover in US dollars × 10^8 that is missing because bets of the completed grant were rolled back. The next settlement of the grant
  -- adds it to the player's required turnover and resets this column.
  turnover_owed bigint not null default 0 check (turnover_owed >= 0),
  constraint promo_grants_kind_check check (kind in ('CASH', 'BONUS', 'FREE_SPINS'))
) with (fillfactor = 50);
create unique index promo_grants_active_idx on promo_grants (user_id, currency_id) where status = 'ACTIVE';
create index promo_grants_pending_idx on promo_grants (user_id, currency_id, id) where status = 'PENDING';
create index promo_grants_user_idx on promo_grants (user_id, created_at, id);
create index promo_grants_promo_idx on promo_grants (promo_id, id);
create index promo_grants_promo_status_idx on promo_grants (promo_id, status, id);
create index promo_grants_status_idx on promo_grants (status, id);
create index promo_grants_outcome_idx on promo_grants (promo_id, currency_id) include (converted, forfeited) where converted > 0 or forfeited > 0;
-- A player gets at most one welcome offer.
create unique index promo_grants_welcome_idx on promo_grants (user_id) where type = 'WELCOME';
create index promo_grants_created_idx on promo_grants (created_at, id);
create index promo_grants_due_idx on promo_grants (id) where is_due;
create index promo_grants_expiry_idx on promo_grants (expires_at) where status = 'ACTIVE';
create index promo_grants_waiting_idx on promo_grants (waits_until) where status = 'PENDING';
create index promo_grants_deposit_idx on promo_grants (deposit_key) where deposit_key is not null;

-- The bonus money in a bet that was placed while a grant was active. The rest of the bet's stake and payout is cash.
create table bonus_bets (
  bet_id bigint primary key,
  user_id integer not null,
  grant_id bigint not null,
  currency_id text not null,
  bonus_staked bigint not null default 0 check (bonus_staked >= 0),
  bonus_paid bigint not null default 0 check (bonus_paid >= 0),
  -- Part of bonus_paid that the player did not keep because the grant had ended.
  bonus_lost bigint not null default 0 check (bonus_lost >= 0),
  -- Part of bonus_paid that was paid before the grant ended or has been settled since then. Null if the grant did not end while the bet was
  -- open.
  bonus_passed bigint,
  -- Amount by which the bet counts towards the wagering requirement. Null while the bet is open.
  counted bigint,
  contribution_bp integer not null,
  -- Why less than the whole stake counts towards the wagering requirement: PUSH or LOW_RISK. Null otherwise.
  uncounted text
);
create index bonus_bets_open_idx on bonus_bets (user_id) where counted is null;
create index bonus_bets_passing_idx on bonus_bets (grant_id) where bonus_paid > bonus_passed;
