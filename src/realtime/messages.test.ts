import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../test/kit/app.ts';
import { tell } from '../../test/kit/engagement/feed.ts';
import { connectSocket } from '../../test/kit/http/sockets.ts';

let api: TestApp;
let realtime: TestApp;
const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', note).on('unhandledRejection', note);
  api = await startApp();
  realtime = await startApp({ part: 'realtime', database: api.database });
});
afterAll(async () => {
  process.off('uncaughtExceptionMonitor', note).off('unhandledRejection', note);
  await realtime.stop();
  await api.stop();
});
afterEach(() => expect(unhandled.splice(0)).toEqual([]));

const connect = (player: Player, more: object = {}) =>
  connectSocket(realtime.url, { auth: { socket_token: player.socketToken, ...more } });
const codeOf = (answer: { error?: { code: string } }) => answer.error?.code ?? 'ok';
/** Limits apply per clock minute, so a test must not begin at the end of a minute. */
async function withinAMinute(ms: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < ms) await sleep(left);
}
/** Opens a WebSocket over which the test sends raw protocol packets. */
async function wire(token?: string) {
  const socket = new WebSocket(`${realtime.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()));
  const lines: string[] = [];
  socket.addEventListener('message', ({ data }) => lines.push(String(data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  if (token !== undefined) {
    socket.send(`40${JSON.stringify({ socket_token: token })}`);
    await expect.poll(() => lines.some((line) => line.startsWith('42["ready"'))).toBe(true);
  }
  return { socket, closed, lines };
}

test('rejects rooms of other players, staff rooms and unknown rooms', async () => {
  const [one, other] = [await api.newPlayer(), await api.newPlayer()];
  const clerk = await api.as({ permissions: ['user.read'] });
  const [socket, staff] = [await connect(one), await connect(clerk)];
  const answers: Record<string, string> = {
    [`user:${other.id}`]: 'FORBIDDEN',
    [`user:${one.id}`]: 'ok',
    'user:0': 'FORBIDDEN',
    [`user:${other.id} `]: 'FORBIDDEN',
    admin: 'FORBIDDEN',
    public: 'ok',
    'game:speed-roulette': 'ok',
    'game:': 'ROOM_NOT_FOUND',
    Admin: 'ROOM_NOT_FOUND',
    ADMIN: 'ROOM_NOT_FOUND',
    __proto__: 'ROOM_NOT_FOUND',
    constructor: 'ROOM_NOT_FOUND',
    [socket.socket.id!]: 'ROOM_NOT_FOUND',
    '': 'VALIDATION_FAILED',
  };
  for (const [room, code] of Object.entries({ ...answers, ['__proto__' as string]: 'ROOM_NOT_FOUND' }))
    expect([room, codeOf(await socket.ask('subscribe', { room }))]).toEqual([room, code]);
  for (const room of [null, 1, ['admin'], { room: 'admin' }, 'x'.repeat(65)])
    expect(codeOf(await socket.ask('subscribe', { room }))).toBe('VALIDATION_FAILED');
  expect(codeOf(await staff.ask('subscribe', { room: 'admin' }))).toBe('ok');
  expect(codeOf(await socket.ask('unsubscribe', { room: `user:${one.id}` }))).toBe('FORBIDDEN');
  expect(codeOf(await socket.ask('unsubscribe', { room: 'game:speed-roulette' }))).toBe('ok');

  // The socket has entered none of these rooms, neither on request nor in the handshake.
  const crafty = await connect(one, {
    rooms: ['admin', `user:${other.id}`, 'nowhere', 'game:speed-roulette'],
  });
  expect((await crafty.until('ready')).data.rooms).toEqual([
    `user:${one.id}`,
    'public',
    'game:speed-roulette',
  ]);
  expect(crafty.heard.filter(({ event }) => event === 'error').map(({ data }) => data.details.room)).toEqual([
    'admin',
    `user:${other.id}`,
    'nowhere',
  ]);
  const sockets = realtime.sockets!;
  sockets.emit({ event: 'staff.only', room: 'admin' });
  sockets.emit({ event: 'others.only', userId: other.id });
  sockets.emit({ event: 'own.only', userId: one.id });
  await crafty.until('own.only');
  await socket.until('own.only');
  await staff.until('staff.only');
  for (const { heard } of [socket, crafty]) {
    expect(heard.filter(({ event }) => event === 'staff.only' || event === 'others.only')).toEqual([]);
  }
  for (const one of [socket, staff, crafty]) one.close();
});

test('reports an unknown or invalid message in the acknowledgement or in an error frame', async () => {
  const socket = await connect(await api.newPlayer());
  expect(codeOf(await socket.ask('toString'))).toBe('UNKNOWN_EVENT');
  expect(codeOf(await socket.ask('__proto__', {}))).toBe('UNKNOWN_EVENT');
  expect(codeOf(await socket.ask('ready', {}))).toBe('UNKNOWN_EVENT');
  expect(codeOf(await socket.ask('subscribe'))).toBe('VALIDATION_FAILED');
  expect(codeOf(await socket.ask('subscribe', { room: 'admin', x: 1 }))).toBe('VALIDATION_FAILED');
  expect(codeOf(await socket.ask('ping', {}, {}))).toBe('VALIDATION_FAILED');
  expect(codeOf(await socket.ask('resume', { lastSeq: -1 }))).toBe('VALIDATION_FAILED');
  expect(codeOf(await socket.ask('resume', { lastSeq: 1.5 }))).toBe('VALIDATION_FAILED');
  socket.socket.emit('subscribe', { room: 7 });
  await socket.until('error', ({ data }) => data.code === 'VALIDATION_FAILED');
  socket.socket.emit('nothing');
  const { seq, at, data } = await socket.until('error', (frame) => frame.data.code === 'UNKNOWN_EVENT');
  expect({ seq: typeof seq, at: new Date(at).toISOString(), message: typeof data.message }).toEqual({
    seq: 'number',
    at,
    message: 'string',
  });
  expect(await socket.ask('ping')).toMatchObject({ seq: expect.any(Number) });
  socket.close();
});

test('keeps running when it receives 5,000 tampered frames', async () => {
  const player = await api.newPlayer();
  const room = '["subscribe",{"room":"admin"}]';
  const good = [
    '2',
    '3',
    '40',
    '40{"socket_token":"x"}',
    `42${room}`,
    `421${room}`,
    '41',
    '430[]',
    '44{}',
    '4',
  ];
  const names = [
    'connect',
    'connect_error',
    'disconnect',
    'disconnecting',
    'newListener',
    'removeListener',
    'error',
  ];
  const odd = [
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toString',
    'then',
    'close',
    'end',
    'message',
    'data',
  ];
  const events = [...names, ...odd].flatMap((name) => [
    `42["${name}",{}]`,
    `420["${name}"]`,
    `42["${name}",{"room":{"then":1}}]`,
  ]);
  const binary = [
    '451-["subscribe",{"_placeholder":true,"num":0}]',
    '4511-["x"]',
    '45-1-["x"]',
    '461-["x"]',
    '45__proto__-["x"]',
  ];
  const shapes = [
    '42',
    '420',
    '42[]',
    '42[1]',
    '42[null]',
    '42{}',
    '42"x"',
    '429e99["ping"]',
    '42/x,["ping"]',
    '42/__proto__,[]',
    '40/admin,',
    '40{"rooms":1}',
    '4',
    '6',
    'b4AAAA',
  ];
  const corpus = [...good, ...events, ...binary, ...shapes];
  const mutated = fc
    .tuple(
      fc.constantFrom(...corpus),
      fc.nat(60),
      fc.constantFrom('', '"', '[', '\u0000', '\ud800', '9', '/', ',', '{"a":', 'A'.repeat(200)),
      fc.nat(3),
    )
    .map(([text, at, insert, cut]) => text.slice(0, at) + insert + text.slice(at + cut));
  const frames = [...corpus, ...fc.sample(mutated, { numRuns: 5000 - corpus.length, seed: 20261122 })];
  let at = 0;
  for (let turns = 0; at < frames.length && turns < 4000; turns++) {
    // Every other connection sends messages without authenticating.
    const { socket, closed } = await wire(turns % 4 === 0 ? player.socketToken : undefined);
    for (; at < frames.length && socket.readyState === WebSocket.OPEN; ) {
      socket.send(frames[at++]!);
      if (at % 8 === 0) await Promise.race([closed, sleep(1)]);
    }
    socket.close();
    await closed;
  }
  expect(at).toBe(frames.length);
  const other = await connect(await api.newPlayer());
  expect(await other.ask('ping')).toMatchObject({ seq: expect.any(Number) });
  expect((await realtime.call('GET', '/health')).status).toBe(200);
  other.close();
}, 240_000);

test("accepts 240 messages a minute across all of a player's sockets, and disconnects after the third message above this limit", async () => {
  const player = await api.newPlayer();
  const [one, two] = [await connect(player), await connect(player)];
  await withinAMinute(10_000);
  const answers = await Promise.all(
    Array.from({ length: 240 }, (_, i) => (i % 2 === 0 ? one : two).ask('ping')),
  );
  expect(answers.filter((answer) => answer.seq === undefined)).toEqual([]);
  expect(await one.ask('ping')).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  await one.until('error', ({ data }) => data.code === 'RATE_LIMITED');
  two.socket.emit('ping');
  await two.until('error', ({ data }) => data.code === 'RATE_LIMITED');
  expect(two.socket.connected).toBe(true);
  two.socket.emit('ping');
  expect(await two.ended()).toBe('io server disconnect');
  // Reconnecting does not reset the limit.
  const again = await connect(player);
  again.socket.emit('ping');
  expect(await again.ended()).toBe('io server disconnect');
  expect(one.socket.connected).toBe(true);
  one.close();
});

test('disconnects a client that sends a burst of 50,000 messages within a second, without delaying others', {
  retry: 2,
}, async () => {
  const [offender, other] = [await api.newPlayer(), await api.newPlayer()];
  const quiet = await connect(other);
  const loud = await wire(offender.socketToken);
  const began = performance.now();
  for (let i = 0; i < 50_000; i++) loud.socket.send('42["ping",{}]');
  const sent = performance.now();
  const waits: number[] = [];
  let isOpen = true;
  void loud.closed.then(() => {
    isOpen = false;
  });
  while (isOpen && performance.now() - sent < 5000) {
    const asked = performance.now();
    await quiet.ask('ping');
    waits.push(performance.now() - asked);
    await sleep(5);
  }
  expect(isOpen).toBe(false);
  expect(performance.now() - sent).toBeLessThan(1000 + (sent - began));
  const answered = loud.lines.filter((line) => line.startsWith('43')).length;
  expect(answered).toBeLessThanOrEqual(240);
  quiet.close();
});

test('disconnects a client for oversized frames, attachments and invalid packets', async () => {
  const player = await api.newPlayer();
  const spoil: ((socket: WebSocket) => void)[] = [
    (socket) => socket.send(`42["ping",{"x":"${'x'.repeat(1024 * 1024)}"}]`),
    (socket) => socket.send(`42["ping",{"x":"${'x'.repeat(17 * 1024)}"}]`),
    (socket) => socket.send(new Uint8Array(10)),
    (socket) => {
      socket.send('4511-["subscribe",{"_placeholder":true,"num":0}]');
      for (let i = 0; i < 11; i++) socket.send(new Uint8Array(10));
    },
    (socket) => {
      for (let i = 0; i < 3000; i++) socket.send('430[]');
    },
    // A client without a socket is removed from all rooms.
    (socket) => socket.send('41'),
  ];
  for (const [i, send] of spoil.entries()) {
    const { socket, closed } = await wire(player.socketToken);
    send(socket);
    const end = await Promise.race([closed.then(() => 'closed'), sleep(3000, 'open')]);
    expect([i, end]).toEqual([i, 'closed']);
  }
});

test('resends missed events only once and before live events, even when requests are concurrent', async () => {
  const player = await api.newPlayer();
  const before = await connect(player);
  await before.until('ready');
  const { seq: lastSeq } = await before.ask('ping', {});
  for (let i = 0; i < 3; i++) await tell(api, player.id, i);
  await expect.poll(() => before.heard.filter(({ event }) => event === 'deposit.status').length).toBe(3);
  before.close();

  const { socket, heard, ask, close } = await connect(player);
  const answers = Promise.all([1, 2, 3].map(() => ask('resume', { lastSeq })));
  const room = 'game:speed-roulette';
  expect(codeOf(await ask('subscribe', { room }))).toBe('ok');
  expect((await answers).map(codeOf)).toEqual(['ok', 'RATE_LIMITED', 'RATE_LIMITED']);
  await tell(api, player.id, 3);
  const seqs = () => heard.filter(({ event }) => event === 'deposit.status').map(({ seq }) => seq);
  await expect.poll(() => seqs().length).toBe(4);
  expect(seqs()).toEqual(seqs().toSorted((a, b) => a - b));
  realtime.sockets!.emit({ event: 'in.room', room });
  await expect.poll(() => heard.some(({ event }) => event === 'in.room')).toBe(true);
  expect(socket.connected).toBe(true);
  close();
});
