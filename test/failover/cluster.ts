import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startFaultProxy } from '../kit/processes/fault-proxy.ts';
import { serverPorts } from '../kit/processes/ports.ts';
import { until } from '../kit/until.ts';
import { createDaemons, type Daemon, type Daemons, stopDaemon } from './daemons.ts';
import { createNode, type HaNode } from './node.ts';
import { asService, type Programs } from './programs.ts';
import { type Addresses, HA, nodeEnv, PASSWORDS, patroniSettings } from './settings.ts';

export type HaCluster = Awaited<ReturnType<typeof startHaCluster>>;
type Wellness = { isSynchronous?: boolean };
export type Member = { name: string; role: string; state: string; timeline?: number; lag?: number | string };

const NODES = 3;
const UP_MS = 120_000;
export const DATABASE = 'casino';
const OWNER = { name: 'croupier', password: 'of-croupier' };

/**
 * Starts three PostgreSQL servers under Patroni, with etcd, and HAProxy in front of them, from the files of deploy/ha. They run on the
 * loopback address, on free ports, in their own folder, as an unprivileged user. Resolves when there is a leader, a synchronous standby and
 * another standby.
 */
export async function startHaCluster(programs: Programs) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-ha-'));
  chmodSync(folder, 0o755);
  const daemons = createDaemons(folder);
  const addresses = await layOut(folder, daemons, programs);
  const env = nodeEnv(addresses.nodes[0]!, addresses);
  const etcd = daemons.start({ name: 'etcd', program: programs.etcd, args: [], env });
  await until(() => answers(`http://127.0.0.1:${addresses.etcd.client}/health`), UP_MS);
  const nodes = await Promise.all(
    addresses.nodes.map((_, i) => makeNode(i, { addresses, daemons, programs, folder })),
  );
  const [first, ...others] = nodes as [HaNode, ...HaNode[]];
  first.start();
  await until(async () => (await first.ask('GET', '/primary'))?.status === 200, UP_MS);
  const haproxy = daemons.start({
    name: 'haproxy',
    program: programs.haproxy,
    args: ['-db', '-f', join(HA, 'haproxy.cfg')],
    env,
  });
  for (const node of others) node.start();

  const at = (port: number, user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  const { primary, replicas, metrics } = addresses.haproxy;
  const adminAt = (port: number, database = 'postgres') =>
    at(port, 'postgres', PASSWORDS.superuser, database);
  const cluster = {
    folder,
    nodes,
    etcdPid: etcd.pid,
    archive: addresses.archive,
    postgresBin: addresses.postgresBin,
    /** The platform's database URL, which HAProxy routes to the current leader. */
    url: at(primary, OWNER.name, OWNER.password, DATABASE),
    readUrl: at(replicas, OWNER.name, OWNER.password, DATABASE),
    /** URL for base backups from a replica. */
    replicationUrl: at(replicas, 'replicator', PASSWORDS.replication, DATABASE),
    /** Returns the superuser's URL, through HAProxy or for one node. */
    adminUrl: (node?: HaNode, database?: string) => adminAt(node?.port ?? primary, database),
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    members: () => membersOf(nodes),
    leader: () => leaderOf(nodes),
    untilHealthy: (wellness: Wellness = {}): Promise<void> =>
      until(() => isHealthy({ nodes, url: adminAt(primary), ...wellness }), UP_MS),
    /** Returns true if HAProxy routes to a server that accepts writes. */
    takesWrites: () => takesWrites(adminAt(primary)),
    /** Changes Patroni's shared settings in etcd. */
    async configure(settings: object): Promise<void> {
      const reply = await (await leaderOf(nodes)).ask('PATCH', '/config', settings);
      if (reply?.status !== 200) throw new Error(`not configured: ${reply?.status}`);
    },
    /** Returns each server's last log lines. */
    story: (lines = 15) =>
      [...nodes.map((node) => tail(node.log(), lines)), tail(logOf(haproxy), lines)].join('\n---\n'),
    async stop({ keep = false } = {}): Promise<void> {
      await Promise.all(nodes.map((node) => node.stop()));
      await Promise.all([haproxy, etcd].map(stopDaemon));
      await Promise.all(nodes.flatMap(({ toEtcd, toApi }) => [toEtcd.stop(), toApi.stop()]));
      const left = daemons.left();
      daemons.killAll();
      if (!keep) rmSync(folder, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes of the cluster did not end: ${left.join()}`);
    },
  };
  try {
    await cluster.untilHealthy();
    await createDatabase(cluster.adminUrl());
  } catch (error) {
    console.error(cluster.story());
    daemons.killAll();
    throw error;
  }
  return cluster;
}

async function layOut(folder: string, daemons: Daemons, programs: Programs): Promise<Addresses> {
  const ports = await serverPorts(2 * NODES + 5);
  const take = () => ports.pop()!;
  const archive = daemons.makeFolder('archive');
  const script = join(folder, 'archive-wal');
  copyFileSync(join(HA, 'archive-wal'), script);
  chmodSync(script, 0o755);
  writeFileSync(join(folder, 'patroni.yml'), patroniSettings({ archiveCommand: `${script} "%p" "%f"` }));
  return {
    nodes: Array.from({ length: NODES }, (_, i) => {
      const name = `node${i + 1}`;
      return { name, postgres: take(), api: take(), dataDir: join(daemons.makeFolder(name), 'data') };
    }),
    etcd: { client: take(), peer: take(), dataDir: daemons.makeFolder('etcd') },
    haproxy: { primary: take(), replicas: take(), metrics: take() },
    archive,
    postgresBin: join(programs.postgres, '..'),
  };
}

async function makeNode(
  i: number,
  parts: { addresses: Addresses; daemons: Daemons; programs: Programs; folder: string },
): Promise<HaNode> {
  const { addresses, daemons, programs, folder } = parts;
  const address = addresses.nodes[i]!;
  const relayTo = (port: number) => startFaultProxy({ target: { host: '127.0.0.1', port } });
  const [toEtcd, toApi] = [await relayTo(addresses.etcd.client), await relayTo(address.api)];
  const env = {
    ...nodeEnv(address, addresses),
    // The test can cut connections to etcd, and from other nodes to this one. Patroni must therefore not discover other etcd addresses.
    PATRONI_ETCD_HOSTS: `127.0.0.1:${toEtcd.port}`,
    PATRONI_ETCD_USE_PROXIES: 'true',
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${toApi.port}`,
  };
  const patroni = asService(programs.patroni, join(folder, 'patroni.yml'));
  const launch = (): Daemon => daemons.start({ name: address.name, ...patroni, env });
  return createNode({ address, launch, toEtcd, toApi });
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Returns the nodes as reported by the first Patroni that responds. */
async function membersOf(nodes: readonly HaNode[]): Promise<Member[]> {
  for (const node of nodes) {
    const reply = await node.ask('GET', '/cluster');
    if (reply?.status === 200) return reply.body.members;
  }
  return [];
}

/** Waits for a node that reports itself as leader, and returns it. */
async function leaderOf(nodes: readonly HaNode[]): Promise<HaNode> {
  let leader: HaNode | undefined;
  await until(async () => {
    const replies = await Promise.all(nodes.map((node) => node.ask('GET', '/primary')));
    leader = nodes.find((_, i) => replies[i]?.status === 200);
    return leader !== undefined;
  }, UP_MS);
  return leader!;
}

const RUNNING: ReadonlySet<string> = new Set(['running', 'streaming']);

type Looked = Wellness & { nodes: readonly HaNode[]; url: string };

/**
 * Returns true if three members run on the same timeline without lag. One must be leader and one synchronous, and HAProxy must route to a
 * server that accepts writes.
 */
async function isHealthy({ nodes, url, isSynchronous = true }: Looked): Promise<boolean> {
  const members = await membersOf(nodes);
  const count = (role: string) => members.filter((member) => member.role === role).length;
  const isWell = ({ state, lag = 0 }: Member) => RUNNING.has(state) && Number(lag) < 1_000_000;
  return (
    members.length === NODES &&
    members.every(isWell) &&
    new Set(members.map(({ timeline }) => timeline)).size === 1 &&
    count('leader') === 1 &&
    count('sync_standby') === Number(isSynchronous) &&
    (await takesWrites(url))
  );
}

async function takesWrites(url: string): Promise<boolean> {
  return query<{ standby: boolean }>(url, 'select pg_is_in_recovery() as standby').then(
    ([row]) => row?.standby === false,
    () => false,
  );
}

/** Creates the platform's role and database, as an operator does. Adds a table for tests of a leader that resumes after a freeze. */
async function createDatabase(url: string): Promise<void> {
  await query(url, `create role ${OWNER.name} login password '${OWNER.password}'`);
  await query(url, `create database ${DATABASE} owner ${OWNER.name}`);
  await query(url, 'create table woken (mark bigint)');
}

/** Runs one statement on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  { timeoutMs = 20_000 } = {},
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: Math.min(timeoutMs, 3000),
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const logOf = ({ logFile }: Daemon) => readFileSync(logFile, 'utf8');

function tail(text: string, lines: number): string {
  return text.trim().split('\n').slice(-lines).join('\n');
}
