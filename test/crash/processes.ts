import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PART = fileURLToPath(new URL('../../src/bin/part.ts', import.meta.url));

/** A part of the platform in a separate process, as run by `npm start`. */
export type PartProcess = { name: string; url: string; pid: number; process: ChildProcess };

/** Starts a part and resolves once it listens. Its log is written to `logFile`. */
export async function startPartProcess(
  name: string,
  options: { env: Record<string, string>; logFile: string; file?: string; imports?: readonly string[] },
): Promise<PartProcess> {
  const log = openSync(options.logFile, 'a');
  const child = fork(options.file ?? PART, [name], {
    env: { ...inherited(), ...options.env },
    execArgv: (options.imports ?? []).flatMap((module) => ['--import', module]),
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${name} ended (${signal ?? code}) before it listened; see ${options.logFile}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ ready: string }];
  ended.catch(() => undefined);
  return { name, url: message.ready, pid: child.pid!, process: child };
}

/** Returns only the necessary environment variables. Other settings of the caller must not reach the processes under test. */
export function inherited(): Record<string, string> {
  const { PATH = '', HOME = '/' } = process.env;
  return { PATH, HOME };
}

/** Returns settings of a part under test: any free port, no rate limits, and secrets valid as long as this process runs. */
export function partEnv(databaseUrl: string, env: Record<string, string> = {}): Record<string, string> {
  const ports = ['PORT', 'BACKOFFICE_PORT', 'REALTIME_PORT', 'WORKER_PORT'];
  const limits = ['AUTH', 'MONEY', 'READ', 'PUBLIC'].map((name) => `RATE_LIMIT_${name}`);
  return {
    ...Object.fromEntries([...ports, ...limits].map((name) => [name, '0'])),
    ...SECRETS,
    // The compile cache is shared, because compiling takes half of the start-up time.
    NODE_COMPILE_CACHE: join(tmpdir(), 'croupier-compile-cache'),
    REALTIME_HANDSHAKES_PER_MINUTE: '0',
    APP_ENV: 'test',
    LOG_LEVEL: 'warn',
    ACCESS_TOKEN_SECONDS: '86400',
    DATABASE_POOL_SIZE: '8',
    DATABASE_URL: databaseUrl,
    ...env,
  };
}

const SECRETS = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  SEED_SECRET: randomBytes(32).toString('hex'),
  DATA_SECRET: randomBytes(32).toString('hex'),
};
export const SEED_SECRET = SECRETS.SEED_SECRET;

/** Returns the exit code or signal. */
export async function endOf({ process: child }: PartProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode!;
}

/** Returns the processes whose parent is `pid` (Linux). */
export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((child) => stat(child)?.parent === pid);
}

/** Returns false for zombies too, because they no longer write anything. */
export function isAlive(pid: number): boolean {
  const state = stat(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/**
 * Kills a process and its children with SIGKILL. The process is stopped first, so that it cannot react to the death of a child. Resolves
 * when all have ended.
 */
export async function killTree(pid: number): Promise<void> {
  send(pid, 'SIGSTOP');
  const all = [pid, ...childrenOf(pid)];
  for (const each of all) send(each, 'SIGKILL');
  for (const each of all) await isGone(each);
}

/** Waits until a process has ended. Throws after 10 s. */
export async function isGone(pid: number): Promise<void> {
  for (const until = Date.now() + 10_000; isAlive(pid); await sleep(5))
    if (Date.now() > until) throw new Error(`process ${pid} does not end`);
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the resident memory in bytes (Linux). */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

function stat(pid: number): { state: string; parent: number } | undefined {
  try {
    // The name of the command is in parentheses and may itself contain parentheses.
    const match = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return match ? { state: match[1]!, parent: Number(match[2]) } : undefined;
  } catch {
    return undefined;
  }
}
