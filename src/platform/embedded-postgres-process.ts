import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What a postmaster writes into its data directory. `status` is `starting`, `ready`, `stopping` … */
export type PidFile = { pid: number; port: number; socketDir: string; listens: boolean; status: string };

export async function readPidFile(dataDir: string): Promise<PidFile | undefined> {
  const text = await fs.readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketDir, address, , status] = text.split('\n').map((line) => line.trim());
  if (!pid || !port || !socketDir) return undefined;
  const listens = Boolean(address);
  return { pid: Number(pid), port: Number(port), socketDir, listens, status: status ?? '' };
}

/** The server that is running on these data, once it answers; waits while it is starting or stopping. */
export async function findLive(dataDir: string, name: string): Promise<PidFile | undefined> {
  for (const began = Date.now(); ; await sleep(50)) {
    const file = await readPidFile(dataDir);
    const identity = file ? await identify(file.pid, name) : 'foreign';
    if (!file || identity === 'foreign') return undefined;
    const directory = file.status === 'ready' ? await ask(file, 'show data_directory').catch(() => '') : '';
    if (directory === dataDir) return file;
    if (identity === 'ours' && file.status !== 'ready') continue;
    if (Date.now() - began > 3_000) return undefined;
  }
}

/** Creates the database unless it is there. */
export async function createDatabase(server: PidFile, name: string): Promise<void> {
  const known = await ask(server, `select '1' from pg_database where datname = ${pg.escapeLiteral(name)}`);
  if (known) return;
  await ask(server, `create database ${pg.escapeIdentifier(name)}`).catch((error) => {
    // Another process created it meanwhile: duplicate_database, or unique_violation when it was close.
    if (!hasCode(error, '42P04', '23505')) throw error;
  });
}

/** First value of the first row. */
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

/** False for a zombie too: one that nobody has reaped yet still answers to signal 0. */
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
 * `ours`: started by us for the cluster `name`; `foreign`: dead or no PostgreSQL at all, so that a lock file with
 * this id is stale; `unknown`: it may be the one. Without /proc every running process is `unknown`.
 */
async function identify(pid: number, name: string): Promise<'ours' | 'unknown' | 'foreign'> {
  if (!(await isRunning(pid))) return 'foreign';
  const stat = await readStat(pid);
  if (stat && stat.command !== 'postgres') return 'foreign';
  return (await readCommandLine(pid)).includes(name) ? 'ours' : 'unknown';
}

/** Ends server processes of the cluster that outlived their postmaster and keep its shared memory in use. */
export async function killOrphans(name: string): Promise<void> {
  for (const entry of await fs.readdir('/proc').catch(() => [])) {
    const pid = Number(entry);
    const stat = pid > 0 ? await readStat(pid) : undefined;
    if (stat?.command !== 'postgres') continue;
    if (!(await readCommandLine(pid)).startsWith(`postgres: ${name}: `)) continue;
    if ((await readStat(stat.parent))?.command === 'postgres') continue;
    sendSignal(pid, 'SIGKILL');
    // A new server must not write while an old process still does.
    while (await isRunning(pid)) await sleep(10);
  }
}

/** Removes a lock file whose process id now belongs to something that is no PostgreSQL. */
export async function removeStaleLock(path: string, name: string): Promise<void> {
  const pid = Number.parseInt(await fs.readFile(path, 'utf8').catch(() => ''), 10);
  if (pid > 0 && (await identify(pid, name)) === 'foreign') await fs.rm(path, { force: true });
}

/** Fast stop; then, 8 s each, an immediate one (the next start recovers from the log) and the hard one. */
export async function stopProcess(pid: number, isGone: () => Promise<boolean> | boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (await isGone()) return;
    sendSignal(pid, signal);
    for (const until = Date.now() + 8_000; Date.now() < until; await sleep(10)) if (await isGone()) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

/** Whether it is a system or database error with one of these codes. */
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
  // The command stands in parentheses and may itself contain some.
  const match = /\((.*)\) (\S) (\d+)/s.exec(text);
  return match ? { command: match[1], state: match[2], parent: Number(match[3]) } : undefined;
}

async function readCommandLine(pid: number): Promise<string> {
  return fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
