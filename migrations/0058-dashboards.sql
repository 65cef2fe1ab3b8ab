-- What dashboards read: sums by the hour, none of which is made by looking at a bet.
--
-- A row that names a player is there for everybody: who reads it leaves `uncounted_users` out. A row that names none (game_hours) is of real
-- players alone. account_hours and liability_days are of everybody: what is owed is owed to anybody.

-- ---------------------------------------------------------------- who is left out

-- Staff and test users are nobody's figures. A statement that leaves them out asks for this view, and hashes the few that there are.
create view uncounted_users as select id as user_id from users where is_staff or is_test;
create index users_uncounted_idx on users (id) where is_staff or is_test;

-- ---------------------------------------------------------------- bets

-- What of a bet was bonus money until this correction: bonus_bets knows the last version alone. Null where the bet did not count before it.
alter table bet_corrections add column bonus_staked bigint, add column bonus_paid bigint;
-- Of corrections of before, what the last version has: it is right for all that still counts.
update bet_corrections c set bonus_staked = coalesce(b.bonus_staked, 0), bonus_paid = coalesce(b.bonus_paid, 0)
from bet_corrections o left join bonus_bets b using (bet_id) where o.id = c.id and c.amount_before is not null;

-- The consumer stands still until all of this has been counted.
select from cursors where name = 'user-stats' for update;

-- Stakes and payouts without bonus money. They have no default: a worker of the version before cannot write rows without them, and leaves
-- the bets to its successor.
alter table play_hours add column own_staked_usd numeric(38, 0), add column own_paid_usd numeric(38, 0);
update play_hours set own_staked_usd = staked_usd, own_paid_usd = paid_usd;
-- Bets with bonus money, as they count where the cursor stands.
with cursor as (select position from cursors where name = 'user-stats'),
counted as (
  select b.user_id, b.game_id, b.amount, b.payout, b.usd_amount, b.usd_payout, coalesce(b.settled_at, b.created_at) as at, o.bonus_staked, o.bonus_paid
  from bonus_bets o join bets b on b.id = o.bet_id, cursor
  where (b.status = 'SETTLED' or b.reversal_id is not null) and not b.is_corrected and coalesce(b.settlement_id, b.id) <= position
    and (b.reversal_id is null or b.reversal_id > position)
  union all
  select c.user_id, c.game_id, v.amount, v.payout, v.usd_amount, v.usd_payout, v.at, o.bonus_staked, o.bonus_paid
  from cursor, (
    select *, lag(id) over w as previous, lead(id) over w as next from bet_corrections
    window w as (partition by user_id, bet_position, bet_id order by id)) c
  join bonus_bets o using (bet_id)
  cross join lateral (values (id, next, amount_after, payout_after, usd_amount_after, usd_payout_after, at_after),
    (case when previous is null then bet_position end, id, amount_before, payout_before, usd_amount_before, usd_payout_before, at_before))
    v(since, until, amount, payout, usd_amount, usd_payout, at)
  where v.amount is not null and v.since <= position and (v.until is null or v.until > position)),
bonus as (
  select game_id, date_trunc('hour', at, 'UTC') as hour, user_id,
    sum(case when least(bonus_staked, amount) > 0 then usd_amount - div(usd_amount::numeric * (amount - least(bonus_staked, amount)), amount) else 0 end) as staked,
    sum(case when least(bonus_paid, payout) > 0 then usd_payout - div(usd_payout::numeric * (payout - least(bonus_paid, payout)), payout) else 0 end) as paid
  from counted group by 1, 2, 3)
update play_hours h set own_staked_usd = staked_usd - staked, own_paid_usd = paid_usd - paid
from bonus b where (h.game_id, h.hour, h.user_id) = (b.game_id, b.hour, b.user_id);
alter table play_hours alter column own_staked_usd set not null, alter column own_paid_usd set not null;

