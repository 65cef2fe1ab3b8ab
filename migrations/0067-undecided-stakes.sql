-- The part of a settled stake that was not settled as won or lost: void, cancelled, refunded, pushed or cashed out. Null: there is none, as
-- in every earlier bet. It counts for limits and revenue like any stake, but not for anything that rewards play.
alter table bets add column undecided bigint;
alter table bet_corrections
  add column undecided_before bigint,
  add column undecided_after bigint;

-- The same in US dollars × 10^8, for the stakes that these rows add up.
alter table user_stats add column undecided_usd numeric(38, 0) not null default 0;
alter table play_hours add column undecided_usd numeric(38, 0) not null default 0;
alter table bet_openings add column undecided_usd numeric(38, 0) not null default 0;

-- The reason why a settled bet counts less than its stake towards its grant's wagering; null: it counts in full.
alter table bonus_bets add column uncounted text;

-- The part of required_usd that no deposit requires (promotional cash, tips). A self-exclusion does not waive it.
alter table rollovers add column kept_usd bigint not null default 0;
-- Turnover that is open now may be of either kind, so it is still waived.
