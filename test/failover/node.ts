import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../crash/client.ts';
import { childrenOf, isAlive, send } from '../crash/processes.ts';
import type { FaultProxy } from '../kit/processes/fault-proxy.ts';
import { type Daemon, freeze, killAtOnce, stopDaemon, withDescendants } from './daemons.ts';
import { type NodeAddress, PASSWORDS } from './settings.ts';

export type HaNode = ReturnType<typeof createNode>;
type Parts = {
  address: NodeAddress;
  /** Starts the node's Patroni. */
  launch: () => Daemon;
  /** Proxy between the node's Patroni and etcd. */
  toEtcd: FaultProxy;
  /** Proxy through which the Patroni of other nodes connects to this node's Patroni. HAProxy does not use the proxy. */
  toApi: FaultProxy;
};

/** One machine of the cluster: a Patroni with its PostgreSQL. */
export function createNode({ address, launch, toEtcd, toApi }: Parts) {
  const { name, dataDir } = address;
  let patroni: Daemon | undefined;
  let frozen: number[] = [];

  const postmaster = (): number | undefined => {
    const file = join(dataDir, 'postmaster.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : 0;
    return pid && isAlive(pid) ? pid : undefined;
  };
  const all = (): number[] => [patroni?.pid, postmaster()].filter((pid) => pid !== undefined);

  return {
    name,
    port: address.postgres,
    apiPort: address.api,
    toEtcd,
    toApi,
    start(): void {
      patroni = launch();
    },
    isUp: () => patroni !== undefined && isAlive(patroni.pid),
    /** Calls the node's Patroni. Returns undefined if it does not respond. */
    ask: (method: string, path: string, body?: object) =>
      call(method, `http://127.0.0.1:${address.api}${path}`, {
        ...(body && { body }),
        headers: { authorization: `Basic ${btoa(`patroni:${PASSWORDS.restapi}`)}` },
        timeoutMs: method === 'GET' ? 2000 : 60_000,
      }).catch(() => undefined),
    /** Simulates a power failure of the machine. */
    kill: () => killAtOnce(all()),
    /** Kills only PostgreSQL, with all its processes. */
    async killPostgres(): Promise<void> {
      await killAtOnce([postmaster()!]);
    },
    /** Freezes the machine without closing connections, like a hung hypervisor. */
    freeze(): void {
      frozen = freeze(all());
    },
    thaw(): void {
      for (const pid of frozen.splice(0)) send(pid, 'SIGCONT');
    },
    /** Restarts Patroni as systemd does. Patroni stops its PostgreSQL cleanly and is started again. */
    async restart(): Promise<void> {
      await stopDaemon(patroni!);
      patroni = launch();
    },
    /** Returns the processes that stream WAL to standbys. */
    walSenders: (): number[] => childrenOf(postmaster()!).filter((pid) => /walsender/.test(titleOf(pid))),
    async stop(): Promise<void> {
      for (const pid of all().flatMap(withDescendants)) send(pid, 'SIGCONT');
      if (patroni && isAlive(patroni.pid)) await stopDaemon(patroni);
    },
    log: () => (patroni ? readFileSync(patroni.logFile, 'utf8') : ''),
  };
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
