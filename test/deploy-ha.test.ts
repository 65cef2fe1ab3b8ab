import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { nodeEnv } from './failover/settings.ts';

const ROOT = resolve(import.meta.dirname, '..');
const HA = join(ROOT, 'deploy/ha');
const read = (file: string) => readFileSync(join(HA, file), 'utf8');
const example = [...read('ha.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);

type Service = { environment: Record<string, string | number>; command: string[]; ports?: string[] };
const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
const patroni = parse(read('patroni.yml'));
const settings = patroni.bootstrap.dcs;

test('uses the same setting names in the example, the containers, HAProxy and the test cluster', () => {
  expect(new Set(example).size).toBe(example.length);
  const containers = Object.values(services).flatMap(({ environment }) => Object.keys(environment));
  expect(new Set(containers)).toEqual(new Set(example));
  const asked = [...read('haproxy.cfg').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
  expect(new Set(asked)).toEqual(new Set(Object.keys(services.haproxy!.environment)));
  const address = (i: number) => ({ name: `node${i}`, postgres: i, api: i, dataDir: '/data' });
  const addresses = {
    nodes: [1, 2, 3].map(address),
    etcd: { client: 4, peer: 5, dataDir: '/etcd' },
    haproxy: { primary: 6, replicas: 7, metrics: 8 },
    archive: '/archive',
    postgresBin: '/bin',
  };
  expect(new Set(Object.keys(nodeEnv(address(1), addresses)))).toEqual(new Set(example));
});

test('configures Patroni to acknowledge no write that only one node has stored', () => {
  expect(settings).toMatchObject({
    synchronous_mode: true,
    synchronous_mode_strict: true,
    failsafe_mode: true,
  });
  expect(settings.loop_wait).toBeGreaterThan(1);
  expect(settings.loop_wait + 2 * settings.retry_timeout).toBeLessThanOrEqual(settings.ttl);
  const { parameters } = settings.postgresql;
  expect(parameters).toMatchObject({ synchronous_commit: 'on', wal_log_hints: 'on', archive_mode: 'on' });
  expect(parameters).not.toHaveProperty('fsync');
  expect(parameters).not.toHaveProperty('full_page_writes');
  expect(example).toContain('PATRONI_ETCD_HOSTS');
  expect(example.filter((name) => name.startsWith('PATRONI_ETCD3'))).toEqual([]);
  expect(read('ha.env.example')).toMatch(/^ETCD_ENABLE_V2=true$/m);
  expect(Object.keys(patroni)).not.toContain('etcd3');
  const [program] = parameters.archive_command.split(' ');
  expect(program).toBe('/opt/croupier/deploy/ha/archive-wal');
});

test('routes HAProxy to the current leader on every node, and closes sessions to a former leader', () => {
  const [, primary] = /listen primary\n([\s\S]*?)\n\n/.exec(read('haproxy.cfg'))!;
  expect(primary).toContain('option httpchk OPTIONS /primary');
  expect(primary!.match(/server node\d/g)).toEqual(['server node1', 'server node2', 'server node3']);
  expect(read('haproxy.cfg')).toMatch(/default-server .*on-marked-down shutdown-sessions/);
});

test("loads the node's settings in the systemd units, which refer to existing files", () => {
  const units = readdirSync(join(HA, 'systemd'));
  expect(units).toEqual(['croupier-etcd.service', 'croupier-haproxy.service', 'croupier-patroni.service']);
  for (const unit of units) {
    const text = read(`systemd/${unit}`);
    expect(text).toMatch(/^EnvironmentFile=\/etc\/croupier\/ha\.env$/m);
    const files = [...text.matchAll(/\/opt\/croupier\/(\S+)/g)].map(([, file]) => file!);
    for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
  }
});

test('runs three nodes and three etcd members in containers, which refer to existing files', () => {
  const named = (prefix: string) => Object.keys(services).filter((name) => name.startsWith(prefix));
  expect([named('node').length, named('etcd').length]).toEqual([3, 3]);
  const files = Object.values(services).flatMap(({ command }) =>
    command.filter((word) => word.startsWith('/opt')),
  );
  expect(new Set(files).size).toBe(2);
  for (const file of files) expect(existsSync(file.replace('/opt/croupier', ROOT)), file).toBe(true);
  for (const name of named('node')) {
    const { environment } = services[name]!;
    expect(environment.PATRONI_NAME).toBe(name);
    expect(environment.PATRONI_RESTAPI_CONNECT_ADDRESS).toBe(`${name}:8008`);
  }
});

test('configures Prometheus to scrape every node and HAProxy at their listen addresses', () => {
  const targets = (file: string): string[] => parse(read(`prometheus/${file}`))[0].targets;
  const nodes = Object.values(services).flatMap(
    ({ environment }) => environment.PATRONI_RESTAPI_CONNECT_ADDRESS ?? [],
  );
  expect(targets('patroni.yml')).toEqual(nodes);
  const { HAPROXY_METRICS } = services.haproxy!.environment;
  expect(targets('haproxy.yml')).toEqual([String(HAPROXY_METRICS).replace('0.0.0.0', 'haproxy')]);
});

test('archives a log segment once, accepts the same segment again, and never replaces it with a different one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [archive, piece] = [join(folder, 'archive'), join(folder, 'piece')];
  execFileSync('mkdir', [archive]);
  const put = (text: string) => {
    writeFileSync(piece, text);
    const env = { PATH: process.env.PATH, WAL_ARCHIVE: archive };
    const { status, stderr } = spawnSync(join(HA, 'archive-wal'), [piece, '000000010000000000000001'], {
      env,
    });
    return { isTaken: status === 0, said: String(stderr) };
  };
  const kept = () => readFileSync(join(archive, '000000010000000000000001'), 'utf8');
  expect(put('first').isTaken).toBe(true);
  expect(put('first').isTaken).toBe(true);
  const other = put('other');
  expect(other.isTaken).toBe(false);
  expect(other.said).toContain('is there and differs');
  expect(kept()).toBe('first');
  expect(readdirSync(archive)).toEqual(['000000010000000000000001']);
  rmSync(archive, { recursive: true });
  expect(put('first').isTaken).toBe(false);
});
