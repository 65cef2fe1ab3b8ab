import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { createPartApp, PARTS, type PartName } from '../src/apps.ts';
import { settings } from '../src/platform/settings.ts';
import { AREAS } from '../src/services.ts';
import { PATRONI_METRICS } from './failover/metrics.ts';
import { startApp } from './kit/app.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const ROOT = resolve(DEPLOY, '..');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const PORTS = {
  api: 'PORT',
  backoffice: 'BACKOFFICE_PORT',
  realtime: 'REALTIME_PORT',
  worker: 'WORKER_PORT',
} satisfies Record<PartName, keyof typeof settings>;

type Service = {
  command?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
};
type Compose = { services: Record<string, Service>; volumes: object; networks: object };
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
/** Services of compose that are a part, with its name and port. */
const parts = Object.entries(compose.services).flatMap(([name, service]) => {
  const [file, part] = service.command ?? [];
  if (file !== 'src/bin/part.ts') return [];
  return [
    { name, part: part as PartName, port: Number(service.environment?.[PORTS[part as PartName]]), service },
  ];
});
const addresses = parts.map(({ name, port }) => `${name}:${port}`);

const database = fixture(createTestDatabase);
const app = fixture(() => startApp({ part: 'worker', database, env: { DATABASE_READ_URL: database.url } }));

/** Not the platform's: of the C library, of the shell. */
const FOREIGN = new Set(['MALLOC_ARENA_MAX', 'NODE_ENV', 'POSTGRES_PASSWORD']);
const unknown = (names: readonly string[]) =>
  names.filter((name) => !Object.hasOwn(settings, name) && !FOREIGN.has(name));

