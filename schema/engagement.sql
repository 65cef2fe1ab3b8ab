-- Features that depend on bets or engage players: statistics, rewards, affiliates, competitions, tips, chat and bots.

-- ---------------------------------------------------------------- Statistics

-- Statistics of a player's settled bets, up to the cursor `user-stats`.
create table user_stats (
  user_id integer primary key references users,
  -- The row is valid only if this is the current generation of the cursor. A rebuild starts a new generation.
  generation integer not null default 0,
  bets bigint not null default 0,
  wins bigint not null default 0,
  wagered_usd numeric(38, 0) not null default 0,
  payout_usd numeric(38, 0) not null default 0,
  biggest_win_usd bigint not null default 0,
  -- The highest multiplier (payout ÷ stake) of a bet, rounded down.
  best_multiplier_e4 bigint not null default 0,
  undecided_usd numeric(38, 0) not null default 0
) with (fillfactor = 80);

-- The number of a player's settled bets on a game.
create table user_game_stats (
  user_id integer not null references users,
  game_id integer not null references games,
  generation integer not null default 0,
  bets bigint not null default 0,
  primary key (user_id, game_id)
) with (fillfactor = 80);

-- Sums of a player's bets on a game that were settled in an hour.
create table play_hours (
  hour timestamptz not null,
  game_id integer not null,
  user_id integer not null,
  generation integer not null,
  bets bigint not null,
  wins bigint not null,
  staked_usd numeric(38, 0) not null,
  paid_usd numeric(38, 0) not null,
  biggest_win_usd bigint not null,
  best_multiplier_e4 bigint not null,
  last_at timestamptz not null,
  -- Sequence positions of the first and last bet of the hour. The maxima are recomputed from the bets in this range.
  first_place bigint not null,
  last_place bigint not null,
  -- Stakes without bonus money. own_paid_usd contains the payouts without bonus money.
  own_staked_usd numeric(38, 0) not null,
  own_paid_usd numeric(38, 0) not null,
  undecided_usd numeric(38, 0) not null default 0,
  primary key (game_id, hour, user_id)
) with (fillfactor = 80);
create index play_hours_user_idx on play_hours (user_id, hour);
create trigger play_hours_unpacked_on_insert after insert on play_hours referencing new table as added
  for each statement execute function unpack_days('play', 'hour');
create trigger play_hours_unpacked_on_update after update on play_hours referencing new table as added old table as removed
  for each statement execute function unpack_days('play', 'hour');
create trigger play_hours_unpacked_on_delete after delete on play_hours referencing old table as removed
  for each statement execute function unpack_days('play', 'hour');

-- ---------------------------------------------------------------- Rewards

-- The rewards for a settled bet: rakeback in the bet's currency, and the affiliate's commission. A reversal subtracts exactly these
-- amounts. Partitioned by month.
create table bet_rewards (
  bet_id bigint not null,
  -- Sequence position of the settlement or correction that added the rewards.
  place bigint not null,
  -- Sequence position of the rollback or correction that reversed the rewards. Null if they were not reversed.
  reversed_place bigint,
  -- Stake without bonus money. own_paid_usd is the payout without bonus money.
  own_usd bigint not null,
  own_paid_usd bigint not null,
  -- Rakeback that the bet added for each kind of period.
  instant bigint not null,
  daily bigint not null,
  weekly bigint not null,
  monthly bigint not null,
  affiliate_usd bigint not null,
  user_id integer not null,
  -- The affiliate who earns affiliate_usd. Null if the player was not referred.
  affiliate_user_id integer,
  edge_ppm integer not null,
  -- Start of the daily, weekly and monthly period to which the rakeback belongs.
  day date not null,
  week date not null,
  month date not null,
  -- The player's VIP level before the bet.
  vip_level smallint not null,
  currency_id text not null,
  constraint bet_rewards_pkey primary key (bet_id, place)
) partition by range (bet_id);
CREATE TRIGGER bet_rewards_no_delete BEFORE DELETE OR TRUNCATE ON public.bet_rewards FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A player's rakeback for one period, which becomes claimable as a whole. Rows that start at -infinity contain instant rakeback, or the
-- periods that claims have merged. A transaction locks these rows first, and then the others in the order of their key.
create table rakeback_periods (
  user_id integer not null,
  currency_id text not null,
  period text not null check (period in ('instant', 'daily', 'weekly', 'monthly')),
  start date not null check (period <> 'instant' or start = '-infinity'),
  -- May be less than `claimed` if bets were rolled back after the claim. New rakeback first makes up the difference.
  accrued numeric(38, 0) not null default 0,
  claimed numeric(38, 0) not null default 0 check (claimed >= 0),
  expired numeric(38, 0) not null default 0 check (expired >= 0),
  -- Number of claims. It is part of the ledger key of each claim. Used only in rows that start at -infinity.
  claims integer not null default 0,
  -- Bets update this at most once a minute.
  updated_at timestamptz not null default now(),
  primary key (user_id, currency_id, period, start)
) with (fillfactor = 70);
-- Only instant rows are indexed, because a player has one in each currency with rakeback.
create index rakeback_periods_updated_idx on rakeback_periods (updated_at, user_id, currency_id) where period = 'instant';

