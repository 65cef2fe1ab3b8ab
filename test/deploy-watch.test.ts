/** Compares the files for Prometheus, Alertmanager and Grafana with the platform's metrics. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startWorker } from '../src/app/worker.ts';
import { PATRONI_METRICS } from './failover/metrics.ts';
import { startApp } from './kit/app.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DEPLOY = join(ROOT, 'deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};
const rulesOf = (file: string) =>
  (parse(read(file)) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
const common = rulesOf('prometheus/alerts.yml');
const rules = [...common, ...rulesOf('ha/prometheus/alerts.yml')];
type Target = { targets: string[]; labels?: Record<string, string> };
const targetsIn = (file: string) => parse(read(`prometheus/${file}`)) as Target[];
const config = parse(read('prometheus/prometheus.yml'));
type Service = { profiles?: string[]; environment?: object; volumes?: string[]; command?: string[] };
const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };

const database = fixture(createTestDatabase);
const app = fixture(() => startApp({ part: 'worker', database, env: { DATABASE_READ_URL: database.url } }));

/** Metrics in the files that come from the node exporter, the blackbox exporter and Prometheus itself. */
const EXPORTED = [
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'probe_ssl_earliest_cert_expiry',
  'probe_success',
  'up',
];

/** Returns the names of the metrics in a Prometheus expression. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, '')
    .replace(/\b(and|or|unless)\b/g, '')
    .replace(/\b(by|without|on|ignoring) \([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_][a-z0-9_:]*(?!\w)(?!\s*\()/gi)].map(([name]) => name);
}

/** Returns every metric that a part registers. The realtime process registers some of them only when it starts to serve. */
const parts = fixture(async () => {
  const { registry } = app.services.metrics;
  await startWorker(app.services, database.url).close();
  const realtime = readFileSync(join(ROOT, 'src/realtime/server.ts'), 'utf8');
  return {
    registered: [
      ...registry.getMetricsAsArray().map(({ name }) => name),
      ...[...realtime.matchAll(/\.watch\(\s*'(\w+)'/g)].map(([, name]) => name!),
    ],
  };
});

test('gives every metric the prefix, and uses no label that is reserved for Prometheus', async () => {
  const own = parts.registered.filter((name) => !/^(process|nodejs)_/.test(name));
  expect(own.length).toBeGreaterThan(60);
  expect(own.filter((name) => !name.startsWith('croupier_'))).toEqual([]);
  const text = await app.services.metrics.registry.metrics();
  expect(text).not.toMatch(/[{,](job|instance)="/);
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
    expect(line).toContain('part="worker"');
});

test('uses only metrics that a service or a listed exporter provides', () => {
  const known = new Set([
    ...parts.registered.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
    ...EXPORTED,
    ...PATRONI_METRICS,
  ]);
  const shown = JSON.parse(read('grafana/croupier.json')) as { panels: { targets?: { expr: string }[] }[] };
  const expressions = [
    ...shown.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...rules.map(({ expr }) => expr),
  ];
  const names = new Set(expressions.flatMap(metricsIn));
  expect(names.size).toBeGreaterThan(40);
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
  expect(EXPORTED.filter((name) => !names.has(name))).toEqual([]);
});

test('links every alert to its section in the runbooks, and has no section without an alert', () => {
  const sections = [
    ...readFileSync(join(ROOT, 'docs/operations/runbooks.md'), 'utf8').matchAll(/^### (\w+)\n\n(.+)$/gm),
  ];
  const anchors = sections.map(([, name]) => name!.toLowerCase());
  expect(new Set(anchors).size).toBe(anchors.length);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, annotations, labels } of rules) {
    expect(annotations.runbook_url).toBe(
      `file:///opt/croupier/docs/operations/runbooks.md#${alert.toLowerCase()}`,
    );
    expect(['page', 'warn']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\.$/);
  }
  expect(new Set(anchors)).toEqual(new Set(rules.map(({ alert }) => alert.toLowerCase())));
});

test('monitors disks, archive, backups, certificates, slots, connections and stuck payments', () => {
  const watched = new Set(common.flatMap(({ expr }) => metricsIn(expr)));
  expect([...watched]).toEqual(
    expect.arrayContaining([
      'node_filesystem_avail_bytes',
      'croupier_db_archive_failing',
      'croupier_backup_age_seconds',
      'probe_ssl_earliest_cert_expiry',
      'croupier_db_slot_retained_bytes',
      'croupier_db_connections',
      'croupier_withdrawals_open',
      'croupier_deposits_under_review_oldest_seconds',
    ]),
  );
});

test("loads the cluster's alerts and targets only when the cluster's files are used", () => {
  expect(config.rule_files).toEqual(['alerts.yml', 'cluster/alerts*.yml']);
  expect(common.filter(({ expr }) => /patroni|haproxy/.test(expr))).toEqual([]);
  expect(readdirSync(join(DEPLOY, 'prometheus/cluster'))).toEqual(['.gitkeep']);
  for (const job of config.scrape_configs) {
    expect(job.static_configs, job.job_name).toBeUndefined();
    const [{ files }] = job.file_sd_configs;
    const isCluster = job.job_name === 'patroni' || job.job_name === 'haproxy';
    expect(files, job.job_name).toEqual([expect.stringMatching(isCluster ? /^cluster\// : /^targets\//)]);
  }
  expect(readdirSync(join(DEPLOY, 'ha/prometheus'))).toEqual(['alerts.yml', 'haproxy.yml', 'patroni.yml']);
});

test('scrapes every process and the same exporters in both deployments', () => {
  const inCompose = Object.entries(services).flatMap(([name, { command = [], environment = {} }]) => {
    const port = Object.entries(environment).find(([setting]) => /^(\w+_)?PORT$/.test(setting))?.[1];
    return command[0] === 'src/bin/part.ts' ? [`${command[1]} ${name}:${port}`] : [];
  });
  const units = read('systemd/croupier.target').matchAll(/croupier-(\w+)@(\d+)\.service/g);
  const inUnits = [...units].map(([, part, port]) => `${part} 127.0.0.1:${port}`);
  const [, port] = /BACKOFFICE_PORT=(\d+)/.exec(read('systemd/croupier-backoffice.service'))!;
  const targets = (folder: string) =>
    targetsIn(`${folder}/parts.yml`).flatMap((one) => one.targets.map((at) => `${one.labels?.part} ${at}`));
  expect(targets('targets').sort()).toEqual(inCompose.sort());
  expect(targets('targets-systemd').sort()).toEqual([...inUnits, `backoffice 127.0.0.1:${port}`].sort());
  const others = readdirSync(join(DEPLOY, 'prometheus/targets')).filter((file) => file !== 'parts.yml');
  expect(readdirSync(join(DEPLOY, 'prometheus/targets-systemd')).sort()).toEqual(
    [...others, 'parts.yml'].sort(),
  );
  for (const file of others) {
    const ports = (folder: string) =>
      targetsIn(`${folder}/${file}`).map(({ targets: [at] }) => at!.split(':')[1]);
    expect(ports('targets-systemd')).toEqual(ports('targets'));
    for (const {
      targets: [at],
    } of targetsIn(`targets/${file}`))
      expect(services[at!.split(':')[0]!]?.profiles, at).toEqual(['watch']);
  }
});

test('probes the addresses that the proxy serves to the public', () => {
  const served = [...read('nginx/nginx.conf').matchAll(/^\s*server_name (\S+);/gm)].map(([, name]) => name!);
  for (const folder of ['targets', 'targets-systemd'])
    expect(targetsIn(`${folder}/public.yml`).map(({ labels }) => labels!.instance)).toEqual(
      served.filter((name) => !name.startsWith('backoffice')),
    );
});

test("configures Grafana's data source, and the dashboard from the mounted file", () => {
  const { volumes = [], environment } = services.grafana!;
  const [source] = parse(read('grafana/provisioning/datasources/prometheus.yml')).datasources;
  expect(environment).toEqual({ PROMETHEUS_URL: 'http://prometheus:9090' });
  expect(source).toMatchObject({ type: 'prometheus', url: '$PROMETHEUS_URL', isDefault: true });
  const [provider] = parse(read('grafana/provisioning/dashboards/croupier.yml')).providers;
  expect(volumes).toContain(`./grafana/croupier.json:${provider.options.path}/croupier.json:ro`);
  expect(volumes).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro');
});

test('sends every severity to a receiver, and mutes only alerts that exist', () => {
  const { route, receivers, inhibit_rules } = parse(read('alertmanager/alertmanager.yml'));
  const names = receivers.map(({ name }: { name: string }) => name);
  expect(names).toContain(route.receiver);
  expect(route.routes).toMatchObject([{ matchers: ['severity = page'], receiver: 'page' }]);
  expect(names).toContain('page');
  const known = new Set(rules.map(({ alert }) => alert));
  for (const { source_matchers, target_matchers } of inhibit_rules)
    for (const matcher of [...source_matchers, ...target_matchers] as string[])
      for (const [name] of matcher.replace(/^alertname/, '').matchAll(/\w+/g))
        expect(known.has(name), name).toBe(true);
});

test('creates the token file of Prometheus with the documented commands', async () => {
  const guide = readFileSync(join(ROOT, 'docs/operations/watching.md'), 'utf8');
  const commands = [...guide.matchAll(/^ *(sed -n 's\/\^METRICS_TOKEN=.*)$/gm)].map(([, line]) => line!);
  expect(commands).toHaveLength(2);
  const [file] = [config.scrape_configs[0].authorization.credentials_file];
  for (const command of commands) {
    const folder = mkdtempSync(join(tmpdir(), 'croupier-token-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const place of ['deploy/prometheus', 'etc/croupier', 'etc/prometheus'])
      mkdirSync(join(folder, place), { recursive: true });
    for (const settings of ['deploy/croupier.env', 'etc/croupier/croupier.env'])
      writeFileSync(join(folder, settings), 'SITE_ORIGINS=x\nMETRICS_TOKEN=a-token+of/some=length\n');
    execFileSync('sh', ['-c', command.replaceAll(/([ >])\/etc\//g, '$1etc/')], { cwd: folder });
    const written = ['deploy/prometheus/metrics-token', file.slice(1)].filter((at) =>
      existsSync(join(folder, at)),
    );
    expect(written.map((at) => readFileSync(join(folder, at), 'utf8'))).toEqual(['a-token+of/some=length']);
  }
  expect(services.prometheus!.volumes).toContain('./prometheus:/etc/prometheus:ro');
});