-- play_hours of real players by hour and game; US dollars × 10^8. Rows of an earlier generation of `user-stats` count for nothing, and no
-- row is without a bet.
create table game_hours (
  hour timestamptz not null,
  game_id integer not null,
  generation integer not null,
  bets bigint not null,
  own_staked_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  primary key (hour, game_id)
) with (fillfactor = 70);
create index game_hours_game_idx on game_hours (game_id, hour);
insert into game_hours (hour, game_id, generation, bets, own_staked_usd, own_paid_usd)
  select hour, game_id, generation, sum(bets), sum(own_staked_usd), sum(own_paid_usd) from play_hours
  where generation = (select generation from cursors where name = 'user-stats') and user_id not in (select user_id from uncounted_users)
  group by hour, game_id, generation;

-- Who has a bet that counts on a UTC day, in a game and in any (game 0): the players of a range are a count over few rows. Of an earlier
-- generation: as above.
create table play_days (
  day date not null,
  game_id integer not null,
  user_id integer not null,
  generation integer not null,
  primary key (game_id, day, user_id)
);
insert into play_days (day, game_id, user_id, generation)
  select distinct (hour at time zone 'UTC')::date, game, user_id, generation from play_hours, lateral (values (game_id), (0)) g(game)
  where generation = (select generation from cursors where name = 'user-stats');

-- Who becomes staff or a test user, or is one no more, is moved out of game_hours or into it, with what they have played. The consumer
-- stands still meanwhile: it reads who counts under the same lock.
create function move_game_hours() returns trigger language plpgsql as $$
declare
  current integer;
begin
  select generation into current from cursors where name = 'user-stats' for update;
  if exists (select from uncounted_users where user_id = new.id) then
    update game_hours h set bets = h.bets - p.bets, own_staked_usd = h.own_staked_usd - p.own_staked_usd,
      own_paid_usd = h.own_paid_usd - p.own_paid_usd
    from play_hours p where p.user_id = new.id and p.generation = current and h.hour = p.hour and h.game_id = p.game_id;
    delete from game_hours h using play_hours p
    where p.user_id = new.id and p.generation = current and h.hour = p.hour and h.game_id = p.game_id and h.bets = 0;
  else
    insert into game_hours as h (hour, game_id, generation, bets, own_staked_usd, own_paid_usd)
    select hour, game_id, current, bets, own_staked_usd, own_paid_usd from play_hours where user_id = new.id and generation = current
    on conflict (hour, game_id) do update set generation = excluded.generation,
      bets = excluded.bets + case when h.generation = excluded.generation then h.bets else 0 end,
      own_staked_usd = excluded.own_staked_usd + case when h.generation = excluded.generation then h.own_staked_usd else 0 end,
      own_paid_usd = excluded.own_paid_usd + case when h.generation = excluded.generation then h.own_paid_usd else 0 end;
  end if;
  return null;
end $$;
create trigger users_game_hours_moved after update of is_staff, is_test on users for each row
  when ((old.is_staff or old.is_test) is distinct from (new.is_staff or new.is_test)) execute function move_game_hours();

-- ---------------------------------------------------------------- payments

-- When a payment came to its state.
create function last_change(history jsonb, otherwise timestamptz) returns timestamptz stable language sql as $$
  select coalesce((history -> -1 ->> 'at')::timestamptz, otherwise)
$$;
-- What becomes of payments: each deposit that was credited and not reversed, by the time of its credit; each withdrawal that is COMPLETED, by
-- the time when it was; and those of both that have FAILED. Amounts are units of the currency and US dollars × 10^8.
create view counted_payments as
  select c.user_id, 'DEPOSIT' as direction, c.currency_id, coalesce(d.network_id, '') as network_id, c.credited_at as at, false as is_failed,
    c.amount, c.usd_amount
  from payment_credits c left join deposits d on d.credit_key = c.key where c.reversal_entry_id is null
  union all
  select user_id, 'DEPOSIT', currency_id, network_id, last_change(status_history, updated_at), true, 0, 0
  from deposits where status = 'FAILED' and user_id is not null
  union all
  select user_id, 'WITHDRAW', currency_id, network_id, last_change(status_history, updated_at), status = 'FAILED',
    case status when 'COMPLETED' then amount else 0 end, case status when 'COMPLETED' then usd_amount else 0 end
  from withdrawals where status in ('COMPLETED', 'FAILED');

