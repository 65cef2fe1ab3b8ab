import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '../test/crash/processes.ts';
import type { Account, Calls } from './load/protocol.ts';
import { isBare, type Variant } from './servers/plays.ts';
import type { Context } from './suite.ts';
import type { Later, World } from './world.ts';

const EXIT_TIMEOUT_MS = 10_000;

type Start = {
  later: Later;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
};
type Reply = { ready?: string; id?: number; result?: unknown; error?: string };

/**
 * Starts a program of the benchmark or of the platform in its own process, and waits until it is ready. `ready` is the value of its ready
 * message, such as its URL. `call` runs one of the functions that the program serves (`serve`).
 */
export async function startChild<Served extends Calls>(file: string, { later, args = [], env = {} }: Start) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => stopChild(child, signal);
  later(() => stop());
  let calls = 0;
  /** Waits for a message. Throws if the process ends first. */
  const reply = async (isIt: (message: Reply) => boolean): Promise<Reply> => {
    for await (const [message] of on(child, 'message', { close: ['exit'] }))
      if (isIt(message)) return message;
    throw new Error(`${file} ${args.join(' ')} ended`);
  };
  const call = async <Name extends keyof Served & string>(
    name: Name,
    ...values: Parameters<Served[Name]>
  ) => {
    const id = ++calls;
    child.send({ id, name, values });
    const { result, error } = await reply((message) => message.id === id);
    if (error !== undefined) throw new Error(error);
    return result as Awaited<ReturnType<Served[Name]>>;
  };
  const { ready } = await reply((message) => message.ready !== undefined);
  return { pid: child.pid!, ready: ready!, call, stop };
}

/** Ends a process, and kills it if it takes too long. Resolves after its exit. */
async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  const timeout = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS);
  await once(child, 'exit');
  clearTimeout(timeout);
}

export type Server = Awaited<ReturnType<typeof startServer>>;

type Served = import('./servers/platform.ts').Served & import('./servers/bare.ts').Served;

/** Starts the server of a variant. If `players` is set, a server of the platform has their data in its caches. */
export async function startServer(
  variant: Variant,
  { players, ...start }: Omit<Start, 'args'> & { players?: readonly Account[] },
) {
  const file = isBare(variant) ? 'servers/bare.ts' : 'servers/platform.ts';
  const child = await startChild<Served>(file, { ...start, args: [variant] });
  if (players && !isBare(variant)) await child.call('prime', players);
  return { ...child, port: Number(child.ready) };
}

/** The context of a suite and its running load generator. */
export type Bench = Awaited<ReturnType<typeof startBench>>;

/** Starts the load generator with players, by the names of their groups. */
export async function startBench(context: Context, groups: Readonly<Record<string, readonly Account[]>>) {
  const { later } = context;
  const generator = await startChild<import('./load/generator.ts').Served>('load/generator.ts', { later });
  for (const [group, players] of Object.entries(groups)) await generator.call('players', group, players);
  return { ...context, generator };
}

/** Connection limits are off, because all sockets connect from one address within seconds. */
const OPEN = { REALTIME_PORT: '0', REALTIME_HANDSHAKES_PER_MINUTE: '0', REALTIME_SOCKETS_PER_ADDRESS: '0' };

export async function startRealtime({ env }: World, later: Later) {
  const start = { later, args: ['realtime'], env: { ...env, ...OPEN } };
  const { ready: url, pid, stop } = await startChild('../src/bin/part.ts', start);
  return {
    url,
    stop,
    residentMb: () => residentBytes(pid) / 1024 ** 2,
    cpuSeconds: () => readStat(pid)!.own / 1e6,
  };
}

export type Watched = { server: number; postmaster: number; generator: number };

/**
 * CPU times in µs: either a reading from an arbitrary origin, or the difference of two readings. Kernel threads write to the disk on behalf
 * of all processes. Foreign programs are not part of the benchmark.
 */
export type Cpu = Record<'seconds' | 'server' | 'postgres' | 'generator' | 'kernel' | 'foreign', number>;

/** Linux reports the CPU time of processes in hundredths of a second, regardless of its internal clock rate. */
const US_PER_TICK = 10_000;
const KTHREADD = 2;

/** CPU times in µs. `reaped` is the time of the children that have ended. */
type Stat = { parent: number; own: number; reaped: number };

/** Reads the CPU times of the whole machine at one point in time, without sending messages to busy processes. */
export function readCpu({ server, postmaster, generator }: Watched): Cpu {
  const cpu = { seconds: performance.now() / 1000, server: 0, postgres: 0, generator: 0, kernel: 0 };
  let others = 0;
  for (const [pid, { parent, own, reaped }] of readStats()) {
    if (pid === server) cpu.server += own;
    else if (pid === generator) cpu.generator += own;
    else if (pid === postmaster) cpu.postgres += own + reaped;
    else if (parent === postmaster) cpu.postgres += own;
    else if (parent === KTHREADD) cpu.kernel += own;
    else if (pid === process.pid || parent === process.pid) others += own;
  }
  const ours = cpu.server + cpu.postgres + cpu.generator + cpu.kernel + others;
  return { ...cpu, foreign: readBusy() - ours };
}

export function cpuBetween(from: Cpu, to: Cpu): Cpu {
  const names = Object.keys(from) as (keyof Cpu)[];
  return Object.fromEntries(names.map((name) => [name, Math.max(0, to[name] - from[name])])) as Cpu;
}

/** Sums all time except idle time and time spent waiting for the disk. Time stolen by the virtual machine's host is included. */
function readBusy(): number {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * US_PER_TICK;
}

/** Reads the CPU times of all processes, by process id. */
export function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = readStat(pid);
    if (stat) stats.set(pid, stat);
  }
  return stats;
}

/** Returns undefined if the process has ended. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The process name in parentheses may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (index: number) => Number(fields[index]) * US_PER_TICK;
    return { parent: Number(fields[1]), own: ticks(11) + ticks(12), reaped: ticks(13) + ticks(14) };
  } catch {
    return undefined;
  }
}

/** Returns a process's memory in MB. Memory that several processes share is divided among them. Returns 0 if the process has ended. */
export function readMemory(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
