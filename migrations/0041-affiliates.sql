-- Affiliates: codes, who came through them, what they play and pay, and what is owed for it. Dollars × 10^8.
--
-- Who writes what. The consumer `rewards` writes what bets add: columns marked (bets). The module `affiliates` writes the rest: sign-ups,
-- payments, claims, approvals. Whoever writes several of these tables in one transaction takes them in this order, and rows of each in
-- ascending order of their keys: referrals, referral_days, affiliate_days, affiliates. Nobody locks a player after them.

create table affiliate_codes (
  -- The code in lower case. A row stays when its code is deleted: nobody gets the code again.
  key text primary key check (key ~ '^[a-z0-9_-]+$'),
  -- As its owner writes it.
  code text not null check (lower(code) = key),
  user_id integer not null references users,
  -- How many signed up with it.
  users_count integer not null default 0,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index affiliate_codes_user_idx on affiliate_codes (user_id, created_at, key) where deleted_at is null;

-- Who has or had a code, with the sums over all of their referrals.
create table affiliates (
  user_id integer primary key references users,
  -- (bets) What referrals have staked of their own money: it decides on the level.
  wagered_usd numeric(38, 0) not null default 0,
  -- (bets) Own stakes less own payouts.
  ggr_usd numeric(38, 0) not null default 0,
  referral_count integer not null default 0,
  -- Referrals with a completed deposit that was not reversed.
  depositor_count integer not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  -- (bets, deposits, approvals) Sums of affiliate_days; a claim needs to read the newest days alone.
  earned_usd numeric(38, 0) not null default 0,
  held_usd numeric(38, 0) not null default 0,
  claimed_usd numeric(38, 0) not null default 0,
  -- Numbers the ledger's keys of claims: affiliate:<user>:<n>.
  claims integer not null default 0,
  created_at timestamptz not null default now()
);
create index affiliates_created_idx on affiliates (created_at, user_id);
create index affiliates_wagered_idx on affiliates (wagered_usd, user_id);
create index affiliates_earned_idx on affiliates (earned_usd, user_id);

-- Who came through whose code: set once, when the account is opened.
create table referrals (
  user_id integer primary key references users,
  affiliate_user_id integer not null references affiliates check (affiliate_user_id <> user_id),
  code_key text not null references affiliate_codes,
  -- Opened from the owner's address and device: what is earned waits for the approval of the referral's identity. Whoever adds
  -- earnings reads it from the row that they have updated, so that an approval is either before or after.
  is_held boolean not null,
  -- (bets)
  wagered_usd numeric(38, 0) not null default 0,
  ggr_usd numeric(38, 0) not null default 0,
  -- (bets) When their last counted bet was settled; a rollback leaves it as it is.
  last_bet_at timestamptz,
  -- (bets, deposits) Held or not.
  earned_usd numeric(38, 0) not null default 0,
  -- Completed deposits that were not reversed.
  deposits integer not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 90);
create index referrals_created_idx on referrals (created_at, user_id);
create index referrals_wagered_idx on referrals (wagered_usd, user_id);
create index referrals_earned_idx on referrals (earned_usd, user_id);
create index referrals_affiliate_created_idx on referrals (affiliate_user_id, created_at, user_id);
create index referrals_affiliate_wagered_idx on referrals (affiliate_user_id, wagered_usd, user_id);
create index referrals_affiliate_earned_idx on referrals (affiliate_user_id, earned_usd, user_id);
create index referrals_affiliate_last_bet_idx on referrals (affiliate_user_id, last_bet_at);
create index referrals_code_idx on referrals (code_key, user_id);

-- How many referrals of an affiliate made their last counted bet on a day: active referrals are a sum over a few rows. The trigger alone writes it.
create table referral_activity (
  affiliate_user_id integer not null,
  day date not null,
  referrals integer not null,
  primary key (affiliate_user_id, day)
) with (fillfactor = 80);
create function count_referral_activity() returns trigger language plpgsql as $$
begin
  insert into referral_activity as a (affiliate_user_id, day, referrals)
  select affiliate_user_id, day, sum(n) from (
    select affiliate_user_id, (last_bet_at at time zone 'UTC')::date as day, -1 as n from before where last_bet_at is not null
    union all
    select affiliate_user_id, (last_bet_at at time zone 'UTC')::date, 1 from after where last_bet_at is not null
  ) changes group by affiliate_user_id, day having sum(n) <> 0 order by affiliate_user_id, day
  on conflict (affiliate_user_id, day) do update set referrals = a.referrals + excluded.referrals;
  return null;
end $$;
create trigger referrals_activity_counted after update on referrals referencing old table as before new table as after
  for each statement execute function count_referral_activity();

-- What a referral did on a UTC day. An earning stands on the day of its bet or deposit; what takes it back, on the same day.
create table referral_days (
  user_id integer not null,
  day date not null,
  affiliate_user_id integer not null,
  -- (bets)
  wagered_usd numeric(38, 0) not null default 0,
  ggr_usd numeric(38, 0) not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  -- (bets, deposits) Held or not.
  earned_usd numeric(38, 0) not null default 0,
  primary key (user_id, day)
) with (fillfactor = 80);
create index referral_days_affiliate_idx on referral_days (affiliate_user_id, day, user_id);

-- What an affiliate earned on a UTC day: (bets, deposits) by referrals that are not held, and by those that are; an approval moves it from
-- held to earned.
create table affiliate_days (
  affiliate_user_id integer not null,
  day date not null,
  earned_usd numeric(38, 0) not null default 0,
  held_usd numeric(38, 0) not null default 0,
  primary key (affiliate_user_id, day)
) with (fillfactor = 80);

-- What was paid out, the n-th claim of each affiliate.
create table affiliate_claims (
  user_id integer not null references users,
  n integer not null,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null check (usd_amount >= 0),
  entry_id bigint not null unique,
  created_at timestamptz not null default now(),
  primary key (user_id, n)
);
create index affiliate_claims_usd_idx on affiliate_claims (user_id, usd_amount, n);

-- The commission that a deposit brought to whoever referred its player: what a reversal takes back.
alter table payment_credits add column affiliate_usd bigint not null default 0 check (affiliate_usd >= 0);
