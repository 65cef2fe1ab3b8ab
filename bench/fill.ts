import { type Kysely, sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import type { DB } from '../src/platform/database/tables.ts';

/** Drops a table's keys and indexes, fills it, and then rebuilds the keys and indexes as the migrations declare them. */
export async function fillTable(
  db: Db,
  table: string,
  fill: (db: Kysely<DB>) => Promise<unknown>,
): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set maintenance_work_mem = '512MB'`.execute(one);
    const rebuild = await dropIndexes(one, table);
    await fill(one);
    for (const statement of rebuild) await sql.raw(statement).execute(one);
    await sql`reset maintenance_work_mem`.execute(one);
  });
}

async function dropIndexes(db: Kysely<DB>, table: string): Promise<string[]> {
  const { rows: keys } = await sql<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype in ('p', 'u')
      and not exists (select from pg_constraint f where f.conindid = pg_constraint.conindid and f.contype = 'f')`.execute(
    db,
  );
  for (const { name } of keys)
    await sql`alter table ${sql.ref(table)} drop constraint ${sql.ref(name)}`.execute(db);
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = ${table}
      and not exists (select from pg_constraint where conname = indexname)`.execute(db);
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(db);
  return [
    ...keys.map(({ name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...indexes.map(({ definition }) => definition.replace(' ON ONLY ', ' ON ')),
  ];
}

/** Runs `insert` for the numbers from `first` to `last`, in ranges of half a million. */
export async function inRanges(
  first: number,
  last: number,
  insert: (range: { from: number; to: number }) => Promise<unknown>,
): Promise<void> {
  const most = 500_000;
  for (let from = first; from <= last; from += most)
    await insert({ from, to: Math.min(last, from + most - 1) });
}

/** Inserts this many users without any other rows: user1, user2, … */
export const insertPlainUsers = (db: Kysely<DB>, users: number) =>
  sql`
    insert into users (username, email, username_skeleton) select 'user' || n, 'user' || n || '@bench.example', 'user ' || n
    from generate_series(1, ${users}::int) n order by n`.execute(db);
