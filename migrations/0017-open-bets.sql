-- bets_unsettled_idx and bets_unsettled_user_idx lead to what this one led to; what is open in a round stands in `rounds`.
drop index bets_open_idx;
