-- Challenges: the first bet on a game that pays enough of its stake wins a reward. Amounts in US dollars are × 10^8, multipliers × 10^4.

create table challenges (
  id uuid primary key,
  -- ACTIVE → WINNER_SELECTED → FINISHED, where the reward is paid; a rollback makes it ACTIVE again.
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'WINNER_SELECTED', 'FINISHED')),
  game_id integer not null references games,
  min_bet_usd bigint not null check (min_bet_usd > 0),
  min_multiplier_e4 bigint not null check (min_multiplier_e4 > 0),
  reward_currency_id text not null references currencies,
  reward_amount bigint not null check (reward_amount > 0),
  is_hidden boolean not null,
  -- When it was last shown, with the terms that it has: bets that were made after it count, until it is hidden. Null: never.
  shown_at timestamptz,
  -- Ids of these bets are greater.
  shown_id bigint,
  hidden_at timestamptz,
  -- Null: the image of the game.
  image_url text,
  created_by integer not null references users,
  winner_id integer references users,
  winner_bet_id bigint,
  winner_selected_at timestamptz,
  -- Who has paid the reward.
  winner_confirmed_by integer references users,
  -- Numbers the ledger's keys.
  awards integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
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

-- Rewards that were paid, and what became of them. A bet whose reward was taken back does not win the challenge again.
create table challenge_awards (
  challenge_id uuid not null references challenges,
  n integer not null,
  bet_id bigint not null,
  user_id integer not null references users,
  currency_id text not null,
  amount bigint not null check (amount > 0),
  -- At the rate of then.
  usd_amount bigint not null,
  confirmed_by integer not null references users,
  created_at timestamptz not null default now(),
  rolled_back_at timestamptz,
  -- Null: its bet was rolled back.
  rolled_back_by integer references users,
  reason text,
  -- Less than the amount where no more was there.
  taken bigint check (taken between 0 and amount),
  primary key (challenge_id, n),
  unique (challenge_id, bet_id),
  check ((rolled_back_at is null) = (taken is null))
);
create unique index challenge_awards_standing_key on challenge_awards (challenge_id) where rolled_back_at is null;

-- Bets that meet the terms of a challenge, the earliest of them; the consumer `challenges` keeps them. A challenge that is FINISHED gets no more.
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

-- The best bet of each player in a challenge whose stake was enough, whatever it paid.
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

-- There are no challenges for what lies behind.
insert into cursors (name, follows, generation, position)
  select 'challenges', 'bets', 0,
    coalesce(greatest(max(id), max(settlement_id), max(reversal_id), (select max(id) from bet_corrections)), 0) from bets;
