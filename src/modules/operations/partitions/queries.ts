import { type RawBuilder, sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { LISTS, type List } from './rules.ts';

export type Part = {
  list: List;
  part: string;
  /** `pending` means that the process was interrupted while it detached the partition. This step must still be completed. */
  state: 'attached' | 'pending' | 'detached';
  /** All ids in the partition are lower than this one. */
  below: bigint;
  bytes: bigint;
  /** The planner's estimate while the partition is attached, and the exact number of rows once it is detached. */
  rows: bigint;
};

/**
 * Returns the partitions of all partitioned tables, oldest first. The size of a detached partition that was moved out of the database is 0
 * bytes.
 */
export async function readParts(db: DbOrTx): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select * from (
      select p.relname::text as list, c.relname as part, case when inhdetachpending then 'pending' else 'attached' end as state,
        (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''?(\\d+)'))[1]::int8 as below,
        pg_total_relation_size(c.oid) as bytes, greatest(c.reltuples, 0)::int8 as rows
      from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
      where p.oid = any(${[...LISTS]}::regclass[])
      union all
      select list, part, 'detached', below, coalesce(pg_total_relation_size(to_regclass('archive.' || part)), 0), rows from parts_away
      where to_regclass('public.' || part) is null) parts
    order by array_position(${[...LISTS]}::text[], list), below`.execute(db);
  return rows;
}

/** Returns the database time, which determines the months. A process with a fast clock would use up ids of future months permanently. */
export async function readTime(db: DbOrTx): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(db);
  return rows[0]!.at;
}

/** Returns the first id of the block that was reserved last. If no block has been reserved yet, returns the first id of the first block. */
export async function lastId(db: DbOrTx): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(db);
  return rows[0]!.id;
}

/**
 * Returns why a partition cannot be detached yet, or undefined if it can. All its bets must have ended, and every consumer must have read
 * them. Its postings must have been added to the hourly changes of their accounts. Rewards can be detached only after their bets, because
 * the bets could be rolled back until then.
 */
export async function openIn(db: DbOrTx, { list, part, below }: Part): Promise<string | undefined> {
  if (list === 'bet_rewards')
    return (await archivedBelow(db, 'bets')) >= below ? undefined : 'bets of that time are attached';
  const { rows } = await sql<{ open: number; unfinished: string | null }>`
    select (select count(*)::int from (select from bets where id < ${below} and status in ('CREATED', 'ERROR') limit 1000) b) as open,
      (select string_agg(name, ', ') from cursors where ${
        list === 'bets'
          ? sql`follows = 'bets' and position < (
        select greatest(0, max(greatest(id, settlement_id, reversal_id)), (select max(c.id) from bet_corrections c where c.bet_id < ${below}))
        from ${sql.table(part)})`
          : sql`name = 'account-hours' and position < ${below}::int8 - 1`
      }) as unfinished`.execute(db);
  const { open, unfinished } = rows[0]!;
  if (open > 0) return `${open} bets of that time or before are open or set aside`;
  return unfinished === null ? undefined : `these have not consumed all of it: ${unfinished}`;
}

/** Returns the id below which rows of a partitioned table are no longer readable. */
export async function archivedBelow(db: DbOrTx, list: List): Promise<bigint> {
  const { rows } = await sql<{ below: bigint }>`select archived_below(${list}) as below`.execute(db);
  return rows[0]!.below;
}

const ROWS: Record<List, (part: RawBuilder<unknown>) => RawBuilder<unknown>> = {
  bets: (part) => sql`select user_id, count(*) as rows from ${part} group by rollup (user_id)`,
  bet_rewards: (part) => sql`select null::int as user_id, count(*) as rows from ${part}`,
  ledger_lines: (part) => sql`
    select user_id, sum((debit < 100)::int + (credit < 100)::int) as rows from ${part} where least(debit, credit) < 100 group by rollup (user_id)`,
};
/**
 * Stores the totals of a month of postings. Totals of claims and suspense are stored per player, those of other platform accounts as one
 * sum.
 */
export const keepLines = (tx: Tx, part: string) =>
  sql`insert into ledger_openings (part, user_id, currency_id, account, change)
    select ${part}, case when account < 100 or account in (110, 111) then user_id else 0 end as owner, currency_id, account, sum(change)
    from (
      select user_id, currency_id, debit as account, -amount as change from ${sql.table(part)}
      union all select user_id, currency_id, credit, amount from ${sql.table(part)}
    ) sides group by owner, currency_id, account`.execute(tx);
/** Stores the totals of a month of rewards. */
export const keepRewards = (tx: Tx, part: string) =>
  sql`insert into reward_openings (part, user_id, currency_id, affiliate_user_id, own_usd, own_paid_usd, instant, daily, weekly, monthly,
      affiliate_usd)
    select ${part}, user_id, currency_id, coalesce(affiliate_user_id, 0) as earner, sum(own_usd), sum(own_paid_usd), sum(instant), sum(daily),
      sum(weekly), sum(monthly), sum(affiliate_usd)
    from ${sql.table(part)} where reversed_place is null group by user_id, currency_id, earner`.execute(tx);
const LATEST: Record<List, RawBuilder<unknown>> = {
  bets: sql`greatest(created_at, settled_at)`,
  bet_rewards: sql`day`,
  ledger_lines: sql`created_at`,
};

/**
 * Stores the row counts of a partition before it is detached, and replaces counts stored earlier. They are used once the partition is
 * detached.
 */
export async function writeOpenings(tx: Tx, { list, part, below }: Part): Promise<void> {
  const table = sql.table(part);
  await sql`delete from archived_parts where part = ${part}`.execute(tx);
  await sql`insert into archived_parts (part, list, below, latest, rows)
    select ${part}, ${list}, ${below}, max(${LATEST[list]}), count(*) from ${table}`.execute(tx);
  await sql`insert into archived_rows (part, user_id, rows)
    select ${part}, coalesce(user_id, 0), rows
    from (${ROWS[list](table)}) counted where rows > 0`.execute(tx);
}

/**
 * Detaches a partition. Must run outside a transaction. Readers and writers are not blocked, but the statement waits for transactions that
 * began earlier.
 */
export const detachPart = (db: Db, { list, part, state }: Part) =>
  sql`alter table ${sql.table(list)} detach partition ${sql.table(part)}
    ${sql.raw(state === 'pending' ? 'finalize' : 'concurrently')}`.execute(db);

/**
 * Moves a detached partition to another schema, because its name does not show that it is detached. Another process may already have moved
 * it.
 */
export const putAway = (db: Db, part: string) =>
  sql`alter table if exists ${sql.ref(`public.${part}`)} set schema archive`.execute(db);

/** Returns partitions that are detached but have not been moved yet because their process stopped. */
export async function leftLying(db: Db): Promise<string[]> {
  const { rows } = await sql<{ part: string }>`
    select part from parts_away where to_regclass('public.' || part) is not null`.execute(db);
  return rows.map(({ part }) => part);
}

/** Attaches a partition again. Its stored totals are no longer used after that. */
export async function attachPart(tx: Tx, { list, part, from, below }: Part & { from: bigint | undefined }) {
  const bound = from === undefined ? sql`minvalue` : sql.lit(from);
  await sql`alter table ${sql.ref(`archive.${part}`)} set schema public`.execute(tx);
  await addColumns(tx, list, part);
  await sql`alter table ${sql.table(list)} attach partition ${sql.table(part)}
    for values from (${bound}) to (${sql.lit(below)})`.execute(tx);
  await sql`delete from archived_parts where part = ${part}`.execute(tx);
}

/** Adds the columns that were added to the parent table after the partition was detached, with their default values. */
async function addColumns(tx: Tx, list: string, part: string): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, concat_ws(' ', format_type(atttypid, atttypmod), 'default ' || pg_get_expr(adbin, adrelid),
      case when attnotnull then 'not null' end) as type
    from pg_attribute l left join pg_attrdef d on adrelid = attrelid and adnum = attnum
    where attrelid = ${list}::regclass and attnum > 0 and not attisdropped and not exists (
      select from pg_attribute p
      where p.attrelid = ${part}::regclass and p.attname = l.attname and not p.attisdropped)`.execute(tx);
  for (const { name, type } of rows)
    await sql`alter table ${sql.table(part)} add column ${sql.ref(name)} ${sql.raw(type)}`.execute(tx);
}

/** Creates the partitions of a month. Returns false if they already exist. */
export async function createMonth(db: DbOrTx, month: number): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`select create_month(${month}::int) as made`.execute(db);
  return rows[0]!.made;
}

/** Advances the id sequence to a month. Returns false if the sequence has already reached it. */
export async function moveIds(db: DbOrTx, month: number): Promise<boolean> {
  const { rows } = await sql<{ moved: boolean }>`select move_ids(${month}::int) as moved`.execute(db);
  return rows[0]!.moved;
}

/** Updates the statistics of the parent tables, because autovacuum analyses only the partitions. */
export async function analyzeLists(db: Db): Promise<void> {
  for (const list of LISTS) await sql`select analyze_whole(${list}::regclass)`.execute(db);
}
