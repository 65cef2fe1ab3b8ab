-- Which bets are made with a grant is what bonus_bets says: a bet is written there, or not, when it is made.
alter table promo_grants drop column starts_after;
