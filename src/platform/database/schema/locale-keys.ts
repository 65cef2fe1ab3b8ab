import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** A text column of a unique key whose sort order depends on the database locale. */
export type LocaleKey = { table: string; column: string };

/**
 * Lists the columns of unique indexes that use the default collation, if an operating system upgrade may change its sort order. After such
 * a change, searches in the old index miss rows, so the index would accept duplicates. The list is empty for C and C.UTF-8.
 */
export async function listLocaleKeys(db: Db): Promise<LocaleKey[]> {
  const { rows } = await sql<LocaleKey>`
    select distinct t.oid::regclass::text as "table", quote_ident(a.attname) as "column"
    from pg_index i
    join pg_class t on t.oid = i.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      and a.attcollation = 'pg_catalog."default"'::regcollation
    where i.indisunique and not t.relispartition and t.relnamespace = 'public'::regnamespace
      and (a.attnum = any (i.indkey::int2[]) or i.indexprs is not null and exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
          and d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid = a.attnum))
      and exists (
        select from pg_database where datname = current_database()
          and not (datlocprovider = 'b' or datlocprovider = 'c' and datcollate in ('C', 'POSIX', 'C.UTF-8', 'C.utf8')))
    order by 1, 2`.execute(db);
  return rows;
}

/**
 * Gives columns the collation C, which compares bytes. Views and triggers that use a column block this, so they are dropped and recreated.
 * Rebuilds indexes under a lock and changes result types, so pass only columns that no running process uses.
 */
export async function pinLocaleKeys(db: Db, keys: readonly LocaleKey[]): Promise<void> {
  for (const [table, own] of Map.groupBy(keys, (key) => key.table)) {
    const columns = own.map(({ column }) => column);
    const dependents = await dependentsOf(db, table, columns);
    for (const { remove } of dependents) await sql.raw(remove).execute(db);
    const changes = columns.map((column) => `alter column ${column} type text collate "C"`);
    await sql.raw(`alter table ${table} ${changes.join(', ')}`).execute(db);
    for (const { restore } of dependents.reverse()) await sql.raw(restore).execute(db);
  }
}

type Dependent = { remove: string; restore: string };

async function dependentsOf(db: Db, table: string, columns: readonly string[]): Promise<Dependent[]> {
  const { rows } = await sql<Dependent>`
    with used as (
      select classid, objid from pg_depend d join pg_attribute a on a.attrelid = refobjid and a.attnum = refobjsubid
      where refclassid = 'pg_class'::regclass and refobjid = ${table}::regclass and quote_ident(attname) = any(${columns})
    )
    select distinct format('drop view %s', ev_class::regclass) as remove,
      format('create view %s as %s', ev_class::regclass, pg_get_viewdef(ev_class)) as restore
    from pg_rewrite r join used on classid = 'pg_rewrite'::regclass and objid = r.oid
    union all
    select distinct format('drop trigger %I on %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid)
    from pg_trigger t join used on classid = 'pg_trigger'::regclass and objid = t.oid where not tgisinternal`.execute(
    db,
  );
  return rows;
}
