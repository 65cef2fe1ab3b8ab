-- Every bet with a grant writes it, and only reconcile reads it, which reads all bets anyway.
drop index bonus_bets_grant_idx;

-- A batch of bets may change every row of a page: their new versions have room in it, so that no index is written.
alter table promo_grants set (fillfactor = 50);
