import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { startDurablePostgres } from './kit/processes/durable.ts';
import { startProcess } from './kit/processes/process.ts';

const server = fixture(() => startDurablePostgres('start'));

const JWT = '8f1d0c5b7a6e4932b1c0d9e8f7a6b5c4d3e2f1a0';
const production = () => ({
  APP_ENV: 'production',
  HOST: '127.0.0.1',
  DATA_DIR: server.dataDir,
  DATABASE_URL: server.url,
  JWT_SECRET: JWT,
  SEED_SECRET: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5',
  CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
  CAPTCHA_SECRET: 'the real one',
  SITE_ORIGINS: 'https://play.example',
  DATA_SECRET: 'c4d5e6f708192a3b4c5d1a2b3c4d5e6f708192a3b',
  PUBLIC_API_URL: 'https://api.play.example',
  SMTP_URL: 'smtps://mail.play.example',
  MAIL_FROM: 'Play <no-reply@play.example>',
});
const local = (): Record<string, string> => ({
  APP_ENV: 'local',
  DATA_DIR: server.dataDir,
  DATABASE_URL: server.url,
});

/** Expects the process to exit with a code other than 0. Its output must name the setting and contain no secret values. */
async function expectRefusal(
  env: Record<string, string>,
  { names, hides = [] }: { names: string[]; hides?: string[] },
) {
  const started = await startProcess(env);
  const output = started.output();
  const code = await started.end();
  expect({ url: started.url, output }).toMatchObject({ url: undefined });
  expect(code).toBeGreaterThan(0);
  for (const name of names) expect(output).toContain(name);
  for (const value of hides) expect(output).not.toContain(value);
  expect(output).not.toMatch(/^\s+at /m);
}

describe('unsafe settings', () => {
  const [DEFAULT, SHORT] = ['sandbox-captcha-secret', 'too-short-to-sign-with'];
  const GUESSABLE = 'changemechangemechangemechangeme';
  const TOKEN = 'a-token-for-debugging';
  // src/platform/config/config.test.ts tests each rejection. This test checks that a process does not start with rejected settings.
  test.concurrent.each([
    ['an unknown APP_ENV', () => ({ ...local(), APP_ENV: 'prod' }), ['APP_ENV'], ['prod\n']],
    ['a short secret', () => ({ ...production(), JWT_SECRET: SHORT }), ['JWT_SECRET'], [SHORT]],
    ['equal secrets', () => ({ ...production(), SEED_SECRET: JWT }), ['JWT_SECRET', 'SEED_SECRET'], [JWT]],
    [
      'default, guessable and missing secrets, a debug token, an unsafe database',
      () => ({
        ...production(),
        CAPTCHA_SECRET: DEFAULT,
        JWT_SECRET: GUESSABLE,
        SEED_SECRET: '',
        DEBUG_TOKEN: TOKEN,
        ALLOW_UNSAFE_DATABASE: 'true',
      }),
      ['CAPTCHA_SECRET', 'JWT_SECRET', 'SEED_SECRET', 'DEBUG_TOKEN', 'ALLOW_UNSAFE_DATABASE'],
      [DEFAULT, GUESSABLE, TOKEN],
    ],
    [
      'a public address and an unsafe database in local',
      () => ({ ...local(), HOST: '0.0.0.0', ALLOW_UNSAFE_DATABASE: 'true' }),
      ['HOST', 'ALLOW_UNSAFE_DATABASE'],
      ['0.0.0.0'],
    ],
  ])('stop the process: %s', async (_, env, names, hides) => {
    await expectRefusal(env(), { names, hides });
  });
});

