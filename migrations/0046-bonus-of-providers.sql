-- Bonus money on bets on games of providers: what such a bet has paid may be taken back long after its grant has ended.

-- Its bet was made while a grant was active: `bonus_bets` has a row.
alter table provider_rounds add column has_bonus boolean not null default false;

alter table promo_grants
  -- Of payouts that were taken back since it ended: what promo has paid in its place, until the grant is decided again.
  add column to_take_back bigint not null default 0 check (to_take_back >= 0),
  -- In US dollars × 10^8: turnover that is missing since bets of the completed grant were taken back, until the grant is decided again.
  add column turnover_owed bigint not null default 0 check (turnover_owed >= 0);
