import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { verifyAudit } from './modules/base/audit/verify.ts';
import { reconcile } from './modules/operations/reconcile/service.ts';
import { type Backup, takeBackup } from './platform/backup.ts';
import { createDb, createPool, type Db } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { giveToServer } from './platform/embedded-postgres-files.ts';
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
    const taken = await takeBackup({ url, to: backup });
    tellBackup(say, taken);
    const restored = stopwatch();
    await restoreBackup({ from: backup, to: data });
    say(`restored     ${restored()}`);
    const asOf = new Date(taken.finishedAt);
    return await proveCopy({ data, database, seedSecret, say, asOf });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Moment = Pick<Options, 'seedSecret' | 'folder' | 'say'> & {
  /** A folder that `takeBackup` has filled before the moment … */
  backup: string;
  /** … and the archived log from there to beyond it. */
  archive: string;
  moment: Date;
  /** The database that is looked at in the copy. */
  database: string;
  /** The folder of a PostgreSQL of the same major version as the server, which has its `bin`; that of the npm package unless given. */
  programs?: string | undefined;
};

/**
 * Goes back to a moment: restores a backup elsewhere, follows the archived log to the moment and proves of the copy what `rehearse` proves, and
 * that nothing in it came after the moment. The original is not needed.
 */
export async function rehearseMoment({ folder = tmpdir(), ...parts }: Moment): Promise<boolean> {
  const { backup, archive, moment, say } = parts;
  const place = await mkdtemp(join(folder, 'croupier-rehearsal-'));
  await chmod(place, 0o711);
  const data = join(place, 'data');
  try {
    const restored = stopwatch();
    const { finishedAt } = await restoreBackup({ from: backup, to: data, archive, until: moment });
    if (new Date(finishedAt) > moment)
      throw new Error(`The backup was finished at ${finishedAt}: that moment needs an earlier one.`);
    say(`restored     a backup of ${finishedAt}, ${restored()}`);
    return await proveCopy({ ...parts, data, asOf: moment, examine: (db) => laterThan(db, moment) });
  } catch (error) {
    if (!/recovery ended before configured recovery target/.test(String(error))) throw error;
    throw new Error(`The log in ${archive} ends before ${moment.toISOString()}.`, { cause: error });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Copy = Pick<Options, 'seedSecret' | 'say'> &
  Pick<Moment, 'database' | 'programs'> & {
    data: string;
    /** When the copy ends, where that is longer ago than what may be under way. */
    asOf?: Date;
    /** What else must hold: answers what does not. */
    examine?: (db: Db) => Promise<string[]>;
  };

/** Starts a PostgreSQL on a restored data directory, which then is this one's alone, and proves what is in it. */
export async function proveCopy({ data, database, programs, ...parts }: Copy): Promise<boolean> {
  const { say } = parts;
  // What the original listens to, loads and lets in is of its machine; here its socket is all there is.
  await writeFile(join(data, 'postgresql.conf'), '');
  await writeFile(join(data, 'pg_hba.conf'), 'local all all trust\n');
  await giveToServer(data);
  const started = stopwatch();
  const settings = { hot_standby: 'off', archive_mode: 'off', max_connections: '20' };
  const postgres = await startEmbeddedPostgres({ dataDir: data, database, settings, programs });
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 3_600_000 };
  const pool = createPool(
    { connectionString: postgres.url, poolSize: 2, ...timeouts, name: 'croupier rehearsal' },
    silentLog,
  );
  try {
    say(`recovered    ${started()}`);
    return await prove(createDb(pool), parts);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

type Proof = Pick<Copy, 'seedSecret' | 'say' | 'examine' | 'asOf'>;

async function prove(db: Db, { seedSecret, say, examine, asOf }: Proof): Promise<boolean> {
  const isComplete = await isMigrated(db);
  say(`migrations   ${isComplete ? 'every one has run' : 'MISSING'}`);
  const reconciled = stopwatch();
  const { findings, checked } = await reconcile(db, { seedSecret, asOf });
  const counts = Object.entries(checked).map(([what, n]) => `${n} ${what}`);
  const books = findings.length === 0 ? 'the books agree' : `${findings.length} FINDINGS`;
  say(`reconcile    ${books}: ${counts.join(', ')}, ${reconciled()}`);
  for (const { invariant, problem } of findings) say(`BROKEN       ${invariant}: ${problem}`);
  const { breaks, rows, head } = await verifyAudit(db, { kept: undefined });
  say(
    `audit        ${breaks.length === 0 ? 'the chain holds' : `${breaks.length} BREAKS`}: ${rows} rows, head ${head.id}`,
  );
  const problems = (await examine?.(db)) ?? [];
  for (const problem of problems) say(`BROKEN       ${problem}`);
  const isWhole = isComplete && findings.length === 0 && breaks.length === 0 && problems.length === 0;
  const { at, bets } = await lastOf(db);
  say(`restored to ${at}, ${bets} bets, ${isWhole ? 'books agree' : 'NOT WHOLE'}`);
  return isWhole;
}

/** What must not be in a copy that ends at a moment. */
async function laterThan(db: Db, moment: Date): Promise<string[]> {
  const { rows } = await sql<{ what: string; n: number }>`
    select 'bets' as what, count(*)::int as n from bets where created_at > ${moment}
    union all select 'withdrawals', count(*)::int from withdrawals where created_at > ${moment}
    union all select 'deposits', count(*)::int from deposits where created_at > ${moment}`.execute(db);
  return rows
    .filter(({ n }) => n > 0)
    .map(({ what, n }) => `${n} ${what} came after ${moment.toISOString()}`);
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
