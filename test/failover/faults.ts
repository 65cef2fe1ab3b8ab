import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../crash/processes.ts';
import type { FaultProxy } from '../kit/processes/fault-proxy.ts';
import { until } from '../kit/until.ts';
import { type HaCluster, query } from './cluster.ts';
import { freeze } from './daemons.ts';
import type { HaNode } from './node.ts';

/** Longer than the time to live (ttl) of the leader's key in etcd, as set for these tests. */
const BEYOND_TTL_MS = 14_000;
const AWAY_MS = 4000;
const WRITES_MS = 5000;
const TAKEN_OVER_MS = 120_000;

/** Causes a fault and repairs it. Returns the observed effects that must never occur. */
export type Fault = (ha: HaCluster) => Promise<string[]>;
export type FaultName = keyof typeof FAULTS;

const none = (): string[] => [];

export const FAULTS = {
  /** The leader's machine loses power. It starts again when another node is leader. */
  async machine(ha) {
    const leader = await ha.leader();
    await leader.kill();
    await anotherLeads(ha, leader);
    leader.start();
    return none();
  },

  /** Only the leader's PostgreSQL dies. Patroni restarts it in place. */
  async postgres(ha) {
    await (await ha.leader()).killPostgres();
    return none();
  },

  /** The leader's machine freezes for longer than the ttl of its key. Afterwards it still considers itself leader. */
  async frozen(ha) {
    const leader = await ha.leader();
    leader.freeze();
    try {
      await Promise.all([anotherLeads(ha, leader), sleep(BEYOND_TTL_MS)]);
    } finally {
      leader.thaw();
    }
    return writesOfWoken(ha, leader);
  },

  /** The leader and etcd cannot reach each other. All other connections work. */
  async cut(ha) {
    const { toEtcd } = await ha.leader();
    await silence([toEtcd], () => sleep(BEYOND_TTL_MS));
    return none();
  },

  /** No node can reach etcd. The leader stays while it reaches every other node. */
  async etcd(ha) {
    freeze([ha.etcdPid]);
    try {
      await sleep(BEYOND_TTL_MS);
    } finally {
      send(ha.etcdPid, 'SIGCONT');
    }
    return none();
  },

  /** The leader's Patroni reaches neither etcd nor the other nodes. Clients still reach its PostgreSQL. */
  async isolated(ha) {
    const leader = await ha.leader();
    const others = ha.nodes.filter((node) => node !== leader).map(({ toApi }) => toApi);
    await silence([leader.toEtcd, ...others], async () => {
      await Promise.all([anotherLeads(ha, leader), sleep(BEYOND_TTL_MS)]);
    });
    return none();
  },

  /**
   * A planned switchover, as an operator does before maintenance of the leader's machine. Restarting the leader makes the synchronous
   * standby take over.
   */
  async switchover(ha) {
    const leader = await ha.leader();
    await query(ha.adminUrl(leader), 'checkpoint');
    await leader.restart();
    await ha.untilHealthy();
    return (await ha.leader()) === leader ? [`${leader.name} was restarted and leads again`] : none();
  },

  /** A planned switchover requested from Patroni over HTTP, which is slower. */
  async requested(ha) {
    const leader = await ha.leader();
    const reply = await leader.ask('POST', '/switchover', { leader: leader.name });
    if (reply?.status !== 200)
      return [`the switchover was answered ${reply?.status} ${JSON.stringify(reply?.body)}`];
    return none();
  },

  /** The synchronous standby's machine is down for a while. */
  async replica(ha) {
    const members = await ha.members();
    const { name } = members.find(({ role }) => role === 'sync_standby')!;
    const node = ha.nodes.find((each) => each.name === name)!;
    await node.kill();
    await sleep(AWAY_MS);
    node.start();
    return none();
  },
} as const satisfies Record<string, Fault>;

async function anotherLeads(ha: HaCluster, former: HaNode): Promise<void> {
  await until(async () => (await ha.leader()) !== former, TAKEN_OVER_MS);
}

/** Blocks connections while `work` runs. Data that is sent in the meantime arrives afterwards. */
async function silence(ways: readonly FaultProxy[], work: () => Promise<void>): Promise<void> {
  for (const way of ways) way.mode('black-hole');
  try {
    await work();
  } finally {
    for (const way of ways) way.mode('pass');
  }
}

/**
 * Writes directly to a former leader that resumes, until it notices that it is no longer leader. Writes that it acknowledged must exist in
 * the current cluster.
 */
async function writesOfWoken(ha: HaCluster, woken: HaNode): Promise<string[]> {
  const acknowledged: number[] = [];
  const began = Date.now();
  for (let mark = began; Date.now() - began < WRITES_MS; mark++, await sleep(10)) {
    const statement = `insert into woken values (${mark})`;
    const isTaken = await query(ha.adminUrl(woken), statement, { timeoutMs: 1000 }).then(
      () => true,
      () => false,
    );
    if (isTaken) acknowledged.push(mark);
  }
  await ha.untilHealthy();
  const rows = await query<{ mark: string }>(ha.adminUrl(), 'select mark from woken');
  const there = new Set(rows.map(({ mark }) => Number(mark)));
  const lost = acknowledged.filter((mark) => !there.has(mark)).length;
  return lost > 0 ? [`${woken.name} was woken, acknowledged ${lost} rows and lost them`] : none();
}
