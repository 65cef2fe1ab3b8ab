import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../src/platform/config/config.ts';
import { startApp } from './kit/app.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'croupier-brands-'));
const make = (name: string, port: number, to: string) =>
  spawnSync(
    process.execPath,
    [
      join(ROOT, 'src/bin/croupier.ts'),
      'brand',
      name,
      '--domain',
      `${name}.example`,
      '--port',
      String(port),
      '--to',
      to,
    ],
    { encoding: 'utf8' },
  );
const BRANDS = [
  { name: 'second', port: 3100 },
  { name: 'third', port: 3200 },
] as const;
const folderOf = (name: string) => join(folder, name);
const read = (name: string, file: string) => readFileSync(join(folderOf(name), file), 'utf8');
const environmentOf = (name: string) =>
  parseEnv(read(name, `croupier-${name}.env`)) as Record<string, string>;
const shipped = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');
const portsIn = (target: string) => [...target.matchAll(/@(\d+)\.service/g)].map(([, port]) => Number(port));

const database = fixture(createTestDatabase);
beforeAll(() => {
  for (const { name, port } of BRANDS)
    expect(make(name, port, folderOf(name))).toMatchObject({ status: 0, stderr: '' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('writes settings with unique secrets, which production accepts once the blanks are filled in', () => {
  const secrets = BRANDS.flatMap(({ name }) => {
    const own = environmentOf(name);
    const filled = {
      ...own,
      CAPTCHA_SECRET: randomBytes(20).toString('hex'),
      SMTP_URL: 'smtps://u:long-password@mail.example',
    };
    const config = loadConfig(filled);
    expect(config).toMatchObject({ APP_ENV: 'production', PUBLIC_API_URL: `https://api.${name}.example` });
    expect(config.siteOrigins).toContain(`https://${name}.example`);
    expect(new URL(config.DATABASE_URL!).pathname).toBe(`/casino_${name}`);
    expect(statSync(join(folderOf(name), `croupier-${name}.env`)).mode & 0o077).toBe(0);
    return [
      config.JWT_SECRET,
      config.SEED_SECRET,
      config.DATA_SECRET,
      config.METRICS_TOKEN,
      new URL(config.DATABASE_URL!).password,
    ];
  });
  expect(new Set(secrets).size).toBe(10);
  expect(read('second', 'croupier-second.env')).not.toMatch(/casino\.example|^DATABASE_URL=.*change-me/m);
});

test('keeps every setting of the shipped example', () => {
  const names = (text: string) => [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
  expect(names(read('second', 'croupier-second.env'))).toEqual(names(shipped('croupier.env.example')));
});

test('writes units with ports, a user, settings and files that no other brand uses', () => {
  const targets = [
    shipped('systemd/croupier.target'),
    ...BRANDS.map(({ name }) => read(name, `systemd/croupier-${name}.target`)),
  ];
  const ports = targets.flatMap(portsIn);
  expect(ports.length).toBe(3 * portsIn(targets[0]!).length);
  expect(new Set(ports).size).toBe(ports.length);
  for (const { name, port } of BRANDS) {
    const files = readdirSync(join(folderOf(name), 'systemd'));
    expect(files).toHaveLength(readdirSync(join(ROOT, 'deploy/systemd')).length);
    const wanted = [
      ...targets[BRANDS.findIndex((one) => one.name === name) + 1]!.matchAll(/croupier\S+\.service/g),
    ];
    for (const [unit] of wanted) expect(files).toContain(unit.replace(/@\d+/, '@'));
    for (const file of files) {
      const text = read(name, `systemd/${file}`);
      expect(
        text.replaceAll(/\/opt\/croupier|\/bin\/croupier\.ts/g, '').match(/\bcroupier\b(?!-)/g),
        file,
      ).toBeNull();
      for (const [, program] of text.matchAll(/\/opt\/croupier\/(src\S+)/g))
        expect(existsSync(join(ROOT, program!)), program).toBe(true);
    }
    const backoffice = read(name, `systemd/croupier-${name}-backoffice.service`);
    expect(backoffice).toContain(`BACKOFFICE_PORT=${port + 1}`);
    expect(backoffice).toContain(`EnvironmentFile=/etc/croupier-${name}/croupier-${name}.env`);
    expect(backoffice).toContain(`User=croupier-${name}`);
  }
});

test('routes each host name of the proxy to the ports of its brand', () => {
  for (const { name } of BRANDS) {
    const text = read(name, `nginx/${name}.conf`);
    const balancer = parseEnv(read(name, 'balancer.env')) as Record<string, string>;
    const upstreams = [...text.matchAll(/^\s*server balancer:(\d+)/gm)].map(
      ([, port]) => `127.0.0.1:${port}`,
    );
    const bound = Object.keys(balancer).filter((key) => key.startsWith('BALANCER_'));
    expect(new Set(upstreams)).toEqual(new Set(bound.map((key) => balancer[key])));
    const target = portsIn(read(name, `systemd/croupier-${name}.target`));
    const backoffice = /BACKOFFICE_PORT=(\d+)/.exec(
      read(name, `systemd/croupier-${name}-backoffice.service`),
    )!;
    for (const key of Object.keys(balancer).filter((one) => !one.startsWith('BALANCER_')))
      expect([...target, Number(backoffice[1])]).toContain(Number(balancer[key]!.split(':')[1]));
    expect(read(name, `systemd/croupier-${name}-balancer.service`)).toContain(
      `EnvironmentFile=/etc/croupier-${name}/balancer.env`,
    );
    expect(Object.keys(balancer)).toEqual(Object.keys(parseEnv(shipped('haproxy/systemd.env'))));
    for (const host of ['api', 'backoffice', 'realtime'])
      expect(text).toContain(`server_name ${host}.${name}.example;`);
    const named = [...text.matchAll(/^upstream (\w+)/gm)].map(([, upstream]) => upstream!);
    for (const [, asked] of text.matchAll(/proxy_pass http:\/\/(\w+)/g)) expect(named).toContain(asked);
  }
  expect(shipped('nginx/nginx.conf')).toContain('include /etc/nginx/brands/*.conf;');
});

test('creates a role, and a database that only this role may access', async () => {
  const run = async (sql: string, url = database.url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  try {
    for (const { name } of BRANDS)
      for (const statement of read(name, 'database.sql')
        .replace(/^--.*$/gm, '')
        .split(';\n'))
        if (statement.trim()) await run(statement);
    const { rows } = await run(`
      select r.rolname as role, d.datname as database from pg_roles r, pg_database d
      where r.rolname like 'croupier\\_%' and d.datname like 'casino\\_%'
        and has_database_privilege(r.oid, d.oid, 'connect') order by 1, 2`);
    expect(rows).toEqual(
      BRANDS.map(({ name }) => ({ role: `croupier_${name}`, database: `casino_${name}` })),
    );
  } finally {
    for (const { name } of BRANDS) {
      await run(`drop database if exists casino_${name}`);
      await run(`drop role if exists croupier_${name}`);
    }
  }
});

test('separates players, sessions and tokens of two brands on one server', async () => {
  const secretsOf = (name: string) => {
    const { JWT_SECRET, SEED_SECRET, DATA_SECRET } = environmentOf(name);
    return { JWT_SECRET: JWT_SECRET!, SEED_SECRET: SEED_SECRET!, DATA_SECRET: DATA_SECRET! };
  };
  const second = await startApp({ env: secretsOf('second') });
  const third = await startApp({ env: secretsOf('third') });
  try {
    const [here, there] = [
      await second.newPlayer({ username: 'same_name' }),
      await third.newPlayer({ username: 'same_name' }),
    ];
    expect((await second.call('GET', '/user/me', { token: here.token })).status).toBe(200);
    expect((await second.call('GET', '/user/me', { token: there.token })).status).toBe(401);
    expect((await third.call('GET', '/user/me', { token: here.token })).status).toBe(401);
  } finally {
    await second.stop();
    await third.stop();
  }
});

test('rejects unusable names, domains and ports, and never overwrites secrets', () => {
  const before = read('second', 'croupier-second.env');
  expect(make('second', 3100, folderOf('second'))).toMatchObject({ status: 1 });
  expect(read('second', 'croupier-second.env')).toBe(before);
  for (const [name, port] of [
    ['Second', 3300],
    ['a', 3300],
    ['two-words', 3300],
    ['fourth', 3000],
    ['fourth', 3350],
    ['fourth', 8000],
  ] as const)
    expect([name, port, make(name, port, folderOf('fourth')).status]).toEqual([name, port, 2]);
  expect(existsSync(folderOf('fourth'))).toBe(false);
});

const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
const hasNginx = run('nginx', '-v').status === 0;
test.skipIf(!hasNginx && !process.env.CI)(
  'writes files for two brands that pass the nginx check next to the shipped file',
  () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    execFileSync(
      'openssl',
      [...request, '-subj', '/CN=second.example', '-keyout', key, '-out', certificate],
      {
        stdio: 'ignore',
      },
    );
    const local = (text: string) =>
      text
        .replace(/ resolve(?=[ ;])/g, '')
        .replace(/^(\s*server )[\w-]+(:\d+)/gm, '$1127.0.0.1$2')
        .replace(/^(\s*ssl_certificate ).*;$/gm, `$1${certificate};`)
        .replace(/^(\s*ssl_certificate_key ).*;$/gm, `$1${key};`)
        .replace('/etc/nginx/brands/', `${folder}/*/nginx/checked-`);
    for (const { name } of BRANDS)
      writeFileSync(
        join(folderOf(name), `nginx/checked-${name}.conf`),
        local(read(name, `nginx/${name}.conf`)),
      );
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, local(shipped('nginx/nginx.conf')));
    const { status, stderr } = run(
      'nginx',
      '-t',
      '-c',
      file,
      '-g',
      `pid ${folder}/nginx.pid;`,
      '-e',
      'stderr',
    );
    expect([status, stderr]).toEqual([0, expect.stringContaining('syntax is ok')]);
  },
);
