-- The nine house games. Limits in US dollars, rtp in percent.
insert into games (slug, name, type, settings) values
  ('limbo', 'Limbo', 'HOUSE_GAME',
   '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99, "minMultiplier": 1.01, "maxMultiplier": 1000000}'),
  ('keno', 'Keno', 'HOUSE_GAME', '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99}'),
  ('plinko', 'Plinko', 'HOUSE_GAME',
   '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99, "manualMs": 300, "autoMs": 600}'),
  ('mines', 'Mines', 'HOUSE_GAME', '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99}'),
  ('monkey-run', 'Monkey Run', 'HOUSE_GAME', '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99}'),
  ('roulette', 'Roulette', 'HOUSE_GAME', '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 97.3}'),
  ('blackjack', 'Blackjack', 'HOUSE_GAME', '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99.55}'),
  ('speed-roulette', 'Speed Roulette', 'HOUSE_GAME',
   '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 93.33, "timeConfig": {"bettingMs": 10000, "waitingMs": 2000, "resultMs": 8000}}');

alter table bets
  -- Where in the order of ids a bet was settled or rolled back that was made earlier; null: when it was made.
  add column settlement_id bigint,
  -- The shared round that it was made in (speed-roulette).
  add column round_id bigint,
  -- Why it could not be settled (status ERROR).
  add column error_reason text;

-- Readers that follow settled bets read two lists in one order: made and settled at once by id, settled later by settlement_id.
create index bets_settlement_idx on bets (settlement_id) where settlement_id is not null;
create index bets_round_idx on bets (round_id, user_id) where round_id is not null;

-- ---------------------------------------------------------------- open rounds

-- A round of several requests (mines, monkey-run, blackjack) while it is open; its bet is CREATED, and the row goes when it ends.
-- The player's row is its lock. Nothing hidden is in `state`: what the seeds decide is computed from them each time.
create table rounds (
  user_id integer not null,
  game_id integer not null,
  bet_id bigint not null unique,
  -- First stake, in US dollars and in the currency of the bet.
  bet_usd bigint not null check (bet_usd > 0),
  stake bigint not null check (stake > 0),
  state json not null,
  acted_at timestamptz not null default now(),
  primary key (user_id, game_id)
) with (fillfactor = 50);
