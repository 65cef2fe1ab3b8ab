-- When a player last made a bet, where bets need time between them: nothing is written while they need none.
alter table players add column last_bet_at timestamptz;
