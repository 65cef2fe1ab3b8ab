import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Start, StartTimeout, whileStarting } from '../while-starting.ts';

/** Contents of the postmaster's file in its data directory. `status` is `starting`, `ready`, `stopping` … */
export type PidFile = { pid: number; port: number; socketDir: string; listens: boolean; status: string };

export async function readPidFile(dataDir: string): Promise<PidFile | undefined> {
  const text = await fs.readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketDir, address, , status] = text.split('\n').map((line) => line.trim());
  if (!pid || !port || !socketDir) return undefined;
  const listens = Boolean(address);
  return { pid: Number(pid), port: Number(port), socketDir, listens, status: status ?? '' };
}

/** The options for waiting while a slow server starts. */
export type OwnStart = Omit<Start, 'what'>;

/**
 * Returns the server that is running on this data directory once the server responds. Waits while the server is starting, stopping or slow.
 */
export async function findLive(
  { dataDir, name }: { dataDir: string; name: string },
  start: OwnStart,
): Promise<PidFile | undefined> {
  for (const began = Date.now(); ; await sleep(50)) {
    const file = await readPidFile(dataDir);
    const identity = file ? await identify(file.pid, name) : 'foreign';
    if (!file || identity === 'foreign') return undefined;
    const isReady = file.status === 'ready';
    if (isReady && (await isOn(dataDir, file, identity === 'ours' ? start : undefined))) return file;
    if (identity === 'ours' && !isReady) continue;
    if (Date.now() - began > (identity === 'ours' ? 60_000 : 3_000)) return undefined;
  }
}

/** Returns true if the server uses this data directory. With `start`, waits for a server that is only slow. */
async function isOn(dataDir: string, file: PidFile, start?: OwnStart): Promise<boolean> {
  const read = () => ask(file, 'show data_directory');
  if (!start) return (await read().catch(() => '')) === dataDir;
  const work = async () => (await isRunning(file.pid)) && (await read()) === dataDir;
  return whileStarting({ what: 'data directory', ...start }, work).catch((error: unknown) => {
    if (error instanceof StartTimeout) throw error;
    return false;
  });
}

/** Creates the database unless it exists. */
export async function createDatabase(server: PidFile, name: string): Promise<void> {
  const known = await ask(server, `select '1' from pg_database where datname = ${pg.escapeLiteral(name)}`);
  if (known) return;
  await ask(server, `create database ${pg.escapeIdentifier(name)}`).catch((error) => {
    // Another process created it in the meantime. PostgreSQL reports duplicate_database, or unique_violation if both ran almost
    // simultaneously.
    if (!hasCode(error, '42P04', '23505')) throw error;
  });
}

/** Returns the first value of the first row. */
export async function ask(server: PidFile, query: string): Promise<string | undefined> {
  const { port, socketDir: host } = server;
  const database = 'postgres';
  const client = new pg.Client({
    host,
    port,
    user: 'croupier',
    database,
    ssl: false,
    connectionTimeoutMillis: 3_000,
    query_timeout: 3_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<string[]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Returns false for a zombie too. A zombie still accepts signal 0 until its parent reaps it. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  const state = (await readStat(pid))?.state;
  return state !== 'Z' && state !== 'X';
}

/**
 * Classifies a process. `ours`: the platform started it for the cluster `name`. `foreign`: dead or not PostgreSQL, so a lock file with this
 * id is stale. `unknown`: it may be the server. On a system without /proc every running process is `unknown`.
 */
async function identify(pid: number, name: string): Promise<'ours' | 'unknown' | 'foreign'> {
  if (!(await isRunning(pid))) return 'foreign';
  const stat = await readStat(pid);
  if (stat && stat.command !== 'postgres') return 'foreign';
  return (await readCommandLine(pid)).includes(name) ? 'ours' : 'unknown';
}

/** Kills server processes of the cluster that outlived their postmaster and still use its shared memory. */
export async function killOrphans(name: string): Promise<void> {
  for (const entry of await fs.readdir('/proc').catch(() => [])) {
    const pid = Number(entry);
    const stat = pid > 0 ? await readStat(pid) : undefined;
    if (stat?.command !== 'postgres') continue;
    if (!(await readCommandLine(pid)).startsWith(`postgres: ${name}: `)) continue;
    if ((await readStat(stat.parent))?.command === 'postgres') continue;
    sendSignal(pid, 'SIGKILL');
    // A new server must not start while an old process still writes.
    while (await isRunning(pid)) await sleep(10);
  }
}

/** Removes a lock file whose process id now belongs to a program other than PostgreSQL. */
export async function removeStaleLock(path: string, name: string): Promise<void> {
  const pid = Number.parseInt(await fs.readFile(path, 'utf8').catch(() => ''), 10);
  if (pid > 0 && (await identify(pid, name)) === 'foreign') await fs.rm(path, { force: true });
}

/**
 * Stops the server: first a fast shutdown, then an immediate one, then SIGKILL. Waits up to 8 s after each step. After an immediate
 * shutdown, the next start recovers from the log.
 */
export async function stopProcess(pid: number, isGone: () => Promise<boolean> | boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (await isGone()) return;
    sendSignal(pid, signal);
    for (const until = Date.now() + 8_000; Date.now() < until; await sleep(10)) if (await isGone()) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

/** Returns true for a system or database error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes(String((error as NodeJS.ErrnoException).code));
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function readStat(pid: number) {
  const text = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command name is in parentheses and may itself contain parentheses.
  const match = /\((.*)\) (\S) (\d+)/s.exec(text);
  return match ? { command: match[1], state: match[2], parent: Number(match[3]) } : undefined;
}

async function readCommandLine(pid: number): Promise<string> {
  return fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
