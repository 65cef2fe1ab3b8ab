import { expect, test } from 'vitest';
import { betReaches, connect, nodes, reaches, startsApi, stop } from '../../test/kit/processes/nodes.ts';
import { startRedis } from '../../test/kit/processes/redis.ts';

const started = startsApi();

test('keeps sockets and the feed working while Redis is down, and reaches all nodes again when Redis returns without data', async () => {
  const api = started();
  const redis = await startRedis();
  const pair = await nodes(api, { REDIS_URL: redis.url });
  const player = await api.newPlayer({ usdt: 100 });
  const [here, there] = [await connect(pair[0], player), await connect(pair[1], player)];
  await reaches(pair, player, there, 'first');
  there.socket.on('ask.back', (_frame, answer) => answer('here'));
  expect(await pair[0].sockets!.send({ event: 'ask.back', userId: player.id })).toMatchObject({
    delivered: 2,
  });
  expect(await pair[0].sockets!.count()).toBe(2);

  await redis.stop();
  await betReaches(player, there);
  await pair[0].sockets!.send({ event: 'local.still', userId: player.id });
  await here.until('local.still');
  expect(await pair[0].sockets!.count()).toBe(1);
  // Every node still receives the event about the end of a session.
  const gone = await api.newPlayer();
  const cut = await connect(pair[1], gone);
  await gone.call('DELETE', '/session/log-out/current');
  await cut.ended(1000);

  await redis.start();
  await reaches(pair, player, there, 'again');
  await expect.poll(() => pair[0].sockets!.count()).toBe(2);
  expect(here.socket.connected && there.socket.connected).toBe(true);
  for (const { lines } of pair) expect(lines.join('')).not.toContain('a-password-of-redis');
  for (const socket of [here, there]) socket.close();
  await stop(pair);
  await redis.stop();
}, 60_000);

test('starts a process while Redis is down', async () => {
  const api = started();
  const redis = await startRedis();
  await redis.stop();
  const pair = await nodes(api, { REDIS_URL: redis.url });
  const player = await api.newPlayer({ usdt: 100 });
  const socket = await connect(pair[1], player);
  await betReaches(player, socket);
  await redis.start();
  await reaches(pair, player, socket, 'now');
  socket.close();
  await stop(pair);
  await redis.stop();
}, 60_000);

test('keeps the messages of two brands separate when they use two databases of one Redis', async () => {
  const api = started();
  const redis = await startRedis();
  const [first, second] = [
    await nodes(api, { REDIS_URL: redis.url }),
    await nodes(api, { REDIS_URL: `${redis.url}/1` }),
  ];
  const player = await api.newPlayer();
  const [own, foreign] = [await connect(first[1], player), await connect(second[1], player)];
  await reaches(first, player, own, 'own.brand');
  await reaches(second, player, foreign, 'other.brand');
  expect(await first[0].sockets!.count()).toBe(1);
  expect(foreign.heard.map(({ event }) => event)).not.toContain('own.brand');
  expect(own.heard.map(({ event }) => event)).not.toContain('other.brand');
  for (const socket of [own, foreign]) socket.close();
  await stop(first);
  await stop(second);
  await redis.stop();
}, 60_000);
