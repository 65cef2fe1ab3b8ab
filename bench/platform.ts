import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platformPorts } from '../test/kit/processes/ports.ts';
import { readStat } from './cpu.ts';
import type { World } from './world.ts';

const CROUPIER = fileURLToPath(new URL('../src/bin/croupier.ts', import.meta.url));
const POSTGRES = 'PostgreSQL';

/** CPU time in µs since an arbitrary starting point. Only differences are meaningful. */
export type Reading = { atMs: number; processes: Map<string, { cpuUs: number; memoryMb: number }> };
export type Platform = { read(): Reading; stop(): Promise<void> };

/** Runs `npm start` on the database of a benchmark, with separate ports and files. */
export async function startPlatform({ env, postgres }: World): Promise<Platform> {
  const { DATABASE_URL, JWT_SECRET, SEED_SECRET, DATA_SECRET } = env;
  const folder = await mkdtemp(join(tmpdir(), 'croupier-idle-'));
  const child = fork(CROUPIER, ['start'], {
    env: {
      ...process.env,
      APP_ENV: 'local',
      DATA_DIR: folder,
      DATABASE_URL,
      JWT_SECRET,
      SEED_SECRET,
      DATA_SECRET,
      ...(await platformPorts()),
    },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await ready(child.stdout!, ended);
  return {
    read: () => readAll(child.pid!, postgres.pid),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ready(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  let text = '';
  const said = new Promise<void>((resolve) => {
    output.on('data', (chunk) => {
      text += chunk;
      if (/^ready /m.test(text)) resolve();
    });
  });
  const failed = ended.then(() => {
    throw new Error(`the platform did not start:\n${text}`);
  });
  await Promise.race([said, failed]);
}

/**
 * Reads the CPU time and memory of the platform's processes, by name, and of PostgreSQL. The values for PostgreSQL include its processes
 * that have ended.
 */
function readAll(root: number, postmaster: number): Reading {
  const reading: Reading = { atMs: performance.now(), processes: new Map() };
  const stats = new Map(
    readdirSync('/proc').flatMap((name) => {
      const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
      return stat ? [[Number(name), stat] as const] : [];
    }),
  );
  const postgres = { cpuUs: stats.get(postmaster)?.reaped ?? 0, memoryMb: 0 };
  for (const [pid, { parent, own }] of stats) {
    if (pid === root || parent === root)
      reading.processes.set(nameOf(pid), { cpuUs: own, memoryMb: memoryOf(pid) });
    if (pid !== postmaster && parent !== postmaster) continue;
    postgres.cpuUs += own;
    postgres.memoryMb += memoryOf(pid);
  }
  reading.processes.set(POSTGRES, postgres);
  return reading;
}

/** Returns the name of the part (such as `api`) that a Node process runs, or its file name. */
function nameOf(pid: number): string {
  const [, file = '', part] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return part || basename(file.replace('/main.ts', ''), '.ts');
}

/** Returns a process's memory. Memory that several processes share is divided among them. */
function memoryOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
