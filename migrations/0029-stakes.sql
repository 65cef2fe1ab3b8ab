-- The (first) stake in US dollars as the player entered it. What a bet counts as (usd_amount, usd_payout) is what its units were worth
-- at its rate; null: a bet from before, which was counted by the dollars that were asked for.
alter table bets add column bet_usd bigint;
