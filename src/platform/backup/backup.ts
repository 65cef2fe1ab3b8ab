import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Copied, copyTree, giveToOwnerOf } from './copy-tree.ts';

/** Contents of `backup.json` next to the copy. */
export type Backup = {
  finishedAt: string;
  postgres: string;
  /**
   * Positions in the write-ahead log (LSN). The copy is consistent once the log has been replayed up to `until`. The copy's pg_wal contains
   * the log up to that position.
   */
  from: string;
  until: string;
  by: 'files' | 'pg_basebackup';
  files: number;
  bytes: number;
  ms: number;
};

type Options = {
  url: string;
  to: string;
  /** If false, files are not flushed to disk. Used only in tests. */
  durable?: boolean;
};

/**
 * Takes a base backup of the whole server, including the WAL that it needs, into `to/data`. Any PostgreSQL of the same major version can
 * start on that data directory. A backup can be taken under load and blocks no sessions. If this process runs on the server's machine, the
 * files are copied. Otherwise pg_basebackup must be installed. `to` must be absent or empty. The role must be a superuser or have
 * REPLICATION. Copying files also requires pg_read_all_settings and EXECUTE on pg_backup_start and pg_backup_stop.
 */
export async function takeBackup({ url, to, durable = true }: Options): Promise<Backup> {
  const began = performance.now();
  const target = join(to, 'data');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'croupier backup',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await assertMayBackUp(client);
    await fs.mkdir(to, { recursive: true, mode: 0o700 });
    if ((await fs.readdir(to)).length > 0) throw new Error(`${to} needs to be an empty folder`);
    const source = await dataDirectory(client);
    const taken =
      source === undefined
        ? await byProgram(url, target)
        : await byFiles(client, { source, target, durable });
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    );
    const backup: Backup = {
      finishedAt: new Date().toISOString(),
      postgres: rows[0]!.version,
      ...taken,
      ms: Math.round(performance.now() - began),
    };
    await fs.writeFile(join(to, 'backup.json'), `${JSON.stringify(backup, null, 2)}\n`);
    return backup;
  } finally {
    await client.end();
  }
}

/** Throws unless the role and the WAL level allow a backup by one of the two methods. */
async function assertMayBackUp(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean; level: string }>(`
    select rolname as role, rolsuper or rolreplication as may, current_setting('wal_level') as level
    from pg_roles where rolname = current_user`);
  const { role, may, level } = rows[0]!;
  if (!may)
    throw new Error(
      `The role ${role} lacks the permission to take backups: run "alter role ${role} replication", or use a database superuser.`,
    );
  if (level === 'minimal')
    throw new Error('The server writes too little WAL: set wal_level to replica and restart it.');
}

/**
 * Returns the data directory of this server if this process can read it and the role may run pg_backup_start and pg_backup_stop. Otherwise
 * returns undefined.
 */
async function dataDirectory(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ folder: string | null; started: number }>(`
    select extract(epoch from pg_postmaster_start_time())::float8 as started,
      (select setting from pg_settings where name = 'data_directory' and (
        select bool_and(has_function_privilege(oid, 'execute')) from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace and proname in ('pg_backup_start', 'pg_backup_stop'))) as folder`);
  const { folder, started } = rows[0]!;
  const pidFile = folder ? await fs.readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '') : '';
  const isThisServer = Math.abs(Number(pidFile.split('\n')[2]) - started) < 10;
  return folder && isThisServer ? folder : undefined;
}

type Taken = Omit<Backup, 'finishedAt' | 'postgres' | 'ms'>;

const SEGMENT = /^[0-9A-F]{24}$/;

