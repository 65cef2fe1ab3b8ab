import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { whileStarting } from '../while-starting.ts';
import { locateBinaries } from './binaries.ts';
import { canReach, chooseHome, type Home, type Log, makePrivate, prepareData, serverEnv } from './files.ts';
import {
  ask,
  createDatabase,
  findLive,
  hasCode,
  isRunning,
  killOrphans,
  type OwnStart,
  type PidFile,
  readPidFile,
  removeStaleLock,
  stopProcess,
} from './process.ts';

export type EmbeddedPostgres = {
  /** Connection string over the Unix socket, for `pg` and everything built on it. */
  url: string;
  /** Returns the connection string for another database of the server. */
  urlFor(database: string): string;
  /** The postmaster's process id. */
  pid: number;
  /** True if a running server was found and adopted. It belongs to another process or an earlier, killed one. */
  reused: boolean;
  /** Performs a fast shutdown and resolves when the server has ended. May be called more than once. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /**
   * The data directory, which is created if it does not exist. When run as root, and if only root may enter a parent folder, the data are
   * stored in /var/lib/croupier.
   */
  dataDir: string;
  /** The name of the database, which is created if it does not exist. Defaults to `croupier`. */
  database?: string;
  /** The port on 127.0.0.1 to listen on. Without it the server does not use TCP. */
  port?: number;
  /** Additional server settings, which override the defaults. */
  settings?: Record<string, string>;
  /** If false, nothing is flushed to disk. Used only in tests. */
  durable?: boolean;
  /** The folder of another PostgreSQL installation, which contains `bin`. Defaults to the npm package's PostgreSQL. */
  programs?: string | undefined;
  /** Receives the server's log and the progress messages, line by line. */
  log?: Log;
  /** How long startup waits for a slow server. */
  startTimeoutMs?: number;
};

/**
 * Starts the PostgreSQL that npm installed on the data in `dataDir`, or adopts a server that already runs there. If several processes start
 * simultaneously, PostgreSQL's own lock file lets only one of them start the server, and the others adopt it. The server outlives this
 * process unless `stop` is called.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await chooseHome(options.dataDir, options.log ?? (() => {}));
  // Measured from the first failure, because the first attempt may take a long time before it fails.
  let failedAt = 0;
  for (;;) {
    const server = (await adopt(home, options)) ?? (await launch(home, options));
    if (!Array.isArray(server)) return server;
    const failure = server.join('\n');
    failedAt ||= Date.now();
    if (Date.now() - failedAt >= patienceMs(failure))
      throw new Error(`PostgreSQL did not start:\n${failure}`);
    await clearTheWay(failure, home);
    await sleep(100);
  }
}

/** Returns how long a failed start may be retried, depending on the server's message. */
function patienceMs(failure: string): number {
  if (/pre-existing shared memory block/.test(failure)) return 10_000;
  // The socket's folder disappears if another process stops its server at the same time.
  const passing = /lock file ".*" (already exists|is empty)|could not create lock file .*: No such file/;
  return passing.test(failure) ? 5_000 : 0;
}

async function clearTheWay(failure: string, home: Home): Promise<void> {
  await killOrphans(home.name);
  const lock = /lock file "(.*)" already exists/.exec(failure)?.[1];
  if (lock) await removeStaleLock(isAbsolute(lock) ? lock : join(home.dataDir, lock), home.name);
}

