import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, connect, type Frame } from '../../client/client.ts';
import { call } from '../crash/client.ts';
import { type Attempt, type LoadPlayer, startLoad } from '../crash/load.ts';
import { times } from '../kit/length.ts';
import { startRedis } from '../kit/processes/redis.ts';
import {
  expectNothingLost,
  newName,
  type Platform,
  startPlatform,
  tellOnFailure,
  underLoad,
} from './platform.ts';

const KILLS = times('CLUSTER_SOCKET_KILLS', 2, 10);
const REDIS_AWAY_MS = times('CLUSTER_REDIS_MS', 3000, 30_000);
const PLAYERS = 5;

type Listener = LoadPlayer & { client: Client; settled: Frame<'bet.settled'>[]; resyncs: number };

let redis: Awaited<ReturnType<typeof startRedis>>;
let platform: Platform;
/** Players who bet and listen in this test. */
let listeners: Listener[];
const clients: Client[] = [];
/** Bets of all tests in this file. */
const history: Attempt[] = [];
const players: LoadPlayer[] = [];
tellOnFailure(() => platform);

beforeAll(async () => {
  redis = await startRedis();
  platform = await startPlatform({
    parts: ['api', 'api', 'realtime', 'realtime'],
    settings: { REDIS_URL: redis.url },
  });
}, 120_000);
beforeEach(async () => {
  listeners = [];
  for (let i = 0; i < PLAYERS; i++) listeners.push(await listen(newName('socket')));
  players.push(...listeners);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(async () => {
  await platform?.stop();
  await redis?.stop();
});

const signIn = async (username: string) =>
  (await platform.insist('POST', `/debug/auth/login/${username}`)).body as {
    accessToken: { token: string };
    socketToken: { token: string };
  };

/** Creates a player whose client is connected through the load balancer and records received events. */
async function listen(username: string): Promise<Listener> {
  const { token } = (await signIn(username)).accessToken;
  await platform.insist('GET', '/debug/me/give-money?amount=100000', { token });
  const me = await platform.insist('GET', '/user/me', { token });
  const client = connect({
    url: platform.cluster.balanced('realtime'),
    token: async () => (await signIn(username)).socketToken.token,
  });
  clients.push(client);
  const listener: Listener = { id: me.body.id, token, client, settled: [], resyncs: 0 };
  client.on('bet.settled', (_data, frame) => void listener.settled.push(frame));
  client.onResync(() => void listener.resyncs++);
  // The client can resume from `ready` on. It misses events from before.
  await expect.poll(client.lastSeq).toBeDefined();
  return listener;
}

const load = (name: string) =>
  startLoad({
    targets: () => [platform.cluster.balanced('api')],
    players: listeners,
    clients: PLAYERS,
    hot: 0,
    random: platform.random,
    name,
  });

/** Expects that each client has received each of its bets once and in order, and has the same balance as the API returns. */
async function expectHeardAll(): Promise<void> {
  await expectNothingLost(platform, history, players);
  for (const listener of listeners) {
    const bets = await platform.onDb((db) =>
      db.selectFrom('bets').select('id').where('user_id', '=', listener.id).orderBy('id').execute(),
    );
    const ids = bets.map(({ id }) => String(id));
    const state = () => {
      const received = new Set(listener.settled.map(({ data }) => data.betId));
      const missing = ids.filter((id) => !received.has(id));
      return { missing, resyncs: listener.resyncs, isConnected: listener.client.isConnected() };
    };
    await expect.poll(state).toEqual({ missing: [], resyncs: 0, isConnected: true });
    expect(listener.settled.map(({ data }) => data.betId)).toEqual(ids);
    const order = listener.settled.map(({ seq }) => seq);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const { body } = await platform.insist('GET', '/accounting/balances', { token: listener.token });
    const shown = body.find((balance: { currencyId: string }) => balance.currencyId === 'USDT');
    const known = () => listener.client.balances.get('USDT');
    await expect.poll(() => known()?.amount).toBe(shown.amount);
  }
}

test(`reconnects sockets and delivers each event once and in order when realtime processes are killed ${KILLS} times`, async () => {
  const { cluster } = platform;
  const running = load('heard');
  await underLoad(running, history, async () => {
    for (let i = 0; i < KILLS; i++) {
      await sleep(800);
      const name = `realtime-${1 + (i % 2)}`;
      try {
        await cluster.kill(name);
        await sleep(500);
        await expect.poll(() => listeners.every(({ client }) => client.isConnected())).toBe(true);
      } finally {
        await cluster.heal();
      }
      await expect.poll(() => cluster.serving('realtime').length).toBe(2);
    }
    await sleep(500);
  });
  console.log(`${running.history.length} bets of ${PLAYERS} players heard over ${KILLS} kills`);
  await expectHeardAll();
}, 300_000);

test('keeps money, sessions, limits and socket events correct when Redis stops and returns without its data', async () => {
  const { cluster, insist } = platform;
  const gone = await listen(newName('socket_gone'));
  const running = load('away');
  await underLoad(running, history, async () => {
    await redis.stop();
    try {
      const signedOut = await insist('DELETE', '/session/log-out/current', { token: gone.token });
      expect(signedOut.status).toBe(200);
      // A ban ends the player's other sessions, including the client's.
      const ban = `/admin/user/${gone.id}/ban`;
      const { token } = platform.boss;
      expect((await insist('PATCH', ban, { token, body: { banReason: 'Fraud' } })).status).toBe(200);
      await expect.poll(gone.client.isConnected).toBe(false);
      await sleep(REDIS_AWAY_MS);
    } finally {
      await redis.start();
    }
    await sleep(1000);
  });
  expect(running.history.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  // No client is disconnected when Redis loses its contents.
  for (const name of ['api-1', 'api-2']) {
    const me = await call('GET', `${cluster.urlOf(name)}/user/me`, { token: gone.token });
    expect(me.status).toBe(401);
  }
  expect(gone.client.isConnected()).toBe(false);
  expect(listeners.every(({ client }) => client.isConnected())).toBe(true);
  await expectHeardAll();
}, 120_000);
