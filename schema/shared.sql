-- Objects that every area needs: an extension, the schema that holds detached partitions, and functions that triggers of several areas
-- call.

-- Conventions in all files. Amounts are bigint, in units of 10^-8 of their currency. Columns whose names end in `_usd` contain US dollars ×
-- 10^8 if their values are integers. Rates are US dollars per whole unit × 10^12. `_bp` columns are in hundredths of a percent, `_ppm`
-- columns in millionths. `_e2` and `_e4` columns contain values multiplied by 100 and 10,000. Days and hours are in UTC. User 0 is not a
-- player: it stands for the platform, or for all players together. `not valid` marks checks that were added when their tables already had
-- rows. In a database older than such a check, the rows from before were not verified.

create extension if not exists pg_trgm;

-- Holds monthly partitions that were detached from their tables, for example by the job `partitions.maintain`.
create schema archive;

-- ---------------------------------------------------------------- Guards

-- Raises an exception if the number of rows that a statement changed is not the expected number. The transaction is then rolled back and
-- retried, as after a serialization failure.
create function expect_rows(actual bigint, expected bigint) returns boolean language plpgsql as $$
begin
  if actual is distinct from expected then
    raise exception 'touched % rows, expected %', actual, expected using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- Trigger function that rejects changes to append-only tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- ---------------------------------------------------------------- Sums

-- Trigger function that adds a statement's changes in a table of totals to a table of coarser totals, such as days instead of hours.
-- Arguments: the coarser table, its key columns, the same key as expressions over the columns of the finer table, and the columns to add
-- up. The column `players` counts the rows of the finer table. Rows are written in a fixed order, so that two transactions do not deadlock.
create function sum_up() returns trigger language plpgsql as $$
declare
  added_up text[] := string_to_array(tg_argv[3], ', ');
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, 1 as players, * from added'
    when 'DELETE' then 'select -1 as sign, 1 as players, * from removed'
    else 'select 1 as sign, 1 as players, * from added union all select -1, 1, * from removed' end;
begin
  execute format(
    'insert into %1$I as coarse (%2$s, %4$s) select %3$s, %5$s from (%6$s) changes group by %7$s order by %7$s
     on conflict (%2$s) do update set %8$s',
    tg_argv[0], tg_argv[1], tg_argv[2], tg_argv[3],
    (select string_agg(format('sum(sign * %I)', name), ', ') from unnest(added_up) name),
    changes,
    (select string_agg(n::text, ', ') from generate_series(1, cardinality(string_to_array(tg_argv[1], ', '))) n),
    (select string_agg(format('%1$I = coarse.%1$I + excluded.%1$I', name), ', ') from unnest(added_up) name));
  return null;
end $$;

-- Trigger function that deletes the packed data (packed_days) of the days that a statement changed. These days are then read from their
-- original rows until a job packs them again. Arguments: the source in packed_days, and the column that contains the time.
create function unpack_days() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    execute format('delete from packed_days where source = %L and day in (select (%I at time zone ''UTC'')::date from added)', tg_argv[0], tg_argv[1]);
  end if;
  if tg_op <> 'INSERT' then
    execute format('delete from packed_days where source = %L and day in (select (%I at time zone ''UTC'')::date from removed)', tg_argv[0], tg_argv[1]);
  end if;
  return null;
end $$;

-- ---------------------------------------------------------------- Months

-- Protects a partition against the same changes as its parent table. This needs separate triggers, because a statement trigger fires only
-- for the table that the statement names.
create function guard_partition(part regclass, whole text) returns void language plpgsql as $$
begin
  if whole in ('bets', 'bet_rewards') then
    execute format('create trigger %I before delete or truncate on %s for each statement execute function refuse_change()',
      whole || '_no_delete', part);
  else
    execute format('create trigger ledger_lines_append_only before update or delete on %s for each statement execute function refuse_change()', part);
    execute format('create trigger ledger_lines_no_truncate before truncate on %s for each statement execute function refuse_change()', part);
  end if;
end $$;

-- Creates the missing partitions for a month. Months are numbered from January 2020, which is 0. A partition is created as a separate table
-- and then attached, which blocks neither readers nor writers. The unique index makes a seed pair's nonces unique within a month. Locking
-- the player makes them unique across months.
create function create_month(month integer) returns boolean language plpgsql as $$
declare
  first bigint := month::bigint << 43;
  suffix text := to_char(make_date(2020 + month / 12, 1 + month % 12, 1), 'YYYY_MM');
  whole text;
  part text;
  made boolean := false;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions', 0));
  foreach whole in array array['bets', 'bet_rewards', 'ledger_lines'] loop
    part := whole || '_' || suffix;
    continue when to_regclass(part) is not null or to_regclass('archive.' || part) is not null;
    execute format('create table %I (like %I including defaults including constraints including storage)', part, whole);
    if whole = 'bets' then
      execute format('create unique index %I on %I (seed_pair_id, nonce)', part || '_seed_nonce_key', part);
    end if;
    if whole in ('bets', 'bet_rewards') then
      execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05)', part);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', whole, part, first, first + (1::bigint << 43));
    perform guard_partition(part::regclass, whole);
    made := true;
  end loop;
  return made;
end $$;

-- Moves the id sequence forward to the start of a month. Returns false without a change if the sequence has already reached that month. A
-- transaction that reserves ids at the same time gets ids of either the previous month or the new one.
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

-- Collects the planner statistics of a partitioned table as a whole, because autovacuum analyzes only its partitions.
create function analyze_whole(whole regclass) returns void language plpgsql as $$
begin
  execute format('analyze %s %s', case when current_setting('server_version_num')::int >= 180000 then 'only' else '' end, whole);
end $$;
