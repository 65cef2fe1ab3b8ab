import { readdirSync, readFileSync } from 'node:fs';

/** Processes whose CPU time is measured separately. CPU time of all other processes is reported as `foreign`. */
export type Watched = {
  server: number;
  postmaster: number;
  generator: number;
  /** Processes of the benchmark that are not involved in bets: this process and the idle servers. */
  others: readonly number[];
};

/** CPU time in µs since an arbitrary starting point. Only differences are meaningful. */
export type CpuReading = {
  atMs: number;
  busy: number;
  server: number;
  postgres: number;
  generator: number;
  others: number;
  /** Kernel threads, which write to the disk on behalf of all processes. */
  kernel: number;
};

export type CpuUse = {
  seconds: number;
  server: number;
  postgres: number;
  generator: number;
  kernel: number;
  foreign: number;
};

/** Linux reports the CPU time of processes in hundredths of a second, regardless of its internal clock rate. */
const US_PER_TICK = 10_000;
const KTHREADD = 2;

/** Reads the CPU times of the whole machine at one point in time, without sending messages to busy processes. */
export function readCpu(watched: Watched): CpuReading {
  const reading: CpuReading = {
    atMs: performance.now(),
    busy: readBusy(),
    server: 0,
    postgres: 0,
    generator: 0,
    others: 0,
    kernel: 0,
  };
  const others = new Set(watched.others);
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (!stat) continue;
    if (pid === watched.server) reading.server += stat.own;
    else if (pid === watched.generator) reading.generator += stat.own;
    else if (others.has(pid)) reading.others += stat.own;
    else if (pid === watched.postmaster) reading.postgres += stat.own + stat.reaped;
    else if (stat.parent === watched.postmaster) reading.postgres += stat.own;
    else if (stat.parent === KTHREADD) reading.kernel += stat.own;
  }
  return reading;
}

/** Returns the CPU time between two readings, in µs. */
export function cpuBetween(from: CpuReading, to: CpuReading): CpuUse {
  const [server, postgres, generator] = [
    to.server - from.server,
    to.postgres - from.postgres,
    to.generator - from.generator,
  ];
  const kernel = to.kernel - from.kernel;
  const ours = server + postgres + generator + kernel + to.others - from.others;
  return {
    seconds: (to.atMs - from.atMs) / 1000,
    server,
    postgres,
    generator,
    kernel,
    foreign: Math.max(0, to.busy - from.busy - ours),
  };
}

/** Sums all time except idle time and time spent waiting for the disk. Time stolen by the virtual machine's host is part of `foreign`. */
function readBusy(): number {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * US_PER_TICK;
}

/** Returns a process's ticks as µs of CPU time. `reaped` is the time of its ended children. */
export function readStat(pid: number): { parent: number; own: number; reaped: number } | undefined {
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
