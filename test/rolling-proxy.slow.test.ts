/**
 * Restarts both APIs in turn behind the shipped nginx and the shipped balancer. During the restarts, clients send POST requests without an
 * idempotency key and never repeat a request.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { brokenBooks, withDb } from './crash/check.ts';
import { createPlayers, type LoadPlayer } from './crash/load.ts';
import { endOf, type PartProcess, partEnv, SEED_SECRET, send, startPartProcess } from './crash/processes.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { times } from './kit/length.ts';
import { serverPorts } from './kit/processes/ports.ts';
import { hasProxies, startProxies } from './kit/processes/proxy.ts';

const POSTS = times('ROLLING_POSTS', 4000, 25_000);
const RESTARTS = 6;
const CLIENTS = 12;
/**
 * Delay between a client's POSTs. With this delay, clients send a few hundred POSTs during each restart, and the required number at full
 * length.
 */
const PAUSE_MS = POSTS > 10_000 ? 5 : 60;
const [, DRAIN] = /^SHUTDOWN_DRAIN_MS=(\d+)$/m.exec(
  readFileSync(new URL('../deploy/croupier.env.example', import.meta.url), 'utf8'),
)!;

const folder = mkdtempSync(join(tmpdir(), 'croupier-rolling-'));
const database = fixture(createTestDatabase);
const running: PartProcess[] = [];
afterAll(async () => {
  for (const { pid } of running) send(pid, 'SIGKILL');
  await Promise.all(running.map(endOf));
  rmSync(folder, { recursive: true, force: true });
});

const start = (port: number): Promise<PartProcess> =>
  startPartProcess('api', {
    env: partEnv(database.url, {
      ALLOW_UNSAFE_DATABASE: 'true',
      PORT: String(port),
      SHUTDOWN_DRAIN_MS: DRAIN!,
      TRUSTED_PROXIES: '127.0.0.1',
    }),
    logFile: join(folder, `api-${port}.log`),
  });

// CI installs both before the tests, so the tests fail there if one is missing.
test.skipIf(!hasProxies() && !process.env.CI)(
  `loses no POST in ${RESTARTS} restarts behind the shipped proxy`,
  { timeout: 600_000 },
  async () => {
    const ports = await serverPorts(2);
    for (const port of ports) running.push(await start(port));
    const [one, two] = ports.map((port) => `127.0.0.1:${port}`);
    const players = await createPlayers(running[0]!.url, Array(CLIENTS).fill(100_000));
    const proxies = await startProxies({ api: [one!, two!] });
    const made = { posts: 0, restarts: 0 };
    const lost: string[] = [];
    let isOver = false;
    const body = JSON.stringify({ currencyId: 'USDT', betAmount: '1', threshold: 50, above: true });
    const play = async ({ token }: LoadPlayer) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      while (!isOver) {
        const reply = await proxies
          .call('POST', '/casino/games/house/dice/bet', { headers, body })
          .catch((error: Error) => ({ status: error.message, text: '' }));
        if (reply.status === 201) made.posts++;
        else lost.push(`${reply.status} ${reply.text} in restart ${made.restarts + 1}`);
        await sleep(PAUSE_MS);
      }
    };
    const restart = async () => {
      try {
        while (made.restarts < RESTARTS || made.posts < POSTS) {
          const i = made.restarts % 2;
          send(running[i]!.pid, 'SIGTERM');
          expect(await endOf(running[i]!)).toBe(0);
          running[i] = await start(ports[i]!);
          // Waits until the balancer uses this process again before the next one is stopped. An operator would wait for /health/ready in
          // the same way.
          await sleep(1500);
          made.restarts++;
        }
      } finally {
        isOver = true;
      }
    };
    try {
      await Promise.all([restart(), ...players.map(play)]);
    } finally {
      isOver = true;
      await proxies.stop();
    }
    console.log(`${made.restarts} restarts, ${made.posts} POSTs, ${lost.length} lost`);
    expect(lost).toEqual([]);
    await withDb(database.url, async (db) => {
      const { rows } = await sql<{ bets: number }>`select count(*)::int4 as bets from bets`.execute(db);
      expect(rows[0]!.bets).toBe(made.posts);
      expect(await brokenBooks(db, SEED_SECRET)).toEqual([]);
    });
  },
);
