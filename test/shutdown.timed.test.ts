import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { brokenBooks, compare, withDb } from './crash/check.ts';
import { keepAlive } from './crash/client.ts';
import { bet, createPlayers } from './crash/load.ts';
import { endOf, type PartProcess, partEnv, SEED_SECRET, send, startPartProcess } from './crash/processes.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { waiters } from './kit/games/turns.ts';
import { connectSocket } from './kit/http/sockets.ts';
import { until } from './kit/until.ts';

const started: PartProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'croupier-shutdown-'));
chmodSync(folder, 0o755);

const database = fixture(createTestDatabase);

afterEach(async () => {
  for (const { pid } of started) send(pid, 'SIGKILL');
  await Promise.all(started.splice(0).map(endOf));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('completes each of 64 bets once on SIGTERM with 250 open connections, and exits with 0', async () => {
  const part = await start('api');
  const players = await createPlayers(part.url, Array(16).fill(1000));
  const idle = await Promise.all(Array.from({ length: 200 }, () => used(part)));
  const others = await Promise.all(
    [...Array(50).fill(''), 'GET /bets HTTP/1.1\r\n'].map((t) => open(part, t)),
  );

  // The bets have to wait, because another transaction holds the players' locks.
  const unlock = await lockPlayers();
  const agent = keepAlive();
  const name = `late-${randomUUID()}`;
  const betLate = (i: number) => {
    const [player, tag] = [players[i % 16]!, `${name}-${i}`];
    return bet({ url: part.url, agent, player, tag, key: i % 2 ? `key-${tag}` : undefined });
  };
  const bets = [betLate(0)];
  let signalled: number;
  try {
    await withDb(database.url, (db) => until(async () => (await waiters({ db })) === 1));
    // The other bets wait for the first one, which waits for the lock.
    for (let i = 1; i < 64; i++) bets.push(betLate(i));
    await until(async () => (await queueOf(part)) === 63);
    signalled = performance.now();
    send(part.pid, 'SIGTERM');
    await until(() => isRefused(part));
    expect(
      await bet({ url: part.url, agent, player: players[0]!, tag: 'new', key: undefined }),
    ).toMatchObject({
      said: 'ECONNREFUSED',
    });
  } finally {
    await unlock();
  }

  const history = await Promise.all(bets);
  expect(history.map(({ said }) => said)).toEqual(Array(64).fill('201'));
  expect(await endOf(part)).toBe(0);
  expect(performance.now() - signalled).toBeLessThanOrEqual(10_000);
  expect([...idle, ...others].filter((socket) => !socket.closed)).toEqual([]);
  await withDb(database.url, async (db) => {
    expect(await compare(db, history)).toEqual({ acked: 64, missing: [], wrong: [] });
    expect(await brokenBooks(db, SEED_SECRET)).toEqual([]);
  });
});

test.each(['backoffice', 'realtime', 'worker'])(
  'exits with 0 within a second when SIGTERM reaches %s',
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

test('asks 200 sockets to reconnect on SIGTERM and exits with 0 in time, even if some do not respond', async () => {
  const part = await start('realtime');
  const api = await start('api');
  const players = await createPlayers(api.url, Array(10).fill(1));
  const reasons: string[] = [];
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const headers = { cookie: `__Host-access_token=${players[i % 10]!.token}`, origin: part.url };
      const { socket } = await connectSocket(part.url, { headers });
      socket.on('disconnect', (reason) => reasons.push(reason));
    }),
  );
  const upgrade =
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
    `sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  const deaf = await Promise.all(Array.from({ length: 20 }, () => open(part, upgrade)));
  for (const socket of deaf) socket.pause();
  await sleep(300);
  const signalled = performance.now();
  send(part.pid, 'SIGTERM');
  expect(await endOf(part)).toBe(0);
  expect(performance.now() - signalled).toBeLessThanOrEqual(10_000);
  await expect.poll(() => reasons.length).toBe(200);
  // The reason must not be 'io server disconnect', because a client does not reconnect after it.
  expect(new Set(reasons)).toEqual(new Set(['transport close']));
  for (const socket of deaf) socket.destroy();
  send(api.pid, 'SIGTERM');
  expect(await endOf(api)).toBe(0);
});

async function start(name: string): Promise<PartProcess> {
  const part = await startPartProcess(name, {
    // A worker that starts for the first time creates a seed chain, and completes the chain before it exits.
    env: partEnv(database.url, { ALLOW_UNSAFE_DATABASE: 'true', SPEED_ROULETTE_CHAIN_LENGTH: '2500' }),
    logFile: join(folder, `${name}.log`),
  });
  started.push(part);
  return part;
}

/** Returns the number of bets in the queue, which wait until the previous bet is settled. */
async function queueOf({ url }: PartProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^croupier_bet_queue_length\S* (\d+)$/m.exec(text)?.[1]);
}

/** Returns true if the port is closed. */
function isRefused({ url }: PartProcess): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  }).finally(() => socket.destroy());
}

async function lockPlayers(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin; select from players order by user_id for update');
  return () => client.end();
}

/** Opens a connection and sends only `text`. */
async function open({ url }: PartProcess, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  if (text) socket.write(text);
  return socket;
}

/** Opens a connection that has received its response and waits for the next request. */
async function used(part: PartProcess): Promise<Socket> {
  const socket = await open(part, 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}
