import { type Kysely, sql } from 'kysely';
import type { DB } from '../../src/platform/database.ts';

/** Written on purpose when a request is refused: what staff and others tried, how often somebody guessed, what partners have signed. */
const OF_REFUSALS = ['admin_audit', 'admin_audit_head', 'attempts', 'refused_calls', 'webhook_events'];
/** Written by processes while they run, whatever is asked. */
const OF_PROCESSES = ['commit_probes'];

const LEFT_OUT: ReadonlySet<string> = new Set([...OF_REFUSALS, ...OF_PROCESSES]);

/** Noted of requests, whatever becomes of them. */
const OF_REQUESTS: Readonly<Record<string, string>> = { sessions: 'last_request_at' };

/** A hash of each table: equal before and after means that no row has changed. */
export async function fingerprint(db: Kysely<DB>): Promise<Record<string, string>> {
  const rows = await everyTable<string>(db, (table) => {
    const row = sql`(to_jsonb(t) - ${OF_REQUESTS[table] ?? ''})::text`;
    return sql`select ${table} as name, count(*) || ' ' || coalesce(md5(string_agg(md5(${row}), '' order by md5(${row}))), '') as value from ${sql.table(table)} t`;
  });
  return Object.fromEntries(
    rows.filter(({ name }) => !LEFT_OUT.has(name)).map(({ name, value }) => [name, value]),
  );
}

/** Every text that stands anywhere in the database, also inside of arrays, JSON and notices, exactly as it is stored. */
export async function storedTexts(db: Kysely<DB>): Promise<Set<string>> {
  const rows = await everyTable<string>(
    db,
    (table) => sql`select ${table} as name, v #>> '{}' as value
      from ${sql.table(table)} t, jsonb_path_query(to_jsonb(t), 'strict $.**') v where jsonb_typeof(v) = 'string'`,
  );
  const { rows: notices } = await sql<{ value: string }>`select v #>> '{}' as value
    from (select body from webhook_events where error is null) n,
      jsonb_path_query(convert_from(body, 'utf8')::jsonb, 'strict $.**') v
    where jsonb_typeof(v) = 'string'`.execute(db);
  return new Set([...rows, ...notices].map(({ value }) => value));
}

async function everyTable<T>(db: Kysely<DB>, select: (table: string) => ReturnType<typeof sql>) {
  const { rows: tables } = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
  const parts = tables.map(({ name }) => select(name));
  const { rows } = await sql<{ name: string; value: T }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}
