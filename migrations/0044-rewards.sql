-- What settled bets bring their players and whoever referred them: rakeback, VIP levels, commission.

-- Payments rest on what such a consumer has built: its positions are applied once, and never again.
alter table cursors
  add column pays_out boolean not null default false,
  add constraint cursors_pays_out_check check (not pays_out or (replay_from is null and generation = 0));

-- Rewards are for what happens to bets from now on.
insert into cursors (name, follows, generation, pays_out, position)
  select 'rewards', 'bets', 0, true,
    coalesce(greatest(max(id), max(settlement_id), max(reversal_id), (select max(id) from bet_corrections)), 0) from bets;

-- What each effect of a bet has added, as it was counted then: a reversal takes this back. Amounts of rakeback are in units of the bet's
-- currency, all others in US dollars × 10^8.
create table bet_rewards (
  bet_id bigint not null,
  -- The sequence position of the effect.
  place bigint not null,
  -- Of the effect that has taken it back; null: it counts.
  reversed_place bigint,
  -- Stake and payout without bonus money.
  own_usd bigint not null,
  own_paid_usd bigint not null,
  instant bigint not null,
  daily bigint not null,
  weekly bigint not null,
  monthly bigint not null,
  affiliate_usd bigint not null,
  user_id integer not null,
  -- Who earns affiliate_usd; null: nobody, and what was staked counts for nobody.
  affiliate_user_id integer,
  edge_ppm integer not null,
  -- The periods that it counts in.
  day date not null,
  week date not null,
  month date not null,
  -- Before the bet.
  vip_level smallint not null,
  currency_id text not null,
  constraint bet_rewards_pkey primary key (bet_id, place)
) partition by range (bet_id);

-- What detached rows come to that count.
create table reward_openings (
  part text not null references archived_parts on delete cascade,
  user_id integer not null,
  currency_id text not null,
  -- 0: nobody.
  affiliate_user_id integer not null,
  own_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  instant numeric(38, 0) not null,
  daily numeric(38, 0) not null,
  weekly numeric(38, 0) not null,
  monthly numeric(38, 0) not null,
  affiliate_usd numeric(38, 0) not null,
  primary key (part, user_id, currency_id, affiliate_user_id)
);

-- Rewards of the bets of a month are a part of their own, which goes after its bets and comes back before them.
alter table archived_parts
  drop constraint archived_parts_list_check,
  add constraint archived_parts_list_check check (list in ('bets', 'bet_rewards', 'ledger_lines'));

create or replace function guard_partition(part regclass, whole text) returns void language plpgsql as $$
begin
  if whole in ('bets', 'bet_rewards') then
    execute format('create trigger %I before delete or truncate on %s for each statement execute function refuse_change()',
      whole || '_no_delete', part);
  else
    execute format('create trigger ledger_lines_append_only before update or delete on %s for each statement execute function refuse_change()', part);
    execute format('create trigger ledger_lines_no_truncate before truncate on %s for each statement execute function refuse_change()', part);
  end if;
end $$;

create or replace function create_month(month integer) returns boolean language plpgsql as $$
declare
  first bigint := month::bigint << 43;
  suffix text := to_char(make_date(2020 + month / 12, 1 + month % 12, 1), 'YYYY_MM');
  whole text;
  part text;
  made boolean := false;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions', 0));
  foreach whole in array array['bets', 'bet_rewards', 'ledger_lines'] loop
    part := whole || '_' || suffix;
    continue when to_regclass(part) is not null or to_regclass('archive.' || part) is not null;
    execute format('create table %I (like %I including defaults including constraints including storage)', part, whole);
    if whole = 'bets' then
      execute format('create unique index %I on %I (seed_pair_id, nonce)', part || '_seed_nonce_key', part);
    end if;
    if whole in ('bets', 'bet_rewards') then
      execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05)', part);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', whole, part, first, first + (1::bigint << 43));
    perform guard_partition(part::regclass, whole);
    made := true;
  end loop;
  return made;
end $$;

do $$
declare
  month integer := (extract(year from now() at time zone 'UTC')::int - 2020) * 12 + extract(month from now() at time zone 'UTC')::int - 1;
  furthest integer := greatest(month, ((select last_value from ledger_ids) >> 43)::int) + 2;
begin
  -- All that is open of earlier months.
  execute format('create table bet_rewards_before partition of bet_rewards for values from (minvalue) to (%s)', month::bigint << 43);
  perform create_month(each) from generate_series(month, furthest) each;
end $$;
select guard_partition('bet_rewards', 'bet_rewards'), guard_partition('bet_rewards_before', 'bet_rewards'), analyze_whole('bet_rewards');

-- Rakeback by the period in which it becomes claimable. Instant rakeback, and what of other periods was merged by a claim, starts at
-- -infinity. Whoever takes several rows of a player in one transaction takes those that start at -infinity first, each in the order of
-- the key.
create table rakeback_periods (
  user_id integer not null,
  currency_id text not null,
  period text not null check (period in ('instant', 'daily', 'weekly', 'monthly')),
  start date not null check (period <> 'instant' or start = '-infinity'),
  -- Less than was claimed where claimed bets were rolled back: further rakeback makes up for it first.
  accrued numeric(38, 0) not null default 0,
  claimed numeric(38, 0) not null default 0 check (claimed >= 0),
  expired numeric(38, 0) not null default 0 check (expired >= 0),
  -- Of a row that starts at -infinity: numbers the ledger's keys of claims.
  claims integer not null default 0,
  -- To the minute where bets add to it.
  updated_at timestamptz not null default now(),
  primary key (user_id, currency_id, period, start)
) with (fillfactor = 70);
-- A player has an instant row in each currency in which anything was accrued.
create index rakeback_periods_updated_idx on rakeback_periods (updated_at, user_id, currency_id) where period = 'instant';

-- What players have wagered of their own money, in dollars at the rates of then.
create table vip_progress (
  user_id integer primary key,
  wagered_usd numeric(38, 0) not null
) with (fillfactor = 70);

-- The reward of each level that a player has reached.
create table vip_rewards (
  user_id integer not null,
  level smallint not null check (level > 0),
  -- OWED: is paid while the player has wagered threshold_usd. SKIPPED: granted with the level instead of crossed, worth nothing, or refused.
  status text not null check (status in ('OWED', 'PAID', 'SKIPPED')),
  threshold_usd bigint not null,
  reward_usd bigint not null,
  -- What it was paid by.
  grant_id bigint references promo_grants,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  primary key (user_id, level),
  check ((status = 'PAID') = (grant_id is not null))
);
create index vip_rewards_owed_idx on vip_rewards (user_id, level) where status = 'OWED';