async function adopt(home: Home, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres | undefined> {
  const file = await findLive(home, startOf(options));
  if (!file) return undefined;
  try {
    return await takeOver(file, options);
  } catch (error) {
    // Another process is stopping the server. The next call waits until the server has ended.
    if (!hasCode(error, '57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'ENOENT')) throw error;
    return adopt(home, options);
  }
}

const startOf = ({ log, startTimeoutMs }: EmbeddedPostgresOptions): OwnStart => ({
  server: 'The embedded PostgreSQL',
  log: { warn: (_, message) => log?.(message) },
  timeoutMs: startTimeoutMs,
  // A server that no longer listens is being stopped by another process.
  mustListen: true,
});

async function takeOver(
  file: PidFile,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres | undefined> {
  const isGone = async () => !(await isRunning(file.pid));
  const start = { what: 'settings', ...startOf(options) };
  const flushes = () => ask(file, 'show fsync');
  if (options.durable !== false && (await whileStarting(start, flushes)) !== 'on') {
    options.log?.('the running server does not flush its data to disk: restarting it');
    await stopProcess(file.pid, isGone);
    return undefined;
  }
  options.log?.(`using the PostgreSQL that is already running (process ${file.pid})`);
  const listens = options.port === undefined || (file.listens && file.port === options.port);
  if (!listens)
    options.log?.(`it was started without port ${options.port}: stop it first if you need that port`);
  return present(file, options, { reused: true, isGone });
}

/** Starts the server. If it exits, returns its last log lines. Recovery after a crash may take a long time. */
async function launch(home: Home, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres | string[]> {
  const child = await spawnServer(home, options);
  const lines = followLog(child, options.log);
  await once(child, 'spawn');
  child.unref();
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  while (!isGone()) {
    const file = await readPidFile(home.dataDir);
    const ready = file?.pid === child.pid && file?.status === 'ready';
    if (ready) return present(file, options, { reused: false, isGone });
    await sleep(20);
  }
  // The last lines may still be in the pipe.
  await sleep(50);
  await fs.rmdir(await chooseSocketDir(home)).catch(() => {});
  return lines;
}

async function spawnServer(home: Home, options: EmbeddedPostgresOptions): Promise<ChildProcess> {
  const log = options.log ?? (() => {});
  const native = options.programs ?? (await locateBinaries(home.runAs, log));
  await prepareData(home, native, options.durable ?? true, log);
  const socketDir = await chooseSocketDir(home);
  await makePrivate(socketDir, home.runAs);
  return spawn(join(native, 'bin/postgres'), serverArguments(home, socketDir, options), {
    ...home.runAs,
    cwd: '/',
    env: serverEnv,
    // Runs in its own process group, so that Ctrl-C in the terminal does not stop the database while a service still finishes its requests.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Forwards the log. Returns an array with its last lines, which is updated continuously. */
function followLog(child: ChildProcess, log: Log = () => {}): string[] {
  const lines: string[] = [];
  if (!child.stderr) return lines;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (lines.push(line) > 20) lines.shift();
    log(line);
  });
  if (child.stderr instanceof Socket) child.stderr.unref();
  child.once('exit', (code, signal) => log(`PostgreSQL ended (${signal ?? `exit code ${code}`})`));
  return lines;
}

type Handle = { reused: boolean; isGone: () => Promise<boolean> | boolean };

async function present(
  file: PidFile,
  options: EmbeddedPostgresOptions,
  handle: Handle,
): Promise<EmbeddedPostgres> {
  const database = options.database ?? 'croupier';
  const stop = async () => {
    await stopProcess(file.pid, handle.isGone);
    await fs.rmdir(file.socketDir).catch(() => {});
  };
  const start = { what: 'database', ...startOf(options) };
  await whileStarting(start, () => createDatabase(file, database)).catch(async (error) => {
    if (!handle.reused) await stop();
    throw error;
  });
  const urlFor = (name: string) => {
    const host = encodeURIComponent(file.socketDir).replaceAll('%2F', '/');
    return `postgres://croupier@/${encodeURIComponent(name)}?host=${host}&port=${file.port}`;
  };
  let stopped: Promise<void> | undefined;
  return {
    url: urlFor(database),
    urlFor,
    pid: file.pid,
    reused: handle.reused,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function serverArguments(home: Home, socketDir: string, options: EmbeddedPostgresOptions): string[] {
  const settings: Record<string, string> = {
    // With one process for each part of the platform, the processes open at most 88 connections together. The limit also allows for a
    // second `npm start` on the same data, and a reserve.
    max_connections: '180',
    // Statements over all partitions of bets or postings lock each partition and its indexes.
    max_locks_per_transaction: '256',
    shared_buffers: '256MB',
    checkpoint_timeout: '15min',
    max_wal_size: '4GB',
    // This build supports neither lz4 nor zstd.
    wal_compression: 'off',
    jit: 'off',
    // Ends the statements of a killed program quickly, so that they do not burden the server.
    client_connection_check_interval: '2s',
    random_page_cost: '1.1',
    log_destination: 'stderr',
    logging_collector: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    ...(options.durable === false && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
    // Appears in every process title. It is used to find the cluster's processes.
    cluster_name: home.name,
    unix_socket_directories: `"${socketDir}"`,
    listen_addresses: options.port === undefined ? '' : '127.0.0.1',
    port: String(options.port ?? 5432),
  };
  const pairs = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return ['-D', home.dataDir, ...pairs];
}

/** Chooses a folder with a path short enough for a socket address (104 bytes on macOS) that the server's user may enter. */
async function chooseSocketDir(home: Home): Promise<string> {
  const base = await fs.realpath(tmpdir()).catch(() => '/tmp');
  const fits = `${base}/${home.name}/.s.PGSQL.65535`.length < 100;
  const open = !home.runAs || (await canReach(base, home.runAs).catch(() => false));
  return join(fits && open ? base : '/tmp', home.name);
}
