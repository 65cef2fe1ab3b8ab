-- What the gate knows of a player beyond his ban. `is_restricted` says under his lock that there is more to read: the bet of
-- somebody who is neither limited nor excluded pays nothing for it.
alter table players add column is_restricted boolean not null default false;

-- limits: { "WAGER": { "DAY": "5000000000" } } in dollars × 10^8, SESSION in minutes; play: what was played in the running periods, kept
-- while something limits play.
create table restrictions (
  user_id integer primary key references users,
  excluded_until timestamptz,
  -- The first bet after an exclusion comes later than its end.
  play_from timestamptz,
  limits json not null default '{}',
  play json
);

-- Another process's change of a game counts at once.
create function announce_game() returns trigger language plpgsql as $$
begin
  perform pg_notify('games_changed', '');
  return null;
end $$;
create trigger games_announced after insert or update on games
  for each statement execute function announce_game();

-- What a player owes: coins that were credited and turned out not to be there, beyond what he still had.
insert into ledger_accounts (code, name, owner) values (110, 'claims', 'SYSTEM');

-- ---------------------------------------------------------------- payment methods: a currency on a network

alter table currency_networks
  add column min_deposit bigint not null default 0 check (min_deposit >= 0),
  add column min_withdraw bigint not null default 0 check (min_withdraw >= 0),
  add column withdraw_fee bigint not null default 0 check (withdraw_fee >= 0),
  add column confirmations smallint not null default 1 check (confirmations >= 0),
  add column memo_required boolean not null default false,
  -- Which rule a recipient's address follows; null: this network takes no address.
  add column address_kind text,
  add column eta_minutes smallint not null default 60;

update currency_networks n set
  (min_deposit, min_withdraw, withdraw_fee, confirmations, address_kind, eta_minutes) =
  (v.min_deposit, v.min_withdraw, v.fee, v.confirmations, v.address_kind, v.eta)
from (values
  ('BTC',  'bitcoin',     10000,      20000,      5000,      2,  'btc',  60),
  ('ETH',  'ethereum',    200000,     500000,     100000,    12, 'eth',  15),
  ('ETH',  'bsc',         200000,     500000,     20000,     15, 'eth',  10),
  ('USDT', 'ethereum',    500000000,  1000000000, 400000000, 12, 'eth',  15),
  ('USDT', 'tron',        100000000,  500000000,  100000000, 20, 'trx',  10),
  ('USDT', 'bsc',         100000000,  300000000,  50000000,  15, 'eth',  10),
  ('USDT', 'solana',      100000000,  300000000,  50000000,  30, 'sol',  5),
  ('USDC', 'ethereum',    500000000,  1000000000, 400000000, 12, 'eth',  15),
  ('USDC', 'bsc',         100000000,  300000000,  50000000,  15, 'eth',  10),
  ('USDC', 'solana',      100000000,  300000000,  50000000,  30, 'sol',  5),
  ('LTC',  'litecoin',    1000000,    2000000,    100000,    6,  'ltc',  30),
  ('TRX',  'tron',        1000000000, 2000000000, 100000000, 20, 'trx',  10),
  ('SOL',  'solana',      1000000,    5000000,    100000,    30, 'sol',  5),
  ('DOGE', 'dogecoin',    500000000,  2000000000, 200000000, 20, 'doge', 40),
  ('BNB',  'bsc',         200000,     1000000,    50000,     15, 'eth',  10),
  ('XRP',  'ripple',      100000000,  500000000,  20000000,  1,  'xrp',  5),
  ('BCH',  'bitcoincash', 500000,     1000000,    50000,     10, 'bch',  120)
) v(currency_id, id, min_deposit, min_withdraw, fee, confirmations, address_kind, eta)
where n.currency_id = v.currency_id and n.id = v.id;

-- One address for everybody: only the memo says whose coins they are.
update currency_networks set memo_required = true where id = 'ripple';
-- Bank transfers are for a provider that is not there yet.
update currency_networks set deposit_enabled = false, withdraw_enabled = false where id in ('sepa', 'swift');

-- ---------------------------------------------------------------- notices of outside parties

-- Every signed notice, kept before anything is done with it. The same bytes again are the same notice.
create table webhook_events (
  id bigint generated always as identity primary key,
  kind text not null,
  provider text not null,
  body_hash bytea not null,
  body bytea not null,
  deliveries integer not null default 1,
  attempts integer not null default 0,
  error text,
  received_at timestamptz not null default now(),
  -- When it is taken again, as long as it was not taken.
  retry_at timestamptz not null default now() + interval '5 seconds',
  processed_at timestamptz,
  unique (kind, provider, body_hash)
);
create index webhook_events_waiting_idx on webhook_events (retry_at) where processed_at is null;
