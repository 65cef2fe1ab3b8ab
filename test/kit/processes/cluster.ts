import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { PartName } from '../../../src/app/apps.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded/postgres.ts';
import {
  childrenOf,
  endOf,
  isAlive,
  killTree,
  type PartProcess,
  partEnv,
  send,
  startPartProcess,
} from '../../crash/processes.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type FaultProxy, type FaultTarget, startFaultProxy } from './fault-proxy.ts';

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** A process that has additional environment variables (`env`) and modules that Node loads first (`imports`). */
export type ClusterPart = { part: PartName; env?: Record<string, string>; imports?: readonly string[] };
type Part = ClusterPart & { name: string; running?: PartProcess; file?: string };

export type ClusterOptions = {
  /** The parts to run. Two processes of one kind are named api-1 and api-2. A single one is named api. */
  parts?: readonly (PartName | ClusterPart)[];
  /** Settings for every process. */
  settings?: Record<string, string>;
  /** A database on a shared server. If omitted, the cluster starts its own PostgreSQL, which can be killed. */
  database?: { url: string };
  /** Options for the cluster's own PostgreSQL. */
  postgres?: { durable?: boolean; dataDir?: string; settings?: Record<string, string> };
  /** Names of processes that connect to the database through their own fault proxy. */
  proxied?: readonly string[];
  /** Logins through these proxies wait until this promise resolves. */
  login?: () => Promise<void>;
};

const PLATFORM: readonly PartName[] = [
  ...(['api', 'api', 'backoffice', 'realtime', 'realtime', 'worker', 'worker'] as const),
];
const POSTGRES = 'postgres';

/**
 * Runs the platform as in production: real processes on free ports over one database. Kinds with two processes have a load balancer in
 * front of them. Each process, and PostgreSQL, can be killed, paused, stopped and restarted by name.
 */
