import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenBooks, compare, withDb } from './crash/check.ts';
import { keepAlive } from './crash/client.ts';
import { bet, createPlayers } from './crash/load.ts';
import { endOf, type PartProcess, partEnv, SEED_SECRET, send, startPartProcess } from './crash/processes.ts';
import { createTestDatabase, type TestDatabase } from './kit/database.ts';

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'croupier-shutdown-'));
chmodSync(folder, 0o755);

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('F08 SIGTERM with 64 bets in flight and 250 open connections: all answered, none made twice, exit 0', async () => {
  const part = await start('api');
  const players = await createPlayers(part.url, Array(16).fill(1000));
  const idle = await Promise.all(Array.from({ length: 200 }, () => used(part)));
  const others = await Promise.all(
    [...Array(50).fill(''), 'GET /bets HTTP/1.1\r\n'].map((t) => open(part, t)),
  );

  // While the players are locked the bets cannot but wait.
  const unlock = await lockPlayers();
  const agent = keepAlive();
  const bets = Array.from({ length: 64 }, (_, i) => {
    const player = players[i % 16]!;
    return bet({ url: part.url, agent, player, tag: `late-${i}`, key: i % 2 ? `key-late-${i}` : undefined });
  });
  await sleep(300);
  const signalled = performance.now();
  send(part.pid, 'SIGTERM');
  await sleep(300);
  expect(await bet({ url: part.url, agent, player: players[0]!, tag: 'new', key: undefined })).toMatchObject({
    said: 'ECONNREFUSED',
  });
  await unlock();

  const history = await Promise.all(bets);
  expect(history.map(({ said }) => said)).toEqual(Array(64).fill('201'));
  expect(await endOf(part)).toBe(0);
  expect(performance.now() - signalled).toBeLessThanOrEqual(10_000);
  expect([...idle, ...others].filter((socket) => !socket.closed)).toEqual([]);
  await withDb(database.url, async (db) => {
    expect(await compare(db, history)).toEqual({ acked: 64, missing: [], wrong: [] });
    expect(await brokenBooks(db, SEED_SECRET)).toEqual([]);
  });
}, 30_000);

test.each(['backoffice', 'realtime', 'worker'])(
  'F08 SIGTERM to %s: exit 0 within a second',
  async (name) => {
    const part = await start(name);
    const silent = await open(part, '');
    const idle = await used(part);
    const signalled = performance.now();
    send(part.pid, 'SIGTERM');
    expect(await endOf(part)).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(3000);
    silent.destroy();
    idle.destroy();
  },
  20_000,
);

const start = (name: string): Promise<PartProcess> =>
  startPartProcess(name, {
    env: partEnv(database.url, { ALLOW_UNSAFE_DATABASE: 'true' }),
    logFile: join(folder, `${name}.log`),
  });

async function lockPlayers(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin; select from players order by user_id for update');
  return () => client.end();
}

/** A connection on which `text` was sent and nothing more. */
async function open({ url }: PartProcess, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  if (text) socket.write(text);
  return socket;
}

/** A connection that has had its answer and waits for the next request. */
async function used(part: PartProcess): Promise<Socket> {
  const socket = await open(part, 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}
