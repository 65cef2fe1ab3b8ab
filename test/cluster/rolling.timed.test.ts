import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlayers, type LoadPlayer } from '../crash/load.ts';
import { times } from '../kit/length.ts';
import { createClients } from './clients.ts';
import { expectNothingLost, type Platform, startPlatform, tellOnFailure, together } from './platform.ts';

const RESTARTS = times('CLUSTER_RESTARTS', 6, 30);
const CLIENTS = 12;

let platform: Platform;
let players: LoadPlayer[];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({ parts: ['api', 'api'], settings: { SHUTDOWN_DRAIN_MS: '600' } });
  players = await createPlayers(platform.cluster.balanced('api'), Array(CLIENTS).fill(100_000));
}, 120_000);
afterAll(() => platform?.stop());

test(`hides ${RESTARTS} restarts of both APIs under load from clients that retry once`, async () => {
  const { cluster } = platform;
  const clients = createClients(() => cluster.balanced('api'));
  const { seen, ask } = clients;
  const made = { bets: 0, reads: 0 };
  /** Number of retried requests for each restart. */
  const retried: number[] = [];
  let isOver = false;

  const body = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  const play = async ({ token }: LoadPlayer) => {
    while (!isOver) {
      await ask('POST', '/casino/games/house/dice/bet', { token, body }, 201);
      made.bets++;
      await ask('GET', '/bets', { token }, 200);
      made.reads++;
    }
  };
  const restartAll = async () => {
    try {
      for (let i = 0; i < RESTARTS; i++) {
        await sleep(300);
        const before = seen.retried;
        const name = cluster.names[i % 2]!;
        expect(await cluster.stop(name)).toBe(0);
        await cluster.start(name);
        await expect.poll(() => cluster.serving('api').length, { timeout: 20_000 }).toBe(2);
        retried.push(seen.retried - before);
      }
    } finally {
      isOver = true;
      await cluster.heal();
    }
  };

  await together(restartAll(), ...players.map(play)).finally(clients.close);
  console.log(`${RESTARTS} restarts: ${made.bets} bets, ${made.reads} reads, ${retried} repeated`);
  expect(seen.failed).toEqual([]);
  expect(made.bets).toBeGreaterThan(20 * RESTARTS);
  // The drain keeps the number of retries low, because clients are asked to reconnect before a connection ends. If the machine stalls for
  // longer, each client may lose its connection.
  expect(retried.filter((n) => n === 0).length).toBeGreaterThan(RESTARTS / 2);
  expect(seen.retried).toBeLessThanOrEqual(RESTARTS + CLIENTS);
  await expectNothingLost(platform, [], players);
}, 300_000);
