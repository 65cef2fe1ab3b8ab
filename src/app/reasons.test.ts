import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartTimeout } from '../platform/database/while-starting.ts';
import { reasonOf } from './reasons.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-authority-'));
const file = (name: string) => join(folder, name);
const openssl = (...args: string[]) => expect(spawnSync('openssl', args).status, args.join(' ')).toBe(0);
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

let server: Server;
let base: string;

/** Starts TLS as PostgreSQL does, presents a certificate from a private authority, and closes the connection. */
beforeAll(async () => {
  openssl(
    'req',
    '-x509',
    ...EC,
    '-subj',
    '/CN=Our own root',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  );
  const names = ['-subj', '/CN=db', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key')];
  openssl('req', '-x509', ...EC, ...names, ...signed, '-keyout', file('db.key'), '-out', file('db.pem'));
  const chain = Buffer.concat([readFileSync(file('db.pem')), readFileSync(file('ca.pem'))]);
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, {
        isServer: true,
        key: readFileSync(file('db.key')),
        cert: chain,
      });
      secure.on('error', () => undefined).once('data', () => secure.destroy());
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `postgres://croupier:pa55@127.0.0.1:${(server.address() as AddressInfo).port}/casino`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function reasonFor(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  const failure = await client.connect().catch((error: unknown) => error);
  await client.end().catch(() => undefined);
  return reasonOf(failure, url);
}

test.each(['require', 'verify-ca', 'verify-full'])(
  'explains how to trust a private certificate authority with sslmode=%s',
  async (mode) => {
    const reason = await reasonFor(`${base}?sslmode=${mode}`);
    expect(reason.slice(0, 150)).toMatch(/sslrootcert=.*NODE_EXTRA_CA_CERTS/);
    expect(reason).toContain('casino at 127.0.0.1');
    expect(reason).not.toContain('pa55');
  },
);

test('accepts a certificate of a private authority with sslrootcert', async () => {
  const reason = await reasonFor(`${base}?sslmode=verify-full&sslrootcert=${file('ca.pem')}`);
  expect(reason).toContain('closes every connection');
});

test('names the host when the certificate was issued for another host', async () => {
  const url = `${base.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&sslrootcert=${file('ca.pem')}`;
  expect(await reasonFor(url)).toMatch(/for another host .*DATABASE_URL/);
});

test('reports a missing file as a missing file, not as a database failure', async () => {
  const missing = file('nowhere');
  const error = await readdir(missing).catch((e: unknown) => e);
  expect(reasonOf(error, 'postgres://db/casino')).toBe(
    `${missing} cannot be used: it does not exist (scandir).`,
  );
});

test('reports that a database behind a Unix socket does not respond', async () => {
  const client = new pg.Client({ host: folder, database: 'casino', user: 'casino' });
  const error = await client.connect().catch((e: unknown) => e);
  expect(reasonOf(error, `postgres://casino@localhost/casino?host=${folder}`)).toMatch(
    /does not respond .*ENOENT/,
  );
});

test('reports how long startup has waited for the database, and then suggests what to do', () => {
  const cause = Object.assign(new Error('connect ETIMEDOUT 10.0.0.1:5432'), { code: 'ETIMEDOUT' });
  const waited =
    'PostgreSQL at 10.0.0.1:5432 has accepted no connection for 60 s: connect ETIMEDOUT 10.0.0.1:5432';
  expect(reasonOf(new StartTimeout(waited, { cause }), 'postgres://croupier@10.0.0.1/casino')).toBe(
    `${waited}. The database casino at 10.0.0.1:5432 does not respond (${cause.message}): start it, or correct DATABASE_URL.`,
  );
});

test('does not suggest correcting the database address when the database is embedded', () => {
  const url = 'postgres://croupier@/croupier?host=/tmp/croupier-1&port=5432';
  const cause = new Error('timeout expired');
  const errors = [
    cause,
    new StartTimeout('The embedded PostgreSQL has accepted no connection for 60 s', { cause }),
  ];
  for (const error of errors) {
    const reason = reasonOf(error, url, { isEmbedded: true });
    expect(reason).toMatch(
      /^The embedded PostgreSQL .*: this machine is too busy; .*DATABASE_START_TIMEOUT_MS\.$/,
    );
    expect(reason).not.toContain('DATABASE_URL');
  }
});