test('rejects unsafe settings before loading the application', async () => {
  const loaded = join(server.dataDir, 'loaded');
  const hook = `import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + '\\n'); return next(url, context); } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
  await expectRefusal({ ...local(), APP_ENV: 'prod', NODE_OPTIONS }, { names: ['APP_ENV'] });
  const refused = readFileSync(loaded, 'utf8');
  expect(refused).toContain('/src/platform/config/config.ts');
  expect(refused).not.toMatch(/src\/(http|modules)\/|node_modules\/fastify\//);
  // A process that starts must not load the code of the API reference before someone opens the reference.
  const { url, output, end } = await startProcess({ ...local(), NODE_OPTIONS });
  expect(url, output()).toBeDefined();
  expect(readFileSync(loaded, 'utf8')).not.toContain('@scalar');
  expect((await fetch(`${url}/docs/api/`)).status).toBe(200);
  expect(readFileSync(loaded, 'utf8')).toContain('@scalar');
  expect(await end()).toBe(0);
});

async function sql(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const RELOAD = 'select pg_reload_conf()';
const FLUSHES = ['fsync', 'full_page_writes', 'synchronous_commit'];
/** Statements that disable and re-enable each setting while the platform runs. */
const SWITCHES: Readonly<Record<string, [off: string[], on: string[]]>> = {
  fsync: [
    ['alter system set fsync = off', RELOAD],
    ['alter system reset fsync', RELOAD],
  ],
  full_page_writes: [
    ['alter system set full_page_writes = off', RELOAD],
    ['alter system reset full_page_writes', RELOAD],
  ],
  synchronous_commit: [
    ['alter role croupier set synchronous_commit = off'],
    ['alter role croupier reset synchronous_commit'],
  ],
};

describe('unsafe database settings', () => {
  test.each(FLUSHES)('refuses to start with %s = off, which could lose acknowledged bets', async (name) => {
    const [off, on] = SWITCHES[name]!;
    await sql(...off);
    try {
      await expectRefusal(local(), { names: [name] });
      const others = FLUSHES.filter((other) => other !== name);
      await expectRefusal(production(), { names: [name], hides: [...others, server.url] });
    } finally {
      await sql(...on);
    }
  });

  test('reports all unsafe database settings together', async () => {
    const url = inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, 'postgres');
    await expectRefusal({ ...local(), DATABASE_URL: url }, { names: FLUSHES });
  });

  test('reports an unreachable database without its password', async () => {
    const DATABASE_URL = 'postgres://croupier:pa55w0rd@127.0.0.1:1/croupier';
    await expectRefusal(
      { ...production(), DATABASE_URL },
      { names: ['api did not start'], hides: ['pa55w0rd'] },
    );
  });
});

test('reports a proxy that closes every connection, without showing the password', async () => {
  const proxy = createServer((socket) => socket.destroy());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  try {
    const DATABASE_URL = `postgres://croupier:pa55w0rd@127.0.0.1:${port}/croupier`;
    await expectRefusal(
      { ...local(), DATABASE_URL, DATABASE_START_TIMEOUT_MS: '3000' },
      {
        names: [
          'has accepted no connection for ',
          'closes every connection immediately',
          'a cluster without a leader',
        ],
        hides: ['pa55w0rd'],
      },
    );
  } finally {
    proxy.close();
  }
});

test('rejects a primary without standbys when replication is required', async () => {
  await expectRefusal(
    { ...local(), DATABASE_REPLICATION: 'required' },
    { names: ['synchronous_standby_names is empty', 'DATABASE_REPLICATION'] },
  );
});

test('starts production without debug routes or generated secrets', async () => {
  const { url, output, end } = await startProcess(production());
  expect(url, output()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const health = await fetch(`${url}/health`);
  expect({ code: health.status, body: await health.json() }).toMatchObject({
    code: 200,
    body: { status: 'ok' },
  });
  expect(health.headers.get('strict-transport-security')).toMatch(/max-age/);
  for (const path of ['/debug/auth/login/somebody', '/debug/user/create']) {
    expect((await fetch(url + path, { method: 'POST' })).status).toBe(404);
  }
  expect(await end()).toBe(0);
  expect(output()).not.toContain(JWT);
});

test('starts local on the loopback address with debug routes', async () => {
  const { url, output, end } = await startProcess(local());
  expect(url, output()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const answer = await fetch(`${url}/debug/auth/login/somebody`, { method: 'POST' });
  expect(answer.status).toBe(201);
  expect(answer.headers.has('strict-transport-security')).toBe(false);
  expect(await end()).toBe(0);
});
