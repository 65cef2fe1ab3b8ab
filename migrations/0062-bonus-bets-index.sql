-- Every bet with a grant writes it, and only reconcile reads it, which reads all bets anyway.
drop index bonus_bets_grant_idx;
