-- Free rounds: spins at a provider of games that a promotion grants. The provider is asked by a job; what they win is cash.
alter table promo_grants drop constraint promo_grants_kind_check;
-- FREE_SPINS: PENDING until all of them were played; `granted_amount` is what they stake together, `converted` what they have won.
alter table promo_grants add constraint promo_grants_kind_check check (kind in ('CASH', 'BONUS', 'FREE_SPINS'));

create table free_rounds (
  grant_id bigint primary key references promo_grants,
  provider_id integer not null,
  game_id integer not null,
  currency_id text not null,
  rounds integer not null check (rounds > 0),
  -- What each of them stakes, at the provider's decimals.
  bet bigint not null check (bet > 0),
  valid_until timestamptz not null,
  -- When the provider was asked first. Whether it has taken the order is not certain before `issued_at`.
  asked_at timestamptz,
  issued_at timestamptz,
  -- What the provider calls them: its calls say so.
  reference text,
  -- When what was left of them was taken back, because the grant had ended.
  withdrawn_at timestamptz,
  check ((issued_at is null) = (reference is null))
);
create unique index free_rounds_reference_key on free_rounds (provider_id, reference);

-- Of a bet or a win of free rounds: what the provider calls these.
alter table provider_transactions add column free_rounds text;
create index provider_transactions_free_rounds_idx on provider_transactions (provider_id, free_rounds) where free_rounds is not null;
