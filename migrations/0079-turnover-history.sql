-- Each change of a player's required turnover, in order. A bet that is voided or resettled later changes the sum of the period in which it was
-- settled, so that a new deposit cannot hide it. `position` is above all ledger ids that existed at the time. `wagered_usd` is the
-- player's counted stakes at the time; `required_usd` and `kept_usd` are the open turnover after the change, as in `rollovers`. A process
-- of the previous version writes `rollovers` alone: where the last row differs from it, the history starts again.
create table rollover_changes (
  user_id integer not null references users,
  id bigint generated always as identity,
  position bigint not null,
  added_usd bigint not null,
  added_kept_usd bigint not null,
  required_usd bigint not null,
  kept_usd bigint not null,
  wagered_usd numeric(38, 0) not null,
  created_at timestamptz not null default now(),
  primary key (user_id, id)
);
insert into rollover_changes (user_id, position, added_usd, added_kept_usd, required_usd, kept_usd, wagered_usd)
  select user_id, case when is_called then last_value + 1023 else last_value - 1 end, required_usd, kept_usd, required_usd, kept_usd, wagered_usd
  from rollovers, ledger_ids;
