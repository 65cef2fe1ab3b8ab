import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { takeBackup } from '../../../src/platform/backup/backup.ts';
import { restoreBackup } from '../../../src/platform/backup/restore.ts';
import { createDb, createPool } from '../../../src/platform/database/db.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded/postgres.ts';
import { migrate } from '../../../src/platform/database/schema/migrate.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';

/** Settings with which every acknowledged commit is in the WAL, as in production. Only then can a replica be compared with the primary. */
const SETTINGS = { shared_buffers: '32MB', max_connections: '60', synchronous_commit: 'on' };

export type Primary = Awaited<ReturnType<typeof startPrimary>>;
export type StandbyServer = Awaited<ReturnType<typeof startStandby>>;

/**
 * Starts a separate PostgreSQL with a migrated database, because the shared one is too large to copy. `programs` is the folder of a
 * PostgreSQL other than the one that npm installs.
 */
export async function startPrimary(settings: Record<string, string> = {}, programs?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-primary-'));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  const options = { dataDir, durable: false, settings: { ...SETTINGS, ...settings }, programs };
  const postgres = await startEmbeddedPostgres(options);
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 60_000 };
  const pool = createPool(
    { connectionString: postgres.url, poolSize: 1, ...timeouts, name: 'primary' },
    silentLog,
  );
  await migrate(createDb(pool), silentLog);
  await pool.end();
  return {
    folder,
    url: postgres.url,
    /** The database for startApp. It is dropped together with the server. */
    database: { name: 'croupier', url: postgres.url, drop: async () => {} },
    async stop() {
      // The server stops without a checkpoint, because its data is no longer needed.
      try {
        process.kill(postgres.pid, 'SIGQUIT');
      } catch {
        // The server is not running, because a test has already stopped it.
      }
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a streaming replica of a primary from a base backup, with its own replication slot. */
export async function startStandby({ folder, url }: Pick<Primary, 'folder' | 'url'>, name = 'standby') {
  const [backup, dataDir] = [join(folder, `${name}-backup`), join(folder, name)];
  await takeBackup({ url, to: backup, durable: false });
  await restoreBackup({ from: backup, to: dataDir, durable: false });
  await query(url, `select pg_create_physical_replication_slot('${name}', true)`);
  const host = /host=([^&]+)/.exec(url)![1]!;
  const conninfo = `host=${host} port=5432 user=croupier application_name=${name}`;
  await appendFile(
    join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${name}'\n`,
  );
  await writeFile(join(dataDir, 'standby.signal'), '');
  const start = () => startEmbeddedPostgres({ dataDir, durable: false, settings: SETTINGS });
  let postgres: EmbeddedPostgres = await start();
  return {
    url: postgres.url,
    dataDir,
    ask: <Row extends pg.QueryResultRow>(text: string) => query<Row>(postgres.url, text),
    stop: () => postgres.stop(),
    async start() {
      postgres = await start();
    },
    /** Pauses replay of the primary's WAL until `resume`. */
    pause: () => query(postgres.url, 'select pg_wal_replay_pause()'),
    resume: () => query(postgres.url, 'select pg_wal_replay_resume()'),
  };
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