export async function startCluster(options: ClusterOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-cluster-'));
  chmodSync(folder, 0o755);
  const dataDir = options.postgres?.dataDir ?? join(folder, POSTGRES);
  const env: Record<string, string> = { ...options.settings };
  const parts = named(options.parts ?? PLATFORM);
  const expected = new Set<number>();
  const strayExits: string[] = [];
  const proxies = new Map<string, FaultProxy>();
  let tuning = options.postgres?.settings ?? {};
  const isDurable = options.postgres?.durable !== false;
  let postgres = options.database ? undefined : await startPostgres();
  if (options.database || !isDurable) env.ALLOW_UNSAFE_DATABASE ??= 'true';
  for (const name of options.proxied ?? [])
    proxies.set(
      name,
      await startFaultProxy({ target: databaseAt(), ...(options.login && { login: options.login }) }),
    );
  await Promise.all(parts.map(start));
  const balancers = new Map<string, Balancer>();
  for (const kind of ['api', 'realtime'])
    if (parts.some(({ part }) => part === kind)) balancers.set(kind, await startBalancer(() => urlsOf(kind)));

  async function startPostgres(): Promise<EmbeddedPostgres> {
    const settings = { shared_buffers: '128MB', max_connections: '200', ...tuning };
    return startEmbeddedPostgres({ dataDir, durable: isDurable, settings });
  }

  function databaseUrl(): string {
    return options.database?.url ?? postgres!.url;
  }

  /** Returns the server's address, which is a Unix socket unless it was started elsewhere with a port. */
  function databaseAt(): FaultTarget {
    const { host, port } = new pg.Client({ connectionString: databaseUrl() });
    return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  }

  function urlFor(name: string): string {
    const proxy = proxies.get(name);
    if (!proxy) return databaseUrl();
    const { user, database } = new pg.Client({ connectionString: databaseUrl() });
    return `postgres://${user}@127.0.0.1:${proxy.port}/${database}`;
  }

  async function start(part: Part): Promise<void> {
    const running = await startPartProcess(part.part, {
      env: partEnv(urlFor(part.name), { ...env, ...part.env }),
      logFile: logOf(part.name),
      ...(part.imports && { imports: part.imports }),
      ...(part.file && { file: part.file }),
    });
    part.running = running;
    running.process.once('exit', (code, signal) => {
      if (!expected.has(running.pid)) strayExits.push(`${part.name} ended by itself (${signal ?? code})`);
    });
  }

  function logOf(name: string): string {
    return join(folder, `${name}.log`);
  }

  function urlsOf(kind: string): string[] {
    return parts.flatMap(({ part, running }) => (part === kind && running ? [running.url] : []));
  }

  function find(name: string): Part {
    const part = parts.find((each) => each.name === name);
    if (!part) throw new Error(`no process is called ${name}: there are ${parts.map((p) => p.name).join()}`);
    return part;
  }

  function pidOf(name: string): number {
    const pid = name === POSTGRES ? postgres?.pid : find(name).running?.pid;
    if (pid === undefined) throw new Error(`${name} is not ours to signal, or does not run`);
    return pid;
  }

  function signal(name: string, which: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [pidOf(name), ...childrenOf(pidOf(name))]) send(pid, which);
  }

  /** Sends SIGTERM. Returns the exit code or signal. */
  async function stop(name: string): Promise<number | string> {
    const { running } = find(name);
    expected.add(running!.pid);
    send(running!.pid, 'SIGTERM');
    return endOf(running!);
  }

  /** Restarts processes that are not running. Resolves when the database accepts connections and every process listens. */
  async function heal(): Promise<void> {
    if (postgres && !isAlive(postgres.pid)) postgres = await startPostgres();
    await Promise.all(parts.filter(({ running }) => !isAlive(running!.pid)).map(start));
  }

  return {
    folder,
    strayExits,
    databaseUrl,
    names: parts.map(({ name }) => name),
    urlOf: (name: string) => find(name).running!.url,
    urlsOf,
    /** Returns the load balancer's address for a kind of process. */
    balanced: (kind: 'api' | 'realtime') => balancers.get(kind)!.url,
    serving: (kind: 'api' | 'realtime') => balancers.get(kind)!.serving(),
    /** Returns the fault proxy between a process and the database. */
    proxyOf: (name: string) => proxies.get(name)!,
    logOf: (name: string) => readFileSync(logOf(name), 'utf8'),
    pause: (name: string) => signal(name, 'SIGSTOP'),
    resume: (name: string) => signal(name, 'SIGCONT'),
    /** Sends SIGKILL to a process, or to all processes of PostgreSQL. */
    async kill(name: string) {
      expected.add(pidOf(name));
      await killTree(pidOf(name));
    },
    stop,
    /** Starts a process that has ended. From then on it runs `file`, which may be another version. */
    start: (name: string, file?: string) => start(Object.assign(find(name), file && { file })),
    heal,
    /** Stops everything and restarts it with other settings for the server and the processes. */
    async reconfigure(next: { postgres: Record<string, string>; settings: Record<string, string> }) {
      for (const { name } of parts) await stop(name);
      await postgres!.stop();
      tuning = next.postgres;
      Object.assign(env, next.settings);
      await heal();
    },
    /** Returns each process's last log lines, to explain a failed test. */
    story: (lines = 15) =>
      parts.map(({ name }) => `--- ${name}\n${tail(logOf(name), lines)}`).join('\n') + strayExits.join('\n'),
    async stopAll({ keep = false } = {}) {
      for (const proxy of proxies.values()) proxy.mode('pass');
      for (const balancer of balancers.values()) await balancer.close();
      await Promise.all(parts.filter(({ running }) => isAlive(running!.pid)).map(({ name }) => stop(name)));
      for (const proxy of proxies.values()) await proxy.stop();
      await postgres?.stop();
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function named(parts: readonly (PartName | ClusterPart)[]): Part[] {
  const all = parts.map((part) => (typeof part === 'string' ? { part } : part));
  const counts = new Map<string, number>();
  return all.map((each) => {
    const { part } = each;
    const n = (counts.get(part) ?? 0) + 1;
    counts.set(part, n);
    const isAlone = all.filter((other) => other.part === part).length === 1;
    return { ...each, name: isAlone ? part : `${part}-${n}` };
  });
}

function tail(file: string, lines: number): string {
  if (!existsSync(file)) return 'has not started';
  return readFileSync(file, 'utf8').trim().split('\n').slice(-lines).join('\n');
}
