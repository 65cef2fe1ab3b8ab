import { type Kysely, sql } from 'kysely';
import type { DB } from '../../../src/platform/database/tables.ts';

/**
 * Tables that are written intentionally when a request is rejected: audit entries, failed attempts, signed partner messages and findings
 * about them.
 */
const OF_REFUSALS = [
  ...['admin_audit', 'admin_audit_head', 'attempts', 'refused_calls'],
  ...['webhook_events', 'provider_findings'],
];
/** Tables that running processes write to, independently of requests. */
const OF_PROCESSES = ['commit_probes'];

const LEFT_OUT: ReadonlySet<string> = new Set([...OF_REFUSALS, ...OF_PROCESSES]);

/** Columns that every request updates, regardless of its result. */
const OF_REQUESTS: Readonly<Record<string, string>> = { sessions: 'last_request_at' };

/** Returns a hash of each table. Equal hashes before and after mean that no row has changed. */
export async function fingerprint(db: Kysely<DB>): Promise<Record<string, string>> {
  const rows = await everyTable<string>(db, (table) => {
    const row = sql`(to_jsonb(t) - ${OF_REQUESTS[table] ?? ''})::text`;
    return sql`select ${table} as name, count(*) || ' ' || coalesce(md5(string_agg(md5(${row}), '' order by md5(${row}))), '') as value from ${sql.table(table)} t`;
  });
  return Object.fromEntries(
    rows.filter(({ name }) => !LEFT_OUT.has(name)).map(({ name, value }) => [name, value]),
  );
}

/** Returns every string that is stored in the database, unchanged, including strings inside arrays, JSON and webhook bodies. */
export async function storedTexts(db: Kysely<DB>): Promise<Set<string>> {
  const rows = await everyTable<string>(
    db,
    (table) => sql`select ${table} as name, v #>> '{}' as value
      from ${sql.table(table)} t, jsonb_path_query(to_jsonb(t), 'strict $.**') v where jsonb_typeof(v) = 'string'`,
  );
  const { rows: notices } = await sql<{ value: string }>`select v #>> '{}' as value
    from (select body from webhook_events where error is null and pg_input_is_valid(convert_from(body, 'utf8'), 'jsonb')) n,
      jsonb_path_query(convert_from(body, 'utf8')::jsonb, 'strict $.**') v
    where jsonb_typeof(v) = 'string'`.execute(db);
  return new Set([...rows, ...notices].map(({ value }) => value));
}

async function everyTable<T>(db: Kysely<DB>, select: (table: string) => ReturnType<typeof sql>) {
  const { rows: tables } = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
  const parts = tables.map(({ name }) => select(name));
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = '60s'`.execute(tx);
    const { rows } = await sql<{ name: string; value: T }>`${sql.join(parts, sql` union all `)}`.execute(tx);
    return rows;
  });
}
