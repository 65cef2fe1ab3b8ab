-- What staff sets of players' cash: what one person did alone, what waits for a second one, and what two have agreed to.
create table adjustments (
  id uuid primary key,
  user_id integer not null references users,
  currency_id text not null references currencies,
  -- The amount that moves is the difference: a proposal made against another balance is another one.
  cash_before bigint not null check (cash_before >= 0),
  cash_after bigint not null check (cash_after >= 0 and cash_after <> cash_before),
  -- What the difference is worth; null: there was no rate to trust.
  usd_amount bigint check (usd_amount >= 0),
  reason text,
  -- Who did it alone, or has proposed it.
  actor_id integer not null references users,
  created_at timestamptz not null default now(),
  -- Until when a second person may agree; null: one was enough.
  expires_at timestamptz,
  agreed_by integer references users,
  carried_out_at timestamptz,
  entry_id bigint unique,
  constraint adjustments_carried_out check ((carried_out_at is null) = (entry_id is null)),
  constraint adjustments_by_two check (expires_at is null or (reason is not null and (carried_out_at is null or agreed_by is not null)))
);
create index adjustments_open_idx on adjustments (user_id, currency_id) where carried_out_at is null;
create index adjustments_alone_user_idx on adjustments (user_id, carried_out_at) where expires_at is null;
create index adjustments_alone_actor_idx on adjustments (actor_id, carried_out_at) where expires_at is null;
create trigger adjustments_no_delete before delete or truncate on adjustments
  for each statement execute function refuse_change();
