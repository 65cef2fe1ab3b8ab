import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../../test/kit/app.ts';
import { fixture } from '../../test/kit/fixture.ts';
import { connectSocket } from '../../test/kit/http/sockets.ts';

/** One API and two realtime processes on one database. */
const api = fixture(startApp);
const one = fixture(() => startApp({ part: 'realtime', database: api.database }));
const two = fixture(() => startApp({ part: 'realtime', database: api.database }));
const boss = fixture(() => api.as('superadmin'));

type Test = Awaited<ReturnType<typeof connectSocket>>;
const connect = (app: TestApp, player: Pick<Player, 'socketToken'>, more: object = {}): Promise<Test> =>
  connectSocket(app.url, { auth: { socket_token: player.socketToken, ...more } });
const both = (player: Pick<Player, 'socketToken'>, more: object = {}) =>
  Promise.all([connect(one, player, more), connect(two, player, more)]);
const signIn = async ({ username }: Player) => {
  const headers = { 'x-debug-token': api.config.DEBUG_TOKEN! };
  const { body } = await api.call('POST', `/debug/auth/login/${username}`, { headers });
  return { token: body.accessToken.token as string, socketToken: body.socketToken.token as string };
};
const refused = async (work: Promise<unknown>) =>
  work.then(
    () => 'connected',
    (error: Error & { data?: { code: string } }) => error.data?.code,
  );

/** Publishes an event to the sockets of all nodes, as the debug gateway does. */
const emitEvent = (message: object) => api.services.broker.publish('gateway.emit', message);

type End = { reason: string; end: (player: Player) => Promise<{ status: number }> };
const ENDS: Record<string, End> = {
  'the session signs out': {
    reason: 'SIGNED_OUT',
    end: (player) => player.call('DELETE', '/session/log-out/current'),
  },
  'another session of the user ends it': {
    reason: 'ENDED_BY_USER',
    end: async (player) =>
      api.call('DELETE', '/session/log-out/others', { token: (await signIn(player)).token }),
  },
  'the user is banned': {
    reason: 'BANNED',
    end: ({ id }) => boss.call('PATCH', `/admin/user/${id}/ban`, { body: {} }),
  },
};
test.each(Object.keys(ENDS))(
  'closes the sockets on both nodes within a second, with the reason once: %s',
  { retry: 2 },
  async (name) => {
    const { end, reason } = ENDS[name]!;
    const player = await api.newPlayer();
    const witness = await connect(two, await api.newPlayer());
    const sockets = await both(player);
    const began = performance.now();
    expect((await end(player)).status).toBeLessThan(300);
    for (const socket of sockets) expect(await socket.ended(1000)).toBe('io server disconnect');
    expect(performance.now() - began).toBeLessThan(1000);
    for (const socket of sockets) {
      const told = socket.heard.filter(({ event }) => event === 'session.revoked');
      expect(told.map(({ data }) => data)).toEqual([{ sessionId: expect.any(String), reason }]);
      expect(socket.heard.at(-1)?.event).toBe('session.revoked');
    }
    for (const app of [one, two]) {
      expect(await refused(connect(app, player))).toBe('UNAUTHORIZED');
      expect(await refused(connect(app, player, { lastSeq: 1 }))).toBe('UNAUTHORIZED');
    }
    expect(witness.socket.connected).toBe(true);
    witness.close();
  },
);

test('closes only the sockets of sessions that were signed out on another node', async () => {
  const player = await api.newPlayer();
  const other = await signIn(player);
  const [own, foreign] = [await both(player), await both(other)];
  expect((await player.call('DELETE', '/session/log-out/others')).status).toBeLessThan(300);
  for (const socket of foreign) expect(await socket.ended(1000)).toBe('io server disconnect');
  for (const socket of own) {
    expect(await socket.ask('ping')).toMatchObject({ seq: expect.any(Number) });
    socket.close();
  }
});

test('removes a user from the staff room immediately when they lose their permissions', async () => {
  const clerk = await api.as({ permissions: ['user.read'] });
  const sockets = await both(clerk, { rooms: ['admin'] });
  for (const socket of sockets) expect((await socket.until('ready')).data.rooms).toContain('admin');
  const path = `/admin/user/${clerk.id}/permissions`;
  expect((await boss.call('PUT', path, { body: { permissions: [] } })).status).toBeLessThan(300);
  for (const socket of sockets) {
    await socket.until('error', ({ data }) => data.details?.room === 'admin', 1000);
    expect((await socket.ask('subscribe', { room: 'admin' })).error.code).toBe('FORBIDDEN');
  }
  await emitEvent({ event: 'staff.only', room: 'admin' });
  await emitEvent({ event: 'for.all' });
  for (const socket of sockets) {
    await socket.until('for.all');
    expect(socket.heard.filter(({ event }) => event === 'staff.only')).toEqual([]);
    socket.close();
  }
});

