-- Bets and ledger lines by month. Ids carry time: month m, counted from January 2020 (UTC), owns the ids from m·2^43 on, below
-- (m+1)·2^43 (modules/ledger/months/rules.ts). What was written so far has smaller ids than any month to come: it stays as it is, as the
-- first partition. It is read once to prove that, and not copied.

-- Where what is detached goes to.
create schema archive;

drop view ledger_postings;
drop trigger bets_no_delete on bets;
drop trigger ledger_lines_append_only on ledger_lines;
drop trigger ledger_lines_no_truncate on ledger_lines;

-- The names of indexes belong to the whole; each partition has its own.
alter table bets rename to bets_before;
alter table bets_before rename constraint bets_pkey to bets_before_pkey;
alter table bets_before rename constraint bets_seed_nonce_key to bets_before_seed_nonce_key;
alter index bets_user_idx rename to bets_before_user_idx;
alter index bets_settlement_idx rename to bets_before_settlement_idx;
alter index bets_round_idx rename to bets_before_round_idx;
alter index bets_unsettled_idx rename to bets_before_unsettled_idx;
alter index bets_unsettled_user_idx rename to bets_before_unsettled_user_idx;
alter index bets_user_settlement_idx rename to bets_before_user_settlement_idx;

alter table ledger_lines rename to ledger_lines_before;
alter table ledger_lines_before rename constraint ledger_lines_pkey to ledger_lines_before_pkey;
alter index ledger_lines_id_brin rename to ledger_lines_before_id_brin;
alter index ledger_lines_rare_idx rename to ledger_lines_before_rare_idx;
alter index ledger_lines_rare_kind_idx rename to ledger_lines_before_rare_kind_idx;
alter index ledger_lines_rare_user_idx rename to ledger_lines_before_rare_user_idx;

create table bets (
  like bets_before including defaults including constraints including storage,
  constraint bets_pkey primary key (id)
) partition by range (id);
create index bets_user_idx on bets (user_id, id);
create index bets_settlement_idx on bets (settlement_id) where settlement_id is not null;
create index bets_round_idx on bets (round_id, user_id) where round_id is not null;
create index bets_unsettled_idx on bets (status, id) where status <> 'SETTLED';
create index bets_unsettled_user_idx on bets (user_id, status, id) where status <> 'SETTLED';
create index bets_user_settlement_idx on bets (user_id, settlement_id) where settlement_id is not null;

create table ledger_lines (
  like ledger_lines_before including defaults including constraints including storage,
  constraint ledger_lines_pkey primary key (user_id, id)
) partition by range (id);
create index ledger_lines_id_brin on ledger_lines using brin (id int8_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);
create index ledger_lines_rare_idx on ledger_lines (id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_kind_idx on ledger_lines (kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_user_idx on ledger_lines (user_id, kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));

-- What no statement may do to the whole it may not do to a part either: a trigger of a statement is that of the table it names.
create function guard_partition(part regclass, whole text) returns void language plpgsql as $$
begin
  if whole = 'bets' then
    execute format('create trigger bets_no_delete before delete or truncate on %s for each statement execute function refuse_change()', part);
  else
    execute format('create trigger ledger_lines_append_only before update or delete on %s for each statement execute function refuse_change()', part);
    execute format('create trigger ledger_lines_no_truncate before truncate on %s for each statement execute function refuse_change()', part);
  end if;
end $$;

-- Makes the partitions of a month where they are missing. They are made apart and attached, which holds up nobody who reads or
-- writes. Nonces of a seed pair are unique within each; across two they are by the player's lock, as reconcile proves.
create function create_month(month integer) returns boolean language plpgsql as $$
declare
  first bigint := month::bigint << 43;
  suffix text := to_char(make_date(2020 + month / 12, 1 + month % 12, 1), 'YYYY_MM');
  whole text;
  part text;
  made boolean := false;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions', 0));
  foreach whole in array array['bets', 'ledger_lines'] loop
    part := whole || '_' || suffix;
    continue when to_regclass(part) is not null or to_regclass('archive.' || part) is not null;
    execute format('create table %I (like %I including defaults including constraints including storage)', part, whole);
    if whole = 'bets' then
      execute format('create unique index %I on %I (seed_pair_id, nonce)', part || '_seed_nonce_key', part);
      execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05)', part);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', whole, part, first, first + (1::bigint << 43));
    perform guard_partition(part::regclass, whole);
    made := true;
  end loop;
  return made;
end $$;

-- Moves the sequence of ids to a month, or leaves it where it is further. One mover at a time: whoever takes ids meanwhile is in
-- an earlier month still, or in this one already.
create function move_ids(month integer) returns boolean language plpgsql as $$
declare
  first bigint := month::bigint << 43;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions', 0));
  if (select last_value from ledger_ids) >= first then
    return false;
  end if;
  perform setval('ledger_ids', first, false);
  return true;
end $$;

do $$
declare
  month integer := (extract(year from now() at time zone 'UTC')::int - 2020) * 12 + extract(month from now() at time zone 'UTC')::int - 1;
  first bigint := month::bigint << 43;
begin
  execute format('alter table bets attach partition bets_before for values from (minvalue) to (%s)', first);
  execute format('alter table ledger_lines attach partition ledger_lines_before for values from (minvalue) to (%s)', first);
  perform create_month(month + ahead) from generate_series(0, 2) ahead;
  perform move_ids(month);
end $$;

select guard_partition('bets', 'bets'), guard_partition('bets_before', 'bets'),
  guard_partition('ledger_lines', 'ledger_lines'), guard_partition('ledger_lines_before', 'ledger_lines');

create view ledger_postings as
  select l.id, l.entry_id, l.kind, l.user_id, l.debit as account, l.currency_id, -l.amount as amount, l.created_at from ledger_lines l
  union all
  select l.id, l.entry_id, l.kind, l.user_id, l.credit, l.currency_id, l.amount, l.created_at from ledger_lines l;

-- Nobody else gathers statistics of the whole: autovacuum looks at partitions alone.
create function analyze_whole(whole regclass) returns void language plpgsql as $$
begin
  execute format('analyze %s %s', case when current_setting('server_version_num')::int >= 180000 then 'only' else '' end, whole);
end $$;
select analyze_whole('bets'), analyze_whole('ledger_lines');