-- The same by the hour. Network '': skins, which come over none. Who has deposited in a range is read from here as well, whatever hour a
-- day begins at.
create table payment_hours (
  hour timestamptz not null,
  direction text not null check (direction in ('DEPOSIT', 'WITHDRAW')),
  currency_id text not null,
  network_id text not null,
  user_id integer not null,
  count integer not null check (count >= 0),
  failed integer not null check (failed >= 0),
  amount numeric(38, 0) not null,
  usd_amount numeric(38, 0) not null,
  primary key (hour, direction, currency_id, network_id, user_id)
);
create index payment_hours_user_idx on payment_hours (user_id, hour);
insert into payment_hours (hour, direction, currency_id, network_id, user_id, count, failed, amount, usd_amount)
  select date_trunc('hour', at, 'UTC'), direction, currency_id, network_id, user_id, count(*) filter (where not is_failed),
    count(*) filter (where is_failed), sum(amount), sum(usd_amount)
  from counted_payments group by 1, 2, 3, 4, 5;

-- The first deposit of each player that was not reversed.
create table first_deposits (
  user_id integer primary key,
  credit_key text not null,
  at timestamptz not null,
  currency_id text not null,
  amount bigint not null,
  usd_amount bigint not null
);
create index first_deposits_at_idx on first_deposits (at, user_id);
insert into first_deposits (user_id, credit_key, at, currency_id, amount, usd_amount)
  select distinct on (user_id) user_id, key, credited_at, currency_id, amount, usd_amount from payment_credits
  where reversal_entry_id is null order by user_id, credited_at, entry_id;

-- Triggers keep both: several places change what becomes of a payment, and none of them may forget to count it, a process of the version
-- before neither. The player is locked by whoever changes a payment of theirs.
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
-- When the transaction commits: a deposit names its credit after it was credited, and with it the network.
create constraint trigger payment_credits_counted after insert on payment_credits deferrable initially deferred
  for each row when (new.reversal_entry_id is null) execute function count_credit();
create constraint trigger payment_credits_counted_back after update of reversal_entry_id on payment_credits deferrable initially deferred
  for each row when (old.reversal_entry_id is null and new.reversal_entry_id is not null) execute function count_credit();

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

-- ---------------------------------------------------------------- what is owed

-- What the postings of an hour have changed of each account: of the platform's own, and of each kind of players' accounts over all players.
-- The cursor `account-hours` follows the ids of postings; what an account held at a time is the sum of what was written before, and of
-- the postings after the cursor.
create table account_hours (
  hour timestamptz not null,
  currency_id text not null,
  account smallint not null,
  change numeric(38, 0) not null,
  primary key (hour, currency_id, account)
) with (fillfactor = 70);
-- Months that were detached count at the hour of their last posting.
insert into account_hours (hour, currency_id, account, change)
  select date_trunc('hour', latest, 'UTC'), currency_id, account, sum(change) from ledger_openings join parts_away using (part)
  where list = 'ledger_lines' and latest is not null group by 1, 2, 3;
insert into cursors (name, position) select 'account-hours', greatest(archived_below('ledger_lines') - 1, 0);

-- What is owed and not in the ledger yet, as it was found when a UTC day had begun. `amount` in units of the currency, at the rate of then
-- where it is owed in dollars (0: there was none). What is owed to affiliates stands in USDT. No row: nothing was owed.
create table liability_days (
  day date not null,
  kind text not null check (kind in ('rakeback', 'affiliate', 'leaderboard', 'challenge')),
  currency_id text not null,
  amount numeric(38, 0) not null check (amount >= 0),
  usd_amount numeric(38, 0) not null check (usd_amount >= 0),
  primary key (day, kind, currency_id)
);
-- Days that were counted, and when.
create table liability_counts (
  day date primary key,
  counted_at timestamptz not null default now()
);
