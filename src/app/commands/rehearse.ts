import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { verifyAudit } from '../../modules/base/audit/verify.ts';
import { unpackBackup } from '../../platform/backup/archive.ts';
import { takeBackup } from '../../platform/backup/backup.ts';
import { restoreBackup } from '../../platform/backup/restore.ts';
import { createDb, createPool, type Db } from '../../platform/database/db.ts';
import { findPrograms } from '../../platform/database/embedded/binaries.ts';
import { giveToServer } from '../../platform/database/embedded/files.ts';
import { startEmbeddedPostgres } from '../../platform/database/embedded/postgres.ts';
import { assertMigrated, isMigrated } from '../../platform/database/schema/migrate.ts';
import { silentLog } from '../../platform/observability/log.ts';
import type { Secret } from '../../platform/secrets/encryption.ts';
import { tellBackup } from './back-up.ts';
import { reconcile } from './reconcile.ts';

type Options = {
  /** The URL of the database to check in the copy. The backup contains all databases of that database's server. */
  url: string;
  seedSecret: Secret;
  /** The folder for the temporary copies. Default: a temporary folder. */
  folder?: string | undefined;
  /** The folder of a PostgreSQL installation that contains `bin`. Default: one found on this machine. */
  programs?: string | undefined;
  say: (line: string) => void;
};

/** The result of the checks of a copy. `problems` contains one line for each failed check. */
export type Rehearsal = { isWhole: boolean; restoredTo: string; bets: number; problems: readonly string[] };

/**
 * Takes a base backup of a running server, restores it elsewhere and starts PostgreSQL on the copy. Then checks in the copy that every
 * migration has run, that the ledger is consistent and that the audit chain is valid. Only reads from the original.
 */
