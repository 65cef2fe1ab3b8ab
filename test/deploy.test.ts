import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { createPartApp, PARTS, type PartName } from '../src/app/apps.ts';
import { settings } from '../src/platform/config/sections.ts';
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
  build?: { args?: Record<string, string> };
  command?: string[];
  volumes?: string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
  networks?: string[] | object;
  hostname?: string;
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
  logging?: { driver: string; options: Record<string, string> };
};
type Compose = { services: Record<string, Service>; volumes: object; networks: object };
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
/** Compose services that run a part, with its name and port. */
const parts = Object.entries(compose.services).flatMap(([name, service]) => {
  const [file, part] = service.command ?? [];
  if (file !== 'src/bin/part.ts') return [];
  return [
    { name, part: part as PartName, port: Number(service.environment?.[PORTS[part as PartName]]), service },
  ];
});
const addresses = parts.map(({ name, port }) => `${name}:${port}`);

const database = fixture(createTestDatabase);
const app = fixture(() => startApp({ part: 'worker', database }));

/** Settings of the C library and the shell, not of the platform. */
const FOREIGN = new Set(['BACKUP_OPTIONS', 'MALLOC_ARENA_MAX', 'NODE_ENV', 'POSTGRES_PASSWORD']);
const unknown = (names: readonly string[]) =>
  names.filter((name) => !Object.hasOwn(settings, name) && !FOREIGN.has(name));

