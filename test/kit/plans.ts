import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { createPool, type Db } from '../../src/platform/database/db.ts';
import type { DB } from '../../src/platform/database/tables.ts';
import { silentLog } from '../../src/platform/observability/log.ts';
import type { TestApp } from './app.ts';

/** Returns the plans of the statements that `read` sends, as PostgreSQL explains them. */
export async function plansOf(app: TestApp, read: (db: Db) => Promise<unknown>): Promise<string> {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const target = { connectionString: app.database.url, poolSize: 1, name: 'plans', ...timeouts };
  const pool = createPool(target, silentLog);
  const sent: CompiledQuery[] = [];
  const log = ({ query }: { query: CompiledQuery }) => void sent.push(query);
  await read(new Kysely<DB>({ dialect: new PostgresDialect({ pool }), log })).finally(() => pool.end());
  const plans: string[] = [];
  for (const { sql: text, parameters } of sent) {
    const { rows } = await app.db.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]),
    );
    plans.push(...rows.map((row) => row['QUERY PLAN']));
  }
  return plans.join('\n');
}
