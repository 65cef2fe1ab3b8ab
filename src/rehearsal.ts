import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { verifyAudit } from './modules/base/audit/verify.ts';
import { reconcile } from './modules/operations/reconcile/service.ts';
import { type Backup, takeBackup } from './platform/backup.ts';
import { createDb, createPool, type Db } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { silentLog } from './platform/log.ts';
import { assertMigrated, isMigrated } from './platform/migrate.ts';
import { restoreBackup } from './platform/restore.ts';

type Options = {
  /** The server that is backed up; its database of this address is looked at in the copy. */
  url: string;
  seedSecret: string;
  /** Where the copies are made and removed again; a temporary folder unless given. */
  folder?: string | undefined;
  say: (line: string) => void;
};

/**
 * Takes a base backup of a server as it is, under whatever load, restores it elsewhere, starts a PostgreSQL on the copy and proves there that every
 * migration has run, that the books agree and that the chain of the audit holds. Answers whether all of it does. The original is
 * only read.
 */
export async function rehearse({ url, seedSecret, folder = tmpdir(), say }: Options): Promise<boolean> {
  const database = await assertReady(url);
  const place = await mkdtemp(join(folder, 'croupier-rehearsal-'));
  // The copy's PostgreSQL may run as another user, who passes through.
  await chmod(place, 0o711);
  const [backup, data] = [join(place, 'backup'), join(place, 'data')];
  try {
    tellBackup(say, await takeBackup({ url, to: backup }));
    const restored = stopwatch();
    await restoreBackup({ from: backup, to: data });
    say(`restored     ${restored()}`);
    return await proveCopy({ data, database, seedSecret, say });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Starts a PostgreSQL on a restored data directory, which then is this one's alone, and proves what is in it. */
export async function proveCopy(parts: {
  data: string;
  database: string;
  seedSecret: string;
  say: (line: string) => void;
}): Promise<boolean> {
  const { data, database, seedSecret, say } = parts;
  // What the original listens to, loads and lets in is of its machine; here its socket is all there is.
  await writeFile(join(data, 'postgresql.conf'), '');
  await writeFile(join(data, 'pg_hba.conf'), 'local all all trust\n');
  const started = stopwatch();
  const settings = { hot_standby: 'off', archive_mode: 'off', max_connections: '20' };
  const postgres = await startEmbeddedPostgres({ dataDir: data, database, settings });
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 3_600_000 };
  const pool = createPool(
    { connectionString: postgres.url, poolSize: 2, ...timeouts, name: 'croupier rehearsal' },
    silentLog,
  );
  try {
    say(`recovered    ${started()}`);
    return await prove(createDb(pool), { seedSecret, say });
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function prove(db: Db, { seedSecret, say }: Pick<Options, 'seedSecret' | 'say'>): Promise<boolean> {
  const isComplete = await isMigrated(db);
  say(`migrations   ${isComplete ? 'every one has run' : 'MISSING'}`);
  const reconciled = stopwatch();
  const { findings, checked } = await reconcile(db, { seedSecret });
  const counts = Object.entries(checked).map(([what, n]) => `${n} ${what}`);
  const books = findings.length === 0 ? 'the books agree' : `${findings.length} FINDINGS`;
  say(`reconcile    ${books}: ${counts.join(', ')}, ${reconciled()}`);
  for (const { invariant, problem } of findings) say(`BROKEN       ${invariant}: ${problem}`);
  const { breaks, rows, head } = await verifyAudit(db, { kept: undefined });
  say(
    `audit        ${breaks.length === 0 ? 'the chain holds' : `${breaks.length} BREAKS`}: ${rows} rows, head ${head.id}`,
  );
  const isWhole = isComplete && findings.length === 0 && breaks.length === 0;
  const { at, bets } = await lastOf(db);
  say(`restored to ${at}, ${bets} bets, ${isWhole ? 'books agree' : 'NOT WHOLE'}`);
  return isWhole;
}

async function lastOf(db: Db): Promise<{ at: string; bets: number }> {
  const { rows } = await sql<{ at: Date | null; bets: bigint }>`
    select max(created_at) as at, count(*) as bets from bets`.execute(db);
  const { at, bets } = rows[0]!;
  return { at: at?.toISOString() ?? 'before the first bet', bets: Number(bets) };
}

/** The name of the database. Throws unless it has the tables of this version: a copy without them proves nothing. */
async function assertReady(url: string): Promise<string> {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const pool = createPool(
    { connectionString: url, poolSize: 1, ...timeouts, name: 'croupier rehearsal' },
    silentLog,
  );
  try {
    await assertMigrated(createDb(pool));
    const { rows } = await pool.query<{ name: string }>('select current_database() as name');
    return rows[0]!.name;
  } finally {
    await pool.end();
  }
}

/** What was backed up, in one line. */
export function tellBackup(say: (line: string) => void, { files, bytes, ms, by, from, until }: Backup): void {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  say(
    `backed up    ${files} files, ${size} by ${by}, log from ${from} to ${until}, ${(ms / 1000).toFixed(1)} s`,
  );
}

function stopwatch(): () => string {
  const began = performance.now();
  return () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