test('uses only settings that exist', () => {
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

test('lists every setting that is required or enables a feature in the deployment guide', () => {
  const operations = readFileSync(join(ROOT, 'docs/operations/deploy.md'), 'utf8');
  const configuration = readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8');
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

test('gives a shell the same settings as the systemd units', () => {
  const script = 'set -a; . "$0"; exec env -0';
  const file = join(DEPLOY, 'croupier.env.example');
  const inShell = execFileSync('sh', ['-euc', script, file], { encoding: 'utf8', env: {} }).split('\0');
  const example = Object.entries(parseEnv(read('croupier.env.example')));
  expect(inShell).toEqual(expect.arrayContaining(example.map(([name, value]) => `${name}=${value}`)));
});

test('gives the realtime processes the host names to which the proxy forwards', () => {
  const { REALTIME_URL } = parseEnv(read('croupier.env.example'));
  const [, server] = /server_name (\S+);(?:(?!server_name)[\s\S])*proxy_pass http:\/\/realtime;/.exec(
    read('nginx/nginx.conf'),
  )!;
  expect(REALTIME_URL).toBe(`https://${server}`);
});

test('builds the image with the commit, and gives PostgreSQL the same settings in both deployments', () => {
  const args = Object.keys(compose.services.migrate!.build!.args!);
  expect(args).toEqual([...read('Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name]) => name));
  const inCompose = compose.services.database!.command!.filter((word) => word.includes('='));
  const inFile = [...read('postgresql/croupier.conf').matchAll(/^(\w+) = (\S+)$/gm)];
  expect(inFile.map(([, name, value]) => `${name}=${value}`)).toEqual(inCompose);
});

const COMMANDS = readdirSync(join(ROOT, 'src/bin/commands'));

test('starts only existing programs in the systemd units, and only existing units in the target', () => {
  const files = readdirSync(join(DEPLOY, 'systemd'));
  const started = new Set<string>();
  for (const file of files.filter((name) => name.endsWith('.service'))) {
    const text = read(`systemd/${file}`);
    if (file === 'croupier-balancer.service') continue;
    const [, program, part] =
      /^ExecStart=\/opt\/croupier\/node_modules\/\.bin\/node \/opt\/croupier\/(\S+) ([\w-]+)/m.exec(text)!;
    expect(existsSync(join(ROOT, program!)), `${file}: ${program}`).toBe(true);
    if (program === 'src/bin/croupier.ts') expect(COMMANDS, file).toContain(`${part}.ts`);
    else {
      expect(Object.keys(PARTS)).toContain(part);
      expect(text).toMatch(new RegExp(`\\b${PORTS[part as PartName]}=`));
      started.add(part!);
    }
  }
  expect(started).toEqual(new Set(Object.keys(PARTS)));
  const wanted = [...read('systemd/croupier.target').matchAll(/croupier-\S+\.service/g)].map(
    ([name]) => name,
  );
  for (const name of wanted) expect(files).toContain(name.replace(/@\d+/, '@'));
  const ports = wanted.flatMap((name) => /@(\d+)/.exec(name)?.[1] ?? []);
  expect(new Set(ports).size).toBe(ports.length);
});

test('runs every service in compose with a working health check', async () => {
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

test('gives a stopping process enough time to drain and finish in both deployments', () => {
  const [, drain] = /^SHUTDOWN_DRAIN_MS=(\d+)$/m.exec(read('croupier.env.example'))!;
  const neededMs = Number(drain) + Number(settings.SHUTDOWN_MS.parse(undefined)) + 2000;
  const units = readdirSync(join(DEPLOY, 'systemd')).filter((name) =>
    /-(api|backoffice|realtime|worker)\W/.test(name),
  );
  expect(units).toHaveLength(4);
  for (const unit of units) {
    const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(read(`systemd/${unit}`)) ?? [];
    expect(Number(stop) * 1000, unit).toBeGreaterThanOrEqual(neededMs);
  }
  for (const { name, service } of parts)
    expect(Number.parseInt(String(service.stop_grace_period), 10) * 1000, name).toBeGreaterThanOrEqual(
      neededMs,
    );
  // The balancer detects a stopped process after at most `inter`, plus `fastinter` and the timeout for each further check.
  const balancer = read('haproxy/haproxy.cfg');
  const [, inter, fast, fall] = /inter (\d+)s fastinter (\d+)ms .*fall (\d+)/.exec(balancer)!;
  const [, check] = /timeout check (\d+)s/.exec(balancer)!;
  const noticedMs = Number(inter) * 1000 + (Number(fall) - 1) * (Number(fast) + Number(check) * 1000);
  expect(Number(drain)).toBeGreaterThan(noticedMs);
});

test('lists the balancer in the proxy, and the processes of both deployments in the balancer', () => {
  const servers = [...read('nginx/nginx.conf').matchAll(/^\s*server ([\w-]+:\d+) max_fails=0;$/gm)].map(
    ([, at]) => at!,
  );
  const binds = (environment: object, host: string) =>
    Object.entries(environment).flatMap(([name, at]) =>
      name.startsWith('BALANCER_') ? [`balancer:${String(at).replace(`${host}:`, '')}`] : [],
    );
  const processes = (environment: object) =>
    Object.entries(environment).flatMap(([name, at]) => (name.startsWith('BALANCER_') ? [] : [String(at)]));
  const inCompose = compose.services.balancer!.environment!;
  const inUnits = Object.fromEntries(
    [...read('haproxy/systemd.env').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, at]) => [name!, at!]),
  );
  expect(new Set(binds(inCompose, '0.0.0.0'))).toEqual(new Set(servers));
  expect(new Set(binds(inUnits, '127.0.0.1'))).toEqual(new Set(servers));
  const asked = [...read('haproxy/haproxy.cfg').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
  expect(new Set(asked)).toEqual(new Set(Object.keys(inCompose)));
  expect(new Set(asked)).toEqual(new Set(Object.keys(inUnits)));
  expect(processes(inCompose).sort()).toEqual(
    addresses.filter((address) => !address.startsWith('worker')).sort(),
  );
  const units = [...read('systemd/croupier.target').matchAll(/croupier-(?:api|realtime)@(\d+)\.service/g)];
  expect(processes(inUnits).sort()).toEqual(
    [...units.map(([, port]) => `127.0.0.1:${port}`), '127.0.0.1:3001'].sort(),
  );
});

test('never resends a request, and runs health checks on each server unless it is the only one', () => {
  const nginx = read('nginx/nginx.conf');
  expect(nginx).toMatch(/^ {2}proxy_next_upstream off;$/m);
  const balancer = read('haproxy/haproxy.cfg');
  expect(balancer.match(/retry-on .*/g)).toEqual(['retry-on conn-failure']);
  expect(balancer).toMatch(/^ {2}default-server check /m);
  const unchecked = [...balancer.matchAll(/^ {2}server (\S+) \S+ no-check$/gm)].map(([, name]) => name);
  expect(unchecked).toEqual(['api-1', 'api-2', 'backoffice']);
});

test('mounts the folders of the balancer and the proxy, so that a reload reads a replaced file', () => {
  for (const [name, folder] of [
    ['balancer', 'haproxy'],
    ['proxy', 'nginx'],
  ] as const) {
    const { volumes = [], command = [] } = compose.services[name]!;
    const [, inside] = volumes.map((volume) => volume.split(':')).find(([from]) => from === `./${folder}`)!;
    const file = command.find((word) => word.startsWith(`${inside}/`))!;
    expect(existsSync(join(DEPLOY, folder, file.slice(inside!.length + 1))), file).toBe(true);
  }
});

test('closes idle connections first in the proxy, then in the balancer, then in the process', () => {
  const nginx = [...read('nginx/nginx.conf').matchAll(/keepalive_timeout (\d+)s/g)].map(([, s]) => Number(s));
  const [, balancer] = /timeout http-keep-alive (\d+)s/.exec(read('haproxy/haproxy.cfg'))!;
  expect(nginx).toHaveLength(2);
  for (const seconds of nginx) expect(seconds).toBeLessThan(Number(balancer));
});

test('limits the size of the logs that Docker keeps for every container', () => {
  for (const file of ['compose.yaml', 'ha/compose.yaml'])
    for (const [name, { logging }] of Object.entries(
      (parse(read(file), { merge: true }) as Compose).services,
    ))
      expect([file, name, logging]).toEqual([
        file,
        name,
        { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } },
      ]);
});

test('uses the Redis and RabbitMQ services of compose.yaml in the example settings, with the user that RabbitMQ creates', () => {
  const example = (name: string) =>
    [...read('croupier.env.example').matchAll(new RegExp(`^#${name}=(.+)$`, 'gm'))].map(
      ([, url]) => new URL(url!),
    );
  const inCompose = (name: string) => example(name).find(({ hostname }) => hostname !== '127.0.0.1')!;
  expect(Object.keys(compose.services)).toContain(inCompose('REDIS_URL').hostname);
  const broker = inCompose('BROKER_URL');
  const { environment, hostname } = compose.services[broker.hostname]!;
  expect(environment).toMatchObject({
    RABBITMQ_DEFAULT_USER: broker.username,
    RABBITMQ_DEFAULT_VHOST: broker.pathname.slice(1),
  });
  expect(broker.username).not.toBe('guest');
  expect(hostname).toBe(broker.hostname);
  for (const { hostname: host } of [inCompose('REDIS_URL'), broker])
    for (const { name, service } of parts)
      expect(String(service.environment?.PLAINTEXT_HOSTS).split(','), name).toContain(host);
});

test('makes the balancer resolve container names repeatedly, and gives it a fixed address for the proxy', () => {
  const text = read('haproxy/haproxy.cfg');
  expect(text).toMatch(/^resolvers names\n {2}parse-resolv-conf$/m);
  expect(text).toMatch(/default-server .* resolvers names init-addr libc,none$/m);
  const { networks } = compose.services.balancer as { networks: { inside: { ipv4_address: string } } };
  const [, subnet] = /subnet: ([\d.]+)\.0\.0\/16/.exec(read('compose.yaml'))!;
  expect(networks.inside.ipv4_address.startsWith(`${subnet}.`)).toBe(true);
});
