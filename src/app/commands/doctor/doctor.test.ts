import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { examine } from './doctor.ts';

const SECRET = 'not-to-be-printed';
const database = fixture(createTestDatabase);
const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice' }));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts another program and returns its port. */
async function listen(status: number, body = '{}'): Promise<number> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns the findings by check. Fails if any of them contains the secret. */
async function findingsWith(env: Record<string, string>) {
  const ports = { PORT: '0', BACKOFFICE_PORT: '0', REALTIME_PORT: '0', WORKER_PORT: '0' };
  const settings = {
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATABASE_URL: database.url,
    ...ports,
    ...env,
  };
  const findings = await examine(settings, () => {});
  expect(JSON.stringify(findings)).not.toContain(SECRET);
  for (const { status, remedy } of findings) expect(remedy !== undefined).toBe(status !== 'ok');
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

test('finds nothing wrong with a migrated database, and checks only configured services', async () => {
  const findings = await findingsWith({});
  expect(Object.values(findings).filter(({ status }) => status === 'problem')).toEqual([]);
  expect(findings).toMatchObject({
    node: { status: 'ok' },
    configuration: { status: 'ok' },
    database: { status: 'ok', message: expect.stringMatching(/^PostgreSQL \d+/) },
    role: { status: 'ok' },
    migrations: { status: 'ok' },
    clock: { status: 'ok' },
  });
  expect(findings.Redis ?? findings.RabbitMQ ?? findings['mail server']).toBeUndefined();
});

test('reports every configured service that cannot be reached', async () => {
  const at = (scheme: string) => `${scheme}://me:${SECRET}@127.0.0.1:1`;
  const findings = await findingsWith({
    REDIS_URL: at('redis'),
    BROKER_URL: at('amqp'),
    SMTP_URL: at('smtp'),
    BTCPAY_URL: 'http://127.0.0.1:1',
    BTCPAY_API_KEY: SECRET,
    KYC_API_URL: `http://127.0.0.1:${await listen(503)}`,
    SKINS_API_URL: `http://127.0.0.1:${await listen(404)}`,
    FILE_STORAGE: 's3',
    FILES_URL: 'http://files.test',
    S3_BUCKET: 'pictures',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_ACCESS_KEY_ID: SECRET,
    S3_SECRET_ACCESS_KEY: SECRET,
  });
  for (const check of ['Redis', 'RabbitMQ', 'mail server', 'payment provider btcpay', 'object storage'])
    expect(findings[check]).toMatchObject({ check, status: 'problem' });
  expect(findings['KYC provider']).toMatchObject({ status: 'warning', message: 'answered 503' });
  expect(findings['skin marketplace']).toMatchObject({ status: 'ok' });
});

test('distinguishes a port of this platform from a port of another program', async () => {
  const findings = await findingsWith({
    PORT: new URL(app.url).port,
    BACKOFFICE_PORT: new URL(backoffice.url).port,
    WORKER_PORT: String(await listen(404)),
  });
  expect(findings).toMatchObject({
    PORT: { status: 'ok', message: expect.stringContaining('used by this platform') },
    BACKOFFICE_PORT: { status: 'ok', message: expect.stringContaining('used by this platform') },
    WORKER_PORT: { status: 'problem', remedy: 'stop that program, or set WORKER_PORT' },
    REALTIME_PORT: { status: 'ok' },
  });
});

test('reports two parts with the same port', async () => {
  const findings = await findingsWith({ PORT: '4711', WORKER_PORT: '4711' });
  expect(findings.WORKER_PORT).toMatchObject({ status: 'problem', message: '4711 is also the port of PORT' });
});

test('reports a folder for data that cannot be used', async () => {
  const { disk } = await findingsWith({ DATA_DIR: import.meta.filename });
  expect(disk).toMatchObject({ status: 'problem', message: expect.stringContaining('is not a folder') });
});

test.each([
  ['is missing', `${import.meta.dirname}/missing`, 'does not exist'],
  ['is a file', import.meta.filename, 'is not a folder'],
])('reports a brand whose folder %s', async (_, path, why) => {
  const { brand } = await findingsWith({ BRAND_DIR: path });
  const message = `The folder in BRAND_DIR ${why}: ${path}`;
  expect(brand).toMatchObject({ status: 'problem', message });
});

test('finds nothing wrong with the folder of a brand', async () => {
  expect((await findingsWith({ BRAND_DIR: import.meta.dirname })).brand?.status).toBe('ok');
  expect((await findingsWith({})).brand).toBeUndefined();
});

test('reports a read-only database', async () => {
  const url = `${database.url}&options=-c%20default_transaction_read_only%3Don`;
  const findings = await findingsWith({ DATABASE_URL: url });
  expect(findings.database).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/is read-only$/),
  });
});

test('reports an unusable configuration without its values, and weak secrets', async () => {
  const bad = await findingsWith({ PORT: SECRET });
  expect(bad.configuration).toMatchObject({ status: 'problem', message: 'PORT needs a whole number' });
  const secretAddress = await findingsWith({ BTCPAY_URL: `http://me:${SECRET}@127.0.0.1:1` });
  expect(secretAddress.configuration).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/^BTCPAY_URL /),
  });
  const weak = await findingsWith({ JWT_SECRET: 'password'.repeat(4) });
  expect(weak.secrets).toMatchObject({ status: 'warning', message: 'JWT_SECRET can be guessed' });
});

test('reports pending migrations and a role without the rights to migrate', async () => {
  await using other = await emptyDatabase();
  const empty = await findingsWith({ DATABASE_URL: other.url });
  expect(empty.migrations).toMatchObject({ status: 'warning', message: expect.stringMatching(/no tables/) });
  const limited = await findingsWith({ DATABASE_URL: other.limitedUrl });
  expect(limited.role).toMatchObject({ status: 'problem', message: 'doctor_limited may not create tables' });
});

/** Creates a database without tables, and a role without rights. */
async function emptyDatabase() {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const name = `${database.name}_empty`;
  await client.query(`create database ${name}`);
  await client.query('create role doctor_limited login');
  const url = database.url.replace(database.name, name);
  return {
    url,
    limitedUrl: url.replace(/\/\/[^@]*@/, '//doctor_limited@'),
    async [Symbol.asyncDispose]() {
      await client.query(`drop database ${name} with (force)`);
      await client.query('drop role doctor_limited');
      await client.end();
    },
  };
}