test('removes an excluded player from game rooms on both nodes within a second, and blocks the player from entering again', {
  retry: 2,
}, async () => {
  const player = await api.newPlayer();
  const rooms = ['game:speed-roulette'];
  const sockets = await both(player, { rooms });
  const began = performance.now();
  const excluded = await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(excluded.status).toBe(201);
  for (const socket of sockets) {
    const { data } = await socket.until('exclusion.started', undefined, 1000);
    expect(data.expiresAt).toBe(excluded.body.expiresAt);
  }
  expect(performance.now() - began).toBeLessThan(1000);
  for (const socket of sockets) {
    expect((await socket.ask('subscribe', { room: rooms[0] })).error.code).toBe('EXCLUDED');
    const { seq } = await socket.ask('ping');
    expect(await socket.ask('resume', { lastSeq: seq })).toMatchObject({ ok: true });
  }
  await emitEvent({ event: 'round', room: rooms[0] });
  await emitEvent({ event: 'for.all' });
  for (const socket of sockets) {
    await socket.until('for.all');
    expect(socket.heard.filter(({ event }) => event === 'round')).toEqual([]);
    socket.close();
  }
  const again = await connect(two, player, { rooms, lastSeq: sockets[1]!.heard.at(-1)!.seq });
  expect((await again.until('ready')).data.rooms).not.toContain(rooms[0]);
  again.close();
});

