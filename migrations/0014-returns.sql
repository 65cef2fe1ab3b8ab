-- A player's bets that were settled later than they were made, for his statistics behind the cursor.
create index bets_user_settlement_idx on bets (user_id, settlement_id) where settlement_id is not null;