export async function rehearse({ url, folder = tmpdir(), ...parts }: Options): Promise<Rehearsal> {
  const { say } = parts;
  const database = await assertReady(url);
  const place = await mkdtemp(join(folder, 'croupier-rehearsal-'));
  // The copy's PostgreSQL may run as another user, who needs to traverse this folder.
  await chmod(place, 0o711);
  const [backup, data] = [join(place, 'backup'), join(place, 'data')];
  try {
    const taken = await takeBackup({ url, to: backup });
    tellBackup(say, taken);
    const restored = stopwatch();
    await restoreBackup({ from: backup, to: data });
    say(`restored     ${restored()}`);
    const asOf = new Date(taken.finishedAt);
    return await proveCopy({ ...parts, data, database, asOf });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Earlier = Omit<Options, 'url'> & {
  /** A folder that `takeBackup` has filled, or an archive of one. */
  backup: string;
  /** The contents of the key file that decrypts an encrypted archive. */
  identity?: string | undefined;
  /** The folder of the WAL archive. It must cover the time from the backup until a time after `moment`. */
  archive?: string | undefined;
  /** The point in time to recover to, which requires `archive`. Undefined means the end of the backup. */
  moment?: Date | undefined;
  /** The database to check in the copy. */
  database: string;
};

/**
 * Restores an earlier backup elsewhere and, with a point in time, replays the archived WAL up to it. Runs the same checks as `rehearse`,
 * and checks that the copy contains no later changes. The original database is not needed.
 */
export async function rehearseEarlier({ folder = tmpdir(), ...parts }: Earlier): Promise<Rehearsal> {
  const { archive, moment, say } = parts;
  const place = await mkdtemp(join(folder, 'croupier-rehearsal-'));
  await chmod(place, 0o711);
  const data = join(place, 'data');
  try {
    const restored = stopwatch();
    const from = await unpacked(join(place, 'backup'), parts);
    const { finishedAt } = await restoreBackup({ from, to: data, archive, until: moment });
    const asOf = moment ?? new Date(finishedAt);
    if (new Date(finishedAt) > asOf)
      throw new Error(
        `The backup was finished at ${finishedAt}, after the given time: use an earlier backup.`,
      );
    say(`restored     a backup of ${finishedAt}, ${restored()}`);
    const examine = moment && ((db: Db) => laterThan(db, moment));
    return await proveCopy({ ...parts, data, asOf, ...(examine && { examine }) });
  } catch (error) {
    if (!moment || !/recovery ended before configured recovery target/.test(String(error))) throw error;
    throw new Error(`The WAL archive ${archive} ends before ${moment.toISOString()}.`, { cause: error });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Returns the folder of the backup. If the backup is an archive, it is unpacked to `place` first. */
async function unpacked(place: string, { backup, identity }: Earlier): Promise<string> {
  const isArchive = (await stat(backup).catch(() => undefined))?.isFile();
  if (isArchive) await unpackBackup(backup, place, identity);
  return isArchive ? place : backup;
}

type Copy = Pick<Options, 'seedSecret' | 'say'> &
  Pick<Earlier, 'database' | 'programs'> & {
    data: string;
    /**
     * The time at which the copy ends: the end of the backup, or the time up to which the archived WAL was replayed. Checks use it instead
     * of the current time, so that work that was in progress at that time is not reported as overdue.
     */
    asOf?: Date;
    /** Runs additional checks and returns the failures. */
    examine?: (db: Db) => Promise<string[]>;
  };

/**
 * Starts PostgreSQL on a restored data directory and runs the checks on it. Overwrites the configuration in the directory, so nothing else
 * may use it.
 */
export async function proveCopy({ data, database, programs, ...parts }: Copy): Promise<Rehearsal> {
  const { say } = parts;
  // Drops the original's listen addresses, preloads and pg_hba rules. The copy is reachable only through its Unix socket.
  await writeFile(join(data, 'postgresql.conf'), '');
  await writeFile(join(data, 'pg_hba.conf'), 'local all all trust\n');
  await giveToServer(data);
  const started = stopwatch();
  const settings = { hot_standby: 'off', archive_mode: 'off', max_connections: '20' };
  const postgres = await startEmbeddedPostgres({
    dataDir: data,
    database,
    settings,
    programs: programs ?? (await findPrograms(data)),
  });
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

async function prove(db: Db, { seedSecret, say, examine, asOf }: Proof): Promise<Rehearsal> {
  const isComplete = await isMigrated(db);
  say(`migrations   ${isComplete ? 'all have run' : 'MISSING'}`);
  const reconciled = stopwatch();
  const { findings, checked } = await reconcile(db, { seedSecret, asOf });
  const counts = Object.entries(checked).map(([what, n]) => `${n} ${what}`);
  const books = findings.length === 0 ? 'no differences' : `${findings.length} FINDINGS`;
  say(`reconcile    ${books}: ${counts.join(', ')}, ${reconciled()}`);
  const wrong = findings.map(({ invariant, problem }) => `${invariant}: ${problem}`);
  for (const problem of wrong) say(`BROKEN       ${problem}`);
  const { breaks, rows, head } = await verifyAudit(db, { kept: undefined });
  say(
    `audit        ${breaks.length === 0 ? 'the chain is valid' : `${breaks.length} INVALID ENTRIES`}: ${rows} rows, head ${head.id}`,
  );
  const later = (await examine?.(db)) ?? [];
  for (const problem of later) say(`BROKEN       ${problem}`);
  const problems = [
    ...(isComplete ? [] : ['migrations are missing']),
    ...wrong,
    ...breaks.map(({ id, problem }) => `audit: ${id} ${problem}`),
    ...later,
  ];
  const isWhole = problems.length === 0;
  const { at, bets } = await lastOf(db);
  say(`restored to ${at}, ${bets} bets, ${isWhole ? 'all checks passed' : 'CHECKS FAILED'}`);
  return { isWhole, restoredTo: at, bets, problems };
}

/** Returns one failure per table that has rows created after the time at which the copy must end. */
async function laterThan(db: Db, moment: Date): Promise<string[]> {
  const { rows } = await sql<{ what: string; n: number }>`
    select 'bets' as what, count(*)::int as n from bets where created_at > ${moment}
    union all select 'withdrawals', count(*)::int from withdrawals where created_at > ${moment}
    union all select 'deposits', count(*)::int from deposits where created_at > ${moment}`.execute(db);
  return rows
    .filter(({ n }) => n > 0)
    .map(({ what, n }) => `${n} ${what} are later than ${moment.toISOString()}`);
}

async function lastOf(db: Db): Promise<{ at: string; bets: number }> {
  const { rows } = await sql<{ at: Date | null; bets: bigint }>`
    select max(created_at) as at, count(*) as bets from bets`.execute(db);
  const { at, bets } = rows[0]!;
  return { at: at?.toISOString() ?? 'before the first bet', bets: Number(bets) };
}

/**
 * Returns the name of the database. Throws unless the database has the tables of this version, because checks on a copy without them would
 * prove nothing.
 */
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

function stopwatch(): () => string {
  const began = performance.now();
  return () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