-- A player's lifetime wagered amount without bonus money, at the exchange rates at the time of each bet.
create table vip_progress (
  user_id integer primary key,
  wagered_usd numeric(38, 0) not null
) with (fillfactor = 70);

-- A player's reward for a VIP level that the player has reached.
create table vip_rewards (
  user_id integer not null,
  level smallint not null check (level > 0),
  -- OWED: will be paid once the player has wagered threshold_usd. SKIPPED: staff granted the level, the level has no reward, or the reward
  -- was rejected.
  status text not null check (status in ('OWED', 'PAID', 'SKIPPED')),
  threshold_usd bigint not null,
  reward_usd bigint not null,
  -- The grant that paid the reward.
  grant_id bigint references promo_grants,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  primary key (user_id, level),
  check ((status = 'PAID') = (grant_id is not null))
);
create index vip_rewards_owed_idx on vip_rewards (user_id, level) where status = 'OWED';

-- A player's application for a VIP level, based on their VIP rank on another platform.
create table vip_applications (
  id uuid primary key,
  user_id integer not null references users,
  status text not null default 'NEW' check (status in ('NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED')),
  platform_name text not null,
  platform_username text not null,
  -- The amount that the player claims to have wagered on the other platform.
  total_wagered_usd bigint not null check (total_wagered_usd >= 0),
  rank text not null,
  contact_method text not null,
  contact_username text not null,
  country text,
  note text,
  how_did_you_hear text,
  -- tag and staff_note are visible to staff only.
  tag text,
  staff_note text,
  assignee_id integer references users,
  reason text,
  -- Also set if the application was cancelled because the player's account was closed.
  decided_at timestamptz,
  decided_by integer references users,
  public_comment text,
  granted_vip_level smallint,
  promo_grant_id bigint references promo_grants,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status in ('APPROVED', 'REJECTED', 'CANCELLED')) = (decided_at is not null)),
  check ((status = 'APPROVED') = (granted_vip_level is not null))
);
create unique index vip_applications_open_key on vip_applications (user_id) where status in ('NEW', 'IN_REVIEW');
create index vip_applications_user_idx on vip_applications (user_id, id);
create index vip_applications_created_idx on vip_applications (created_at, id);
create index vip_applications_updated_idx on vip_applications (updated_at, id);
create index vip_applications_wagered_idx on vip_applications (total_wagered_usd, id);
create index vip_applications_status_idx on vip_applications (status, created_at, id);
create index vip_applications_assignee_idx on vip_applications (assignee_id, created_at, id) where assignee_id is not null;
create index vip_applications_platform_trgm on vip_applications using gin (lower(platform_username) gin_trgm_ops);

-- An image that supports an application. The row is written before the file and deleted after it, so that every file has a row.
create table vip_application_images (
  -- 128 random bits. Also the name of the file.
  id text primary key,
  application_id uuid not null references vip_applications,
  created_at timestamptz not null default now(),
  -- When the image becomes due for deletion. Null while the application is open.
  delete_at timestamptz
);
create index vip_application_images_application_idx on vip_application_images (application_id, created_at, id);
create index vip_application_images_delete_idx on vip_application_images (delete_at) where delete_at is not null;