test('every setting that is named is one', () => {
  const env = [...read('croupier.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!);
  expect(env.length).toBeGreaterThan(12);
  const units = readdirSync(join(DEPLOY, 'systemd')).flatMap((file) =>
    [...read(`systemd/${file}`).matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs]) =>
      pairs!.split(' ').map((pair) => pair.split('=')[0]!),
    ),
  );
  const services = Object.values(compose.services).filter(({ command }) => command?.[0]?.startsWith('src/'));
  const containers = services.flatMap(({ environment = {} }) => Object.keys(environment));
  const image = [...read('Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs]) =>
    pairs!.split(' ').map((pair) => pair.split('=')[0]!),
  );
  expect(unknown([...env, ...units, ...containers, ...image])).toEqual([]);
});

test('the deployment guide names every setting that is required or that switches something on', () => {
  const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const configuration = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const required = [...configuration.matchAll(/^\| `(\w+)`<br>\*\*required/gm)].map(([, name]) => name!);
  expect(required.length).toBeGreaterThan(8);
  for (const name of required)
    expect(read('croupier.env.example'), name).toMatch(new RegExp(`^${name}=`, 'm'));
  const switches = Object.entries<z.ZodType>(settings).flatMap(([name, { description = '' }]) =>
    /Absent elsewhere|without one there/i.test(description) ? [name] : [],
  );
  expect(switches).toEqual(expect.arrayContaining(['PUBLIC_CHAIN_URL', 'SKINS_API_URL', 'KYC_PROVIDER']));
  for (const name of [...required, ...switches])
    expect(operations, name).toMatch(new RegExp(`\\b${name}\\b`));
});

test('every unit of systemd starts a program that is there, and the target wants units that are there', () => {
  const files = readdirSync(join(DEPLOY, 'systemd'));
  const started = new Set<string>();
  for (const file of files.filter((name) => name.endsWith('.service'))) {
    const text = read(`systemd/${file}`);
    const [, program, part] =
      /^ExecStart=\/opt\/croupier\/node_modules\/\.bin\/node \/opt\/croupier\/(\S+)(?: (\S+))?$/m.exec(text)!;
    expect(existsSync(join(ROOT, program!)), `${file}: ${program}`).toBe(true);
    if (part !== undefined) {
      expect(Object.keys(PARTS)).toContain(part);
      expect(text).toMatch(new RegExp(`\\b${PORTS[part as PartName]}=`));
      started.add(part);
    }
    const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? [];
    if (stop) expect(Number(stop) * 1000).toBeGreaterThan(Number(settings.SHUTDOWN_MS.parse(undefined)));
  }
  expect(started).toEqual(new Set(Object.keys(PARTS)));
  const wanted = [...read('systemd/croupier.target').matchAll(/croupier-\S+\.service/g)].map(
    ([name]) => name,
  );
  for (const name of wanted) expect(files).toContain(name.replace(/@\d+/, '@'));
  const ports = wanted.flatMap((name) => /@(\d+)/.exec(name)?.[1] ?? []);
  expect(new Set(ports).size).toBe(ports.length);
});

test('compose runs every part, each behind a health check that answers', async () => {
  expect(new Set(parts.map(({ part }) => part))).toEqual(new Set(Object.keys(PARTS)));
  for (const part of ['api', 'realtime', 'worker'] as const)
    expect(parts.filter((one) => one.part === part)).toHaveLength(2);
  for (const { name, part, port, service } of parts) {
    const [, asked, path] = /http:\/\/127\.0\.0\.1:(\d+)(\/[a-z/]*)/.exec(service.healthcheck!.test.at(-1)!)!;
    expect([name, Number(asked)]).toEqual([name, port]);
    const served = await createPartApp(part, app.services);
    const answer = await served.inject({ url: path! });
    expect([name, path, answer.statusCode]).toEqual([name, path, 200]);
    await served.close();
    expect(service.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  }
  expect(existsSync(join(ROOT, compose.services.migrate!.command![0]!))).toBe(true);
});

test('proxy and Prometheus name processes that compose runs', () => {
  const upstreams = [...read('nginx/nginx.conf').matchAll(/^\s*server ([\w-]+:\d+)/gm)].map(
    ([, address]) => address!,
  );
  const config = parse(read('prometheus/prometheus.yml')) as {
    scrape_configs: {
      metrics_path: string;
      static_configs: { targets: string[]; labels: { part: PartName } }[];
    }[];
  };
  const groups = config.scrape_configs[0]!.static_configs;
  for (const address of upstreams) expect(addresses).toContain(address);
  expect(new Set(upstreams)).toEqual(new Set(addresses.filter((address) => !address.startsWith('worker'))));
  expect(groups.flatMap(({ targets }) => targets).sort()).toEqual([...addresses].sort());
});

/** Names of the metrics in an expression of Prometheus. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, '')
    .replace(/\b(and|or|unless)\b/g, '')
    .replace(/\b(by|without|on|ignoring) \([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_][a-z0-9_:]*(?!\w)(?!\s*\()/gi)].map(([name]) => name);
}

test('every metric of the dashboard and of the alerts is one that a process has', async () => {
  const { registry } = app.services.metrics;
  for (const area of AREAS) area.watch?.(app.services);
  const registered = new Set(
    registry
      .getMetricsAsArray()
      .flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
  // What a part registers only where it serves.
  for (const file of ['src/realtime/server.ts', 'src/worker.ts'])
    for (const [, watched, figure] of readFileSync(join(ROOT, file), 'utf8').matchAll(
      /\.watch\(\s*'(\w+)'|^ {4,}(\w+): '/gm,
    ))
      registered.add((watched ?? figure)!);
  // Of Prometheus itself.
  registered.add('up');
  for (const name of PATRONI_METRICS) registered.add(name);
  const shown = JSON.parse(read('grafana/croupier.json')) as { panels: { targets?: { expr: string }[] }[] };
  const rules = parse(read('prometheus/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const expressions = [
    ...shown.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  ];
  const names = new Set(expressions.flatMap(metricsIn));
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !registered.has(name))).toEqual([]);
});