test('detects changes whose notification was lost as soon as notifications arrive again', async () => {
  const player = await api.newPlayer();
  const socket = await connect(one, player);
  await api.sql`update sessions set revoked_at = now(), revoked_reason = 'test' where user_id = ${player.id}`.execute(
    api.db,
  );
  await api.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'croupier realtime clock' and datname = current_database()`.execute(api.db);
  expect(await socket.ended(5000)).toBe('io server disconnect');
});

test('sends players their own balances and bets on any node, and never those of other players', async () => {
  const [player, other] = [await api.newPlayer({ usdt: 100 }), await api.newPlayer({ usdt: 100 })];
  const [sockets, watching] = [await both(player), await connect(two, other)];
  const { betId } = (await betOnDice(player)).body;
  expect(betId).toBeDefined();
  for (const socket of sockets) {
    const settled = await socket.until('bet.settled');
    const balance = await socket.until('balance.updated', ({ data }) => data.currencyId === 'USDT');
    expect(balance.seq).toBeGreaterThanOrEqual(settled.seq);
    expect(JSON.stringify(settled.data)).toContain(`"${betId}"`);
  }
  await betOnDice(other);
  await watching.until('bet.settled');
  await sleep(100);
  const seen = watching.heard.filter(({ event }) => event === 'bet.settled' || event === 'balance.updated');
  expect(JSON.stringify(seen)).not.toContain(`"${betId}"`);
  expect(seen.filter(({ event }) => event === 'bet.settled')).toHaveLength(1);
  for (const socket of [...sockets, watching]) socket.close();
});

test('sends missed events once and in order, and then live events, to a client that reconnects to another node', async () => {
  const player = await api.newPlayer({ usdt: 1000 });
  const before = await connect(one, player);
  await betOnDice(player);
  const last = (await before.until('bet.settled')).seq;
  before.close();
  const missed: string[] = [];
  for (let i = 0; i < 20; i++) missed.push((await betOnDice(player)).body.betId);
  let isPlaying = true;
  const live: string[] = [];
  const playing = (async () => {
    while (isPlaying) live.push((await betOnDice(player)).body.betId);
  })();
  const after = await connect(two, player, { lastSeq: last });
  await sleep(200);
  expect(await after.ask('resume', { lastSeq: last })).toMatchObject({ ok: true, seq: expect.any(Number) });
  isPlaying = false;
  await playing;
  await after.until('bet.settled', ({ data }) => JSON.stringify(data).includes(`"${live.at(-1)}"`));

  const settled = after.heard.filter(({ event }) => event === 'bet.settled');
  const again = settled.findIndex(({ seq }, i) => i > 0 && seq <= settled[i - 1]!.seq);
  // The frames arrive twice: once after the handshake and once after a later request.
  const [first, second] = [settled.slice(0, again), settled.slice(again)];
  for (const run of [first, second]) {
    const seqs = run.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(seqs[0]).toBeGreaterThan(last);
  }
  const ids = second.map(({ data }) =>
    [...missed, ...live].find((id) => JSON.stringify(data).includes(`"${id}"`)),
  );
  expect(ids).toEqual([...missed, ...live]);
  // The balance in the last frame equals the balance that HTTP returns.
  const balances = after.heard.filter(
    ({ event, data }) => event === 'balance.updated' && data.currencyId === 'USDT',
  );
  const { body } = await player.call<{ currencyId: string; amount: string }[]>('GET', '/accounting/balances');
  const cash = body.find(({ currencyId }) => currencyId === 'USDT')!.amount;
  await expect
    .poll(
      () => balances.concat(after.heard).findLast(({ event }) => event === 'balance.updated')?.data.amount,
    )
    .toBe(cash);
  after.close();
});

test("requests a resync in the handshake and by message when the client's position is too old", async () => {
  const player = await api.newPlayer({ usdt: 10 });
  await betOnDice(player);
  await api.sql`update bets set created_at = created_at - interval '1 hour', settled_at = settled_at - interval '1 hour'
    where user_id = ${player.id}`.execute(api.db);
  const socket = await connect(one, player, { lastSeq: 1 });
  await socket.until('resync');
  expect(socket.heard.map(({ event }) => event).indexOf('resync')).toBeLessThan(
    socket.heard.map(({ event }) => event).indexOf('ready'),
  );
  expect(await socket.ask('resume', { lastSeq: 1 })).toMatchObject({ ok: false, error: { code: 'RESYNC' } });
  // Snapshots are sent afterwards, so the client does not have to request its balance.
  for (const at of [0, socket.heard.findLastIndex(({ event }) => event === 'resync')]) {
    const after = socket.heard.slice(socket.heard.findIndex(({ event }, i) => i >= at && event === 'resync'));
    const balance = after.find(({ event }) => event === 'balance.updated')!;
    const { body } = await player.call('GET', '/accounting/balances');
    expect(balance.data).toMatchObject({ amount: body[0].amount, version: body[0].version });
  }
  const named = socket.heard.map(({ event }) => event);
  expect(named.indexOf('balance.updated')).toBeLessThan(named.indexOf('ready'));
  // A client that resumes from `ready` gets every event that is not part of the snapshots.
  expect(socket.heard[named.indexOf('ready')]!.seq).toBe(socket.heard[named.indexOf('balance.updated')]!.seq);
  socket.close();
});

test('sends no end-of-session event to a session that began right after all others had ended', async () => {
  const player = await api.newPlayer();
  const before = await connect(one, player);
  const { seq } = await before.ask('ping');
  for (const action of ['ban', 'unban'])
    expect((await boss.call('PATCH', `/admin/user/${player.id}/${action}`, { body: {} })).status).toBe(200);
  expect((await before.until('session.revoked')).data.reason).toBe('BANNED');
  const fresh = await signIn(player);
  // Events from before the start of the session are sent neither to live nor to reconnecting clients.
  const sockets = [await connect(one, fresh), await connect(two, fresh, { lastSeq: seq })];
  await emitEvent({ event: 'for.all' });
  for (const socket of sockets) {
    await socket.until('for.all');
    expect(socket.heard.filter(({ event }) => event === 'session.revoked')).toEqual([]);
    socket.close();
  }
});

test('reports the reason when a session expires', async () => {
  const player = await api.newPlayer();
  const socket = await connect(two, player);
  await api.sql`update sessions set expires_at = now() where user_id = ${player.id}`.execute(api.db);
  await api.sql`select pg_notify('access_changed', ${`user:${player.id}`})`.execute(api.db);
  expect((await socket.until('session.revoked')).data.reason).toBe('EXPIRED');
  expect(await socket.ended()).toBe('io server disconnect');
});

test('sends gateway messages to the sockets of all nodes and counts their acknowledgements', async () => {
  const player = await api.newPlayer();
  const sockets = await both(player);
  const quiet = await connect(two, player);
  for (const { socket } of sockets) socket.on('hello', (_frame, answer) => answer?.('got it'));
  const gateway = one.sockets!;
  expect(await gateway.send({ event: 'hello', userId: player.id, data: { x: 1 } })).toEqual({
    delivered: 3,
    acknowledged: 2,
  });
  await emitEvent({ event: 'hello', room: 'public', data: 'x'.repeat(20_000) });
  for (const socket of [...sockets, quiet]) {
    const { data, seq, at } = await socket.until(
      'hello',
      (frame) => frame.data !== null && frame.data.x === undefined,
    );
    expect([data.length, typeof seq, typeof at]).toEqual([20_000, 'number', 'string']);
  }
  expect(await gateway.count()).toBe(one.sockets!.sockets() + two.sockets!.sockets());
  const message = { event: 'hello', userId: player.id };
  expect(await api.services.broker.request('gateway.send', message)).toEqual({
    delivered: 3,
    acknowledged: 2,
  });
  for (const event of ['connect', 'disconnect', 'newListener', '', 'x y'])
    expect(() => gateway.emit({ event })).toThrow();
  for (const socket of [...sockets, quiet]) socket.close();
});