-- ---------------------------------------------------------------- Affiliates

-- A referral code. The row of a deleted code is kept, so that no one else can get the same code.
create table affiliate_codes (
  -- The code in lower case.
  key text primary key check (key ~ '^[a-z0-9_-]+$'),
  -- The code as its owner wrote it.
  code text not null check (lower(code) = key),
  user_id integer not null references users,
  -- Number of sign-ups with the code.
  users_count integer not null default 0,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index affiliate_codes_user_idx on affiliate_codes (user_id, created_at, key) where deleted_at is null;

-- A user who has or had a referral code, with sums over all their referrals. The consumer `rewards` adds the amounts of bets to
-- wagered_usd, ggr_usd, earned_usd and held_usd. Transactions lock players first, and then rows in the order referrals, referral_days,
-- affiliate_days, affiliates.
create table affiliates (
  user_id integer primary key references users,
  -- The referrals' stakes without bonus money. They determine the affiliate's level.
  wagered_usd numeric(38, 0) not null default 0,
  -- Stakes minus payouts, both without bonus money.
  ggr_usd numeric(38, 0) not null default 0,
  referral_count integer not null default 0,
  -- Number of referrals with a completed deposit.
  depositor_count integer not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  -- earned_usd and held_usd are the sums of the same columns in affiliate_days.
  earned_usd numeric(38, 0) not null default 0,
  held_usd numeric(38, 0) not null default 0,
  claimed_usd numeric(38, 0) not null default 0,
  -- Number of claims. It is part of the ledger key of each claim.
  claims integer not null default 0,
  created_at timestamptz not null default now()
);
create index affiliates_created_idx on affiliates (created_at, user_id);
create index affiliates_wagered_idx on affiliates (wagered_usd, user_id);
create index affiliates_earned_idx on affiliates (earned_usd, user_id);

-- A user who signed up with a referral code. The affiliate is set at sign-up and never changes.
create table referrals (
  user_id integer primary key references users,
  affiliate_user_id integer not null references affiliates check (affiliate_user_id <> user_id),
  code_key text not null references affiliate_codes,
  -- True if commission is held until the referral's identity is verified, because `signals` suggest that the referral and the affiliate are
  -- the same person.
  is_held boolean not null,
  wagered_usd numeric(38, 0) not null default 0,
  ggr_usd numeric(38, 0) not null default 0,
  -- When the referral's last bet with own money was settled. Bets that were rolled back are ignored.
  last_bet_at timestamptz,
  -- Commission, including held commission.
  earned_usd numeric(38, 0) not null default 0,
  -- Number of completed deposits that were not reversed.
  deposits integer not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  created_at timestamptz not null default now(),
  -- Signs that the referral and the affiliate are the same person.
  signals text[] not null default '{}',
  -- When held commission was released, because identity verification showed that the referral and the affiliate are different people.
  cleared_at timestamptz
) with (fillfactor = 90);
create index referrals_created_idx on referrals (created_at, user_id);
create index referrals_wagered_idx on referrals (wagered_usd, user_id);
create index referrals_earned_idx on referrals (earned_usd, user_id);
create index referrals_affiliate_created_idx on referrals (affiliate_user_id, created_at, user_id);
create index referrals_affiliate_wagered_idx on referrals (affiliate_user_id, wagered_usd, user_id);
create index referrals_affiliate_earned_idx on referrals (affiliate_user_id, earned_usd, user_id);
create index referrals_affiliate_last_bet_idx on referrals (affiliate_user_id, last_bet_at);
create index referrals_code_idx on referrals (code_key, user_id);

-- Updates referral_activity when last_bet_at changes.
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

-- The number of an affiliate's referrals whose last_bet_at is on a day. Only the trigger on referrals writes to this table.
create table referral_activity (
  affiliate_user_id integer not null,
  day date not null,
  referrals integer not null,
  primary key (affiliate_user_id, day)
) with (fillfactor = 80);
create index referral_activity_counted_idx on referral_activity (affiliate_user_id, day) include (referrals);

-- A referral's bets and payments on a day. A reversal is subtracted on the day of the original bet or deposit.
create table referral_days (
  user_id integer not null,
  day date not null,
  -- The referral's affiliate on that day.
  affiliate_user_id integer not null,
  wagered_usd numeric(38, 0) not null default 0,
  ggr_usd numeric(38, 0) not null default 0,
  deposited_usd numeric(38, 0) not null default 0,
  withdrawn_usd numeric(38, 0) not null default 0,
  -- Commission, including held commission.
  earned_usd numeric(38, 0) not null default 0,
  primary key (user_id, day)
) with (fillfactor = 80);
create index referral_days_affiliate_idx on referral_days (affiliate_user_id, day, user_id);

-- An affiliate's commission for a day. When a referral's identity is verified, the referral's part moves from held_usd to earned_usd.
create table affiliate_days (
  affiliate_user_id integer not null,
  day date not null,
  earned_usd numeric(38, 0) not null default 0,
  held_usd numeric(38, 0) not null default 0,
  primary key (affiliate_user_id, day)
) with (fillfactor = 80);

-- A payout of commission to an affiliate.
create table affiliate_claims (
  user_id integer not null references users,
  -- Number of this claim among the affiliate's claims.
  n integer not null,
  currency_id text not null references currencies,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null check (usd_amount >= 0),
  entry_id bigint not null unique,
  created_at timestamptz not null default now(),
  primary key (user_id, n)
);
create index affiliate_claims_usd_idx on affiliate_claims (user_id, usd_amount, n);

-- ---------------------------------------------------------------- Leaderboards

-- The settings of a leaderboard that is repeated daily, weekly or monthly.
create table leaderboard_schedules (
  id text primary key check (id in ('daily', 'weekly', 'monthly')),
  enabled boolean not null default false,
  name text not null,
  description text not null,
  currency_id text not null,
  min_bet_usd bigint not null default 0 check (min_bet_usd >= 0),
  prizes jsonb not null,
  -- The games on which bets score, by category, provider or slug. If all three lists are empty, bets on every game score.
  categories text[] not null default '{}',
  provider_ids integer[] not null default '{}',
  game_slugs text[] not null default '{}',
  -- Start of the next run, which is the end of the latest run. Null if there has been no run.
  next_start timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
insert into leaderboard_schedules (id, name, description, currency_id, prizes) values
  ('daily', 'Daily race', 'Whoever wagers most today wins.', 'USDT',
    '[{"place": 1, "usdAmount": "100"}, {"place": 2, "usdAmount": "50"}, {"place": 3, "usdAmount": "25"}]'),
  ('weekly', 'Weekly race', 'Whoever wagers most this week wins.', 'USDT',
    '[{"place": 1, "usdAmount": "500"}, {"place": 2, "usdAmount": "250"}, {"place": 3, "usdAmount": "125"}]'),
  ('monthly', 'Monthly race', 'Whoever wagers most this month wins.', 'USDT',
    '[{"place": 1, "usdAmount": "2000"}, {"place": 2, "usdAmount": "1000"}, {"place": 3, "usdAmount": "500"}]');

-- A run of a leaderboard, with the settings that applied when it was created. The players with the highest wagered amounts win prizes.
create table leaderboards (
  id integer generated always as identity primary key,
  type text not null check (type in ('DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL')),
  status text not null check (status in ('SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED')),
  schedule_id text references leaderboard_schedules,
  name text not null,
  description text not null,
  currency_id text not null,
  min_bet_usd bigint not null check (min_bet_usd >= 0),
  prizes jsonb not null,
  categories text[] not null,
  provider_ids integer[] not null,
  game_slugs text[] not null,
  -- True if the prize of a skipped player goes to the next player.
  moves_prizes_up boolean not null,
  start_date timestamptz not null,
  end_date timestamptz not null,
  -- Generation of the cursor `leaderboards` that computed the scores. While the run is open, scores of an earlier generation are discarded.
  generation integer not null,
  participants integer not null default 0 check (participants >= 0),
  -- A sequence position, set when the run ends. The standings are frozen once all bets below this position have been applied.
  horizon bigint,
  -- Sequence position up to which the frozen standings include bets.
  frozen_upto bigint,
  -- The top ten that were last announced.
  leaders jsonb not null default '[]',
  announced_at timestamptz,
  -- True if the run's rows in leaderboard_bets were deleted.
  is_purged boolean not null default false,
  created_by integer references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The status that was last announced.
  announced_status text,
  -- Second approver of the prizes.
  approved_by integer references users,
  unique (schedule_id, end_date),
  check ((type = 'SPECIAL') = (schedule_id is null)),
  check (end_date > start_date),
  check ((status in ('AWAITING_PAYOUT', 'FINISHED')) = (frozen_upto is not null))
);
create index leaderboards_start_idx on leaderboards (start_date, id);
create index leaderboards_end_idx on leaderboards (end_date, id);
create index leaderboards_created_idx on leaderboards (created_at, id);
create index leaderboards_open_idx on leaderboards (id) where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING');
create index leaderboards_unpurged_idx on leaderboards (end_date) where not is_purged and status in ('FINISHED', 'CANCELLED');

-- A participant in a run, with the player's score.
create table leaderboard_scores (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  -- Wagered amount in US dollars × 10^8.
  score numeric(38, 0) not null,
  -- Sequence position of the last bet in the score. If two scores are equal, the lower position ranks first.
  reached_place bigint not null,
  -- The player's rank. Set when the standings are frozen.
  place integer,
  -- Set when the standings are frozen. Null if the player wins no prize.
  prize_usd bigint check (prize_usd > 0),
  -- True if the player's rank has a prize but the player is not allowed to win it.
  is_skipped boolean not null default false,
  updated_at timestamptz not null default now(),
  primary key (leaderboard_id, user_id),
  check (not is_skipped or prize_usd is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index leaderboard_scores_standing_idx on leaderboard_scores (leaderboard_id, score desc, reached_place, user_id);
create index leaderboard_scores_user_idx on leaderboard_scores (user_id, leaderboard_id);
create index leaderboard_scores_prize_idx on leaderboard_scores (leaderboard_id, place) where prize_usd is not null;

-- The amount that a bet added to a player's score in a run. A reversal subtracts exactly this amount.
create table leaderboard_bets (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  -- Sequence position of the bet.
  place bigint not null,
  bet_id bigint not null,
  usd bigint not null check (usd > 0),
  primary key (leaderboard_id, user_id, place, bet_id)
);

-- A prize that was paid. In a run, each player and each rank is paid at most once.
create table leaderboard_prizes (
  leaderboard_id integer not null references leaderboards,
  user_id integer not null,
  place integer not null,
  usd_amount bigint not null check (usd_amount > 0),
  -- The amount of the prize before it was reduced.
  full_usd_amount bigint not null check (full_usd_amount >= usd_amount),
  currency_id text not null,
  amount bigint not null check (amount > 0),
  entry_id bigint not null unique,
  -- Staff member who paid the prize. Null if it was paid automatically.
  paid_by integer,
  created_at timestamptz not null default now(),
  primary key (leaderboard_id, user_id),
  unique (leaderboard_id, place)
);

-- ---------------------------------------------------------------- Challenges

-- A reward for the first bet on a game that reaches a multiplier.
create table challenges (
  id uuid primary key,
  -- Changes from ACTIVE to WINNER_SELECTED, and to FINISHED when the reward is paid. If the winning bet or the reward is rolled back, it
  -- changes back to ACTIVE.
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'WINNER_SELECTED', 'FINISHED')),
  game_id integer not null references games,
  min_bet_usd bigint not null check (min_bet_usd > 0),
  min_multiplier_e4 bigint not null check (min_multiplier_e4 > 0),
  reward_currency_id text not null references currencies,
  reward_amount bigint not null check (reward_amount > 0),
  is_hidden boolean not null,
  -- When the challenge was published with its current terms. Bets can win if they were made after this time and before hidden_at. Null if
  -- it was never published.
  shown_at timestamptz,
  -- Only bets with larger ids can win.
  shown_id bigint,
  hidden_at timestamptz,
  -- Null to show the game's image.
  image_url text,
  created_by integer not null references users,
  winner_id integer references users,
  winner_bet_id bigint,
  winner_selected_at timestamptz,
  -- Staff member who paid the reward.
  winner_confirmed_by integer references users,
  -- Number of awards. It is part of the ledger key of each award.
  awards integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- Staff member who set the reward, for four-eyes approval.
  reward_set_by integer references users,
  constraint challenges_winner_check check (
    (status = 'ACTIVE') = (winner_bet_id is null) and (winner_id is null) = (winner_bet_id is null)
    and (winner_selected_at is null) = (winner_bet_id is null)),
  constraint challenges_confirmed_check check ((status = 'FINISHED') = (winner_confirmed_by is not null)),
  constraint challenges_shown_check check ((shown_at is null) = (shown_id is null) and is_hidden = (shown_at is null or hidden_at is not null)),
  constraint challenges_deleted_check check (deleted_at is null or status <> 'FINISHED')
);
create index challenges_created_idx on challenges (created_at, id) where deleted_at is null;
create index challenges_game_idx on challenges (game_id) where deleted_at is null;
create index challenges_winner_idx on challenges (winner_id) where winner_id is not null;
create index challenges_winner_bet_idx on challenges (winner_bet_id) where winner_bet_id is not null;

-- A reward of a challenge that was paid. A bet whose reward was rolled back cannot win again.
create table challenge_awards (
  challenge_id uuid not null references challenges,
  n integer not null,
  bet_id bigint not null,
  user_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null,
  confirmed_by integer not null references users,
  created_at timestamptz not null default now(),
  rolled_back_at timestamptz,
  -- Staff member who rolled back the reward. Null if it was rolled back automatically, because the bet was rolled back.
  rolled_back_by integer references users,
  reason text,
  -- Amount that the rollback debited from the player. Less than `amount` if the player's balance was too low.
  taken bigint check (taken between 0 and amount),
  primary key (challenge_id, n),
  unique (challenge_id, bet_id),
  check ((rolled_back_at is null) = (taken is null))
);
create unique index challenge_awards_standing_key on challenge_awards (challenge_id) where rolled_back_at is null;

-- A bet that meets the terms of a challenge. Only the earliest bets are stored, and only until a winner is chosen.
create table challenge_candidates (
  challenge_id uuid not null,
  bet_id bigint not null,
  user_id integer not null,
  currency_id text not null,
  amount bigint not null,
  payout bigint not null,
  usd_amount bigint not null,
  usd_payout bigint not null,
  multiplier_e4 bigint not null,
  settled_at timestamptz not null,
  primary key (challenge_id, bet_id)
);
create index challenge_candidates_settled_idx on challenge_candidates (challenge_id, settled_at, bet_id);
create index challenge_candidates_bet_idx on challenge_candidates (bet_id);

-- A player's best bet in a challenge: the bet with the highest multiplier among those with a sufficient stake.
create table challenge_bests (
  challenge_id uuid not null,
  user_id integer not null,
  bet_id bigint not null,
  multiplier_e4 bigint not null,
  settled_at timestamptz not null,
  primary key (challenge_id, user_id)
);
create index challenge_bests_settled_idx on challenge_bests (user_id, settled_at, challenge_id);
create index challenge_bests_multiplier_idx on challenge_bests (user_id, multiplier_e4, challenge_id);
create index challenge_bests_bet_idx on challenge_bests (bet_id);

-- ---------------------------------------------------------------- Tips

-- Money that a player gave to another player.
create table tips (
  id integer generated always as identity primary key,
  sender_id integer not null references users,
  recipient_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  -- At the exchange rate at the time of the tip.
  usd_amount bigint not null check (usd_amount > 0),
  message text,
  -- True if the tip may be shown in the chat.
  is_public boolean not null,
  created_at timestamptz not null default now(),
  check (sender_id <> recipient_id)
);
create index tips_sender_idx on tips (sender_id, created_at, id);
create index tips_sender_usd_idx on tips (sender_id, usd_amount, id);
create index tips_recipient_idx on tips (recipient_id, created_at, id);
create index tips_recipient_usd_idx on tips (recipient_id, usd_amount, id);

-- Two rows for each tip: one for the sender and one for the recipient.
create view tip_sides as
  select id, sender_id as user_id, 'SENT'::text as direction, usd_amount, created_at from tips
  union all
  select id, recipient_id, 'RECEIVED'::text, usd_amount, created_at from tips;

-- The tips that a player sent and received on a day, for the daily limits. Rows are written while both players are locked.
create table tip_days (
  user_id integer not null,
  day date not null,
  sent_usd bigint not null default 0 check (sent_usd >= 0),
  received_usd bigint not null default 0 check (received_usd >= 0),
  primary key (user_id, day)
) with (fillfactor = 70);

-- Money that a staff member gave to a player or deducted from a player.
create table admin_tips (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('TIP', 'DEDUCTION')),
  -- The staff member.
  sender_id integer not null references users,
  -- The player.
  recipient_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  usd_amount bigint not null check (usd_amount >= 0),
  notes text not null,
  tag text,
  created_at timestamptz not null default now(),
  check (sender_id <> recipient_id)
);
create index admin_tips_time_idx on admin_tips (created_at, id);
create index admin_tips_usd_idx on admin_tips (usd_amount, id);
create index admin_tips_sender_idx on admin_tips (sender_id, created_at, id);
create index admin_tips_recipient_idx on admin_tips (recipient_id, created_at, id);
create index admin_tips_received_usd_idx on admin_tips (recipient_id, usd_amount, id) where kind = 'TIP';

-- ---------------------------------------------------------------- Chat and bots

-- The settings of a chat room. A room without a row has the default settings.
create table chat_rooms (
  id text primary key,
  -- Messages up to this id are hidden.
  cleared_to bigint not null default 0,
  slow_mode_seconds integer not null default 0 check (slow_mode_seconds between 0 and 3600)
);

-- A message in a chat room.
create table chat_messages (
  -- Also the id of the event that announces the message, so that the history and the event feed have the same order.
  id bigint primary key,
  room_id text not null,
  user_id integer not null references users,
  -- An id that the client assigned, so that a repeated request does not post the message twice. Null for the message of a tip.
  key text,
  text text not null check (char_length(text) <= 1000),
  tip_id integer references tips,
  created_at timestamptz not null default now(),
  -- Staff can still read deleted messages.
  deleted_at timestamptz,
  deleted_by integer references users,
  check ((key is null) = (tip_id is not null) or deleted_at is not null)
);
create unique index chat_messages_key on chat_messages (user_id, key) where key is not null;
create index chat_messages_user_idx on chat_messages (user_id, id);
create index chat_messages_room_idx on chat_messages (room_id, id);

-- A player who may not write in the chat until a certain time. Rows are written while the player is locked.
create table chat_mutes (
  user_id integer primary key references users,
  muted_until timestamptz not null
);
create index chat_mutes_until_idx on chat_mutes (muted_until);

-- The times at which a bot plays, and its games. Bots only add simulated bets to the live feed.
create table bot_activities (
  id uuid primary key,
  user_id integer not null unique references users,
  type text not null check (type in ('HOUSE_GAME', 'SLOTS', 'MIXED')),
  behavior text not null check (behavior in ('CALM', 'NORMAL', 'AGGRESSIVE')),
  -- Days of the week on which the bot starts to play.
  play_days text[] not null check (cardinality(play_days) > 0
    and play_days <@ array['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']),
  -- Start time in minutes after midnight.
  start_minute smallint not null check (start_minute between 0 and 1439),
  -- Slugs of the games.
  games text[] not null check (cardinality(games) > 0),
  is_active boolean not null,
  last_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A bot's bet in the live feed, marked as simulated. Deleted after an hour.
create table simulated_bets (
  -- From the blocks of ledger_ids, so that the bet has a position among the other bets in the feed.
  id bigint primary key,
  user_id integer not null,
  game_id integer not null,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  payout bigint not null check (payout >= 0),
  usd_amount bigint not null,
  usd_payout bigint not null,
  created_at timestamptz not null default now()
);

-- ---------------------------------------------------------------- Pages

-- A frequently asked question with its answer.
create table faq (
  id integer generated always as identity primary key,
  title text not null,
  text text not null,
  sort_order integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The email address of a visitor who wants to be notified of the launch. Deleted 90 days after the launch.
create table coming_soon_subscribers (
  -- The address in lower case.
  email text primary key check (email = lower(email)),
  -- referrer and affiliate_code are stored as the visitor sent them.
  referrer text,
  affiliate_code text,
  created_at timestamptz not null default now(),
  -- A repeated request also updates this, so that its response time does not reveal that the address is already stored.
  asked_at timestamptz not null default now()
);
