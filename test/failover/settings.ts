import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

export const HA = join(import.meta.dirname, '../../deploy/ha');

/** Settings for tests. `SOONER` replaces a dead leader sooner. `SMALL` limits memory use, because three large servers would not fit. */
const SOONER = { ttl: 10, retry_timeout: 3 };
const SMALL = { shared_buffers: '128MB', wal_keep_size: '512MB', max_wal_size: '2GB', max_connections: 200 };

/** Returns deploy/ha/patroni.yml with adjustments for one small machine. */
export function patroniSettings({ archiveCommand }: { archiveCommand: string }): string {
  const settings = parse(readFileSync(join(HA, 'patroni.yml'), 'utf8'));
  Object.assign(settings.bootstrap.dcs, SOONER);
  Object.assign(settings.bootstrap.dcs.postgresql.parameters, SMALL, { archive_command: archiveCommand });
  // There is no watchdog, because it would reset the test machine.
  settings.watchdog = { mode: 'off' };
  // Patroni reads YAML 1.1, in which on is a boolean unless it is quoted.
  return stringify(settings, { version: '1.1' });
}

export type NodeAddress = { name: string; postgres: number; api: number; dataDir: string };
export type Addresses = {
  nodes: readonly NodeAddress[];
  etcd: { client: number; peer: number; dataDir: string };
  haproxy: { primary: number; replicas: number; metrics: number };
  archive: string;
  postgresBin: string;
};
export const PASSWORDS = {
  superuser: 'of-the-superuser',
  replication: 'of-replication',
  rewind: 'of-rewind',
  restapi: 'of-patroni',
} as const;

const at = (port: number) => `127.0.0.1:${port}`;

/** Returns the environment of a node: exactly the names in deploy/ha/ha.env.example, with values for this machine. */
export function nodeEnv(node: NodeAddress, all: Addresses): Record<string, string> {
  const values: Record<string, string> = {
    PATRONI_NAME: node.name,
    PATRONI_POSTGRESQL_LISTEN: at(node.postgres),
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: at(node.postgres),
    PATRONI_POSTGRESQL_DATA_DIR: node.dataDir,
    PATRONI_POSTGRESQL_BIN_DIR: all.postgresBin,
    PATRONI_POSTGRESQL_PGPASS: `${node.dataDir}.pgpass`,
    PATRONI_RESTAPI_LISTEN: at(node.api),
    PATRONI_RESTAPI_CONNECT_ADDRESS: at(node.api),
    PATRONI_ETCD_HOSTS: at(all.etcd.client),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: PASSWORDS.superuser,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: PASSWORDS.replication,
    PATRONI_REWIND_USERNAME: 'rewinder',
    PATRONI_REWIND_PASSWORD: PASSWORDS.rewind,
    PATRONI_RESTAPI_USERNAME: 'patroni',
    PATRONI_RESTAPI_PASSWORD: PASSWORDS.restapi,
    WAL_ARCHIVE: all.archive,
    ...etcdEnv(all),
    ...haproxyEnv(all),
  };
  const names = exampleNames();
  const wrong = [...names, ...Object.keys(values)].filter(
    (name) => !names.includes(name) || values[name] === undefined,
  );
  if (wrong.length > 0) throw new Error(`deploy/ha/ha.env.example and the test kit differ in ${wrong}`);
  return values;
}

function etcdEnv({ etcd }: Addresses): Record<string, string> {
  const [client, peer] = [`http://${at(etcd.client)}`, `http://${at(etcd.peer)}`];
  return {
    ETCD_NAME: 'etcd',
    ETCD_DATA_DIR: etcd.dataDir,
    ETCD_LISTEN_PEER_URLS: peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
    ETCD_LISTEN_CLIENT_URLS: client,
    ETCD_ADVERTISE_CLIENT_URLS: client,
    ETCD_ENABLE_V2: 'true',
    ETCD_INITIAL_CLUSTER: `etcd=${peer}`,
    ETCD_INITIAL_CLUSTER_TOKEN: 'croupier',
    ETCD_INITIAL_CLUSTER_STATE: 'new',
  };
}

function haproxyEnv({ haproxy, nodes }: Addresses): Record<string, string> {
  const ofNodes = nodes.flatMap(({ postgres, api }, i) => [
    [`NODE${i + 1}_HOST`, '127.0.0.1'],
    [`NODE${i + 1}_POSTGRES`, at(postgres)],
    [`NODE${i + 1}_API_PORT`, String(api)],
  ]);
  return {
    HAPROXY_PRIMARY: at(haproxy.primary),
    HAPROXY_REPLICAS: at(haproxy.replicas),
    HAPROXY_METRICS: at(haproxy.metrics),
    ...Object.fromEntries(ofNodes),
  };
}

function exampleNames(): string[] {
  const text = readFileSync(join(HA, 'ha.env.example'), 'utf8');
  return [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);
}
