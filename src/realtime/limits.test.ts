import { afterAll, beforeAll, expect, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../../test/kit/app.ts';
import { connectSocket } from '../../test/kit/http/sockets.ts';
import { until } from '../../test/kit/until.ts';

const MESSAGES = 20;
const FRAMES = 30;

/** One API and two realtime processes, which share their counters through one database. */
let api: TestApp;
let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  const env = {
    REALTIME_MESSAGES_PER_MINUTE: String(MESSAGES),
    REALTIME_RESUME_FRAMES_PER_MINUTE: String(FRAMES),
  };
  api = await startApp();
  one = await startApp({ part: 'realtime', database: api.database, env });
  two = await startApp({ part: 'realtime', database: api.database, env });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
  await api.stop();
});
const connect = (app: TestApp, player: Player, more: object = {}) =>
  connectSocket(app.url, { auth: { socket_token: player.socketToken, ...more } });

/** Waits until enough of the current minute is left, because counts start from zero in the next minute. */
const withinAMinute = (ms: number) => until(() => 60_000 - (Date.now() % 60_000) > ms, 60_000);

test('counts rejected messages across all processes, and closes the socket after the third rejection', async () => {
  const player = await api.newPlayer();
  await withinAMinute(30_000);
  const [here, there] = [await connect(one, player), await connect(two, player)];
  for (let i = 0; i < MESSAGES; i++) await here.ask('ping');
  for (let strike = 0; strike < 2; strike++)
    expect(await here.ask('ping')).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  expect(here.socket.connected).toBe(true);
  // The other process receives the counters shortly afterwards. It then also rejects messages, and its rejection is the third one.
  await until(() => {
    there.socket.emit('ping');
    return there.socket.disconnected;
  });
  expect(await there.ended()).toBe('io server disconnect');
  // This process itself had not rejected three messages.
  const refusals = there.heard.filter(({ data }) => data?.code === 'RATE_LIMITED').length;
  expect([1, 2]).toContain(refusals);
  here.close();
});

test("limits a player's resent events per minute across all processes, without affecting other players", async () => {
  const [player, other] = [await api.newPlayer({ usdt: 100 }), await api.newPlayer({ usdt: 100 })];
  await withinAMinute(30_000);
  const [here, there] = [await connect(one, player), await connect(two, player)];
  const { seq } = await here.ask('ping');
  const bets = 12;
  for (let i = 0; i < bets; i++) await betOnDice(player);
  // Events that the process has not read yet are not resent, so they are not counted.
  await until(() => here.heard.filter(({ event }) => event === 'bet.settled').length === bets);
  let told = 0;
  let refused: any;
  await until(async () => {
    const answer = await here.ask('resume', { lastSeq: seq });
    if (answer.ok) told++;
    else refused = answer.error;
    return refused !== undefined;
  });
  expect([told, refused.code]).toEqual([Math.ceil(FRAMES / bets), 'RESUME_LIMITED']);
  expect(refused.details.retryAfterSeconds).toBeGreaterThan(0);
  expect(refused.details.retryAfterSeconds).toBeLessThanOrEqual(60);
  await until(async () => (await there.ask('resume', { lastSeq: seq })).error?.code === 'RESUME_LIMITED');
  // Reaching this limit is not a strike, and the socket stays open.
  expect(await here.ask('ping')).toMatchObject({ seq: expect.any(Number) });
  // If the limit is reached during the handshake, the client is still admitted and receives the error and the current state.
  const back = await connect(two, player, { lastSeq: seq });
  expect((await back.until('error')).data).toMatchObject({ code: 'RESUME_LIMITED' });
  const named = back.heard.map(({ event }) => event);
  expect(named.indexOf('resync')).toBeGreaterThanOrEqual(0);
  expect(named.indexOf('balance.updated')).toBeGreaterThan(named.indexOf('resync'));
  expect(named).not.toContain('bet.settled');
  const { betId } = (await betOnDice(player)).body;
  await back.until('bet.settled', ({ data }) => JSON.stringify(data).includes(`"${betId}"`));
  await betOnDice(other);
  expect((await (await connect(one, other, { lastSeq: seq })).until('bet.settled')).seq).toBeGreaterThan(seq);
  for (const socket of [here, there, back]) socket.close();
});

test('resends all missed events to a client that loses its connection repeatedly', async () => {
  const player = await api.newPlayer({ usdt: 100 });
  await withinAMinute(40_000);
  let socket = await connect(one, player);
  let { seq } = await socket.ask('ping');
  for (let loss = 0; loss < 15; loss++) {
    socket.close();
    const { betId } = (await betOnDice(player)).body;
    socket = await connect(loss % 2 === 0 ? two : one, player, { lastSeq: seq });
    const settled = await socket.until('bet.settled', ({ data }) =>
      JSON.stringify(data).includes(`"${betId}"`),
    );
    expect(socket.heard.map(({ event }) => event)).not.toContain('resync');
    seq = settled.seq;
  }
  socket.close();
});