async function byFiles(
  client: pg.Client,
  { source, target, durable }: { source: string; target: string; durable: boolean },
): Promise<Taken> {
  const spaces = await fs.readdir(join(source, 'pg_tblspc'));
  if (spaces.length > 0)
    throw new Error('The server has tablespaces: use pg_basebackup and its --tablespace-mapping.');
  // Prevents the server from recycling the log before it is copied. The server drops the temporary slot when the connection ends.
  const slot = `croupier_backup_${process.pid}`;
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
  const start = await client.query<{ from: string; first: string }>(`
    select lsn::text as from, pg_walfile_name(lsn) as first from pg_backup_start('croupier', true) as lsn`);
  const { from, first } = start.rows[0]!;
  const data = await copyTree(source, target, { leaveOut: isLeftOut, durable });
  // pg_control is copied last, as pg_basebackup does, because it contains the minimum position that recovery must reach.
  const control = await copyTree(join(source, 'global/pg_control'), join(target, 'global/pg_control'));
  const stop = await client.query<{ until: string; last: string; label: string }>(`
    select lsn::text as until, pg_walfile_name(lsn) as last, labelfile as label from pg_backup_stop(true)`);
  const { until, last, label } = stop.rows[0]!;
  await fs.writeFile(join(target, 'backup_label'), label, { mode: 0o600 });
  const isNeeded = (name: string) => SEGMENT.test(name) && name >= first && name <= last;
  const log = await copyTree(join(source, 'pg_wal'), join(target, 'pg_wal'), {
    leaveOut: (name) => !isNeeded(name) && !name.endsWith('.history'),
    durable,
  });
  await giveToOwnerOf(source, target);
  return { from, until, by: 'files', ...sum(data, control, log) };
}

/** Files left out of the backup. The server recreates some of them, and the others would make it treat the copy as the original. */
const EMPTIED =
  /^(pg_wal|pg_dynshmem|pg_notify|pg_replslot|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|global\/pg_control|standby\.signal|recovery\.signal|.*pg_internal\.init.*|(.*\/)?pgsql_tmp.*)$/;
const isLeftOut = (path: string) => EMPTIED.test(path) || LEFT_OUT.test(path);

const sum = (...parts: Copied[]): Copied => ({
  files: parts.reduce((total, { files }) => total + files, 0),
  bytes: parts.reduce((total, { bytes }) => total + bytes, 0),
});

const said = (error: object): string =>
  String((error as { stderr?: unknown }).stderr ?? '').trim() || 'no reason was reported.';

/** Matches `postgres://user:password@…`. An address for a Unix socket has no host, so it is not a valid URL. */
const PASSWORD = /^(postgres(?:ql)?:\/\/[^:@/?]*):([^@/?]*)@/;

/** Runs pg_basebackup. The password is passed in the environment, because other users can see a process's arguments. */
async function byProgram(url: string, target: string): Promise<Taken> {
  const password = decodeURIComponent(PASSWORD.exec(url)?.[2] ?? '');
  const address = url.replace(PASSWORD, '$1@');
  const how = ['--wal-method=stream', '--checkpoint=fast', '--no-password'];
  const args = ['-d', address, '-D', target, ...how];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...(password ? { PGPASSWORD: password } : {}) };
  await promisify(execFile)('pg_basebackup', args, { env }).catch((error: NodeJS.ErrnoException) => {
    // Only stderr is included in the error, because the command line contains the address.
    if (error.code !== 'ENOENT') throw new Error(`pg_basebackup failed: ${said(error)}`);
    throw new Error(
      "The files of this server cannot be read from this machine: run this command on the server's machine as the server's user, or install pg_basebackup.",
    );
  });
  const manifest = JSON.parse(await fs.readFile(join(target, 'backup_manifest'), 'utf8')) as Manifest;
  const [range] = manifest['WAL-Ranges'];
  const sizes = manifest.Files.map(({ Size }) => Size);
  return {
    from: range?.['Start-LSN'] ?? '',
    until: range?.['End-LSN'] ?? '',
    by: 'pg_basebackup',
    files: sizes.length,
    bytes: sizes.reduce((total, size) => total + size, 0),
  };
}

type Manifest = { 'WAL-Ranges': { 'Start-LSN': string; 'End-LSN': string }[]; Files: { Size: number }[] };
