import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../../../../test/kit/accounts/second-factor.ts';
import { type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { connectSocket } from '../../../../../test/kit/http/sockets.ts';
import { createSessions } from './sessions.ts';

/** Processes that use one database: two ordinary ones, one for sockets, and one in which idle sessions of players end too. */
let one: TestApp;
let two: TestApp;
let realtime: TestApp;
let hasty: TestApp;
let boss: Player;
beforeAll(async () => {
  one = await startApp();
  const { database } = one;
  two = await startApp({ database });
  realtime = await startApp({ database, part: 'realtime' });
  hasty = await startApp({ database, env: { PLAYER_IDLE_MINUTES: '10' } });
  boss = await one.as('superadmin');
});
afterAll(async () => {
  for (const app of [hasty, realtime, two, one]) await app.stop();
});

const DAY = 86_400;
const HOUR = 3600;
const MINUTE = 60;
const RIGHT = { permissions: ['user.read'] };
const idOf = (token: string) => String(decodeJwt(token).sid);
const statusOf = async ({ token }: Pick<Player, 'token'>, app = one) =>
  (await app.call('GET', '/user/me', { token })).status;
const refresh = ({ refreshToken }: Pick<Player, 'refreshToken'>, app = one) =>
  app.call('POST', '/auth/refresh', { headers: { 'refresh-token': refreshToken } });
const rowOf = ({ token }: Pick<Player, 'token'>) =>
  one.db.selectFrom('sessions').selectAll().where('id', '=', idOf(token)).executeTakeFirstOrThrow();

/** Moves the sign-in and the last request back by the given number of seconds, and clears the session from the cache of every process. */
async function age({ token }: Pick<Player, 'token'>, { signedIn = 0, asked = 0 }) {
  await one.services.sessions.flush();
  await two.services.sessions.flush();
  await hasty.services.sessions.flush();
  await one.sql`update sessions set created_at = created_at - make_interval(secs => ${signedIn}),
    rights_until = rights_until - make_interval(secs => ${signedIn}),
    last_request_at = last_request_at - make_interval(secs => ${asked}) where id = ${idOf(token)}`.execute(
    one.db,
  );
  await one.sql`select pg_notify('access_changed', ${`session:${idOf(token)}`})`.execute(one.db);
  // Notifications arrive in order, so a process that has received this notification has also received the previous one.
  for (const app of [one, two, hasty])
    await app.services.databaseClock.onNotice('access_changed', () => undefined);
}
const endOf = async (player: Player) => {
  const { body } = await player.call('GET', '/session');
  return Date.parse(body.find(({ current }: { current: boolean }) => current).expiresAt);
};
const setRights = async (user: Player, permissions: string[]) => {
  const answer = await boss.call('PUT', `/admin/user/${user.id}/permissions`, { body: { permissions } });
  expect(outcome(answer)).toBe('200');
};
/** Expects that both processes reject the session and that it cannot be refreshed. */
async function expectOver(session: Player) {
  for (const app of [one, two]) await expect.poll(() => statusOf(session, app)).toBe(401);
  expect(outcome(await refresh(session))).toBe('401 UNAUTHORIZED');
  await expect(
    connectSocket(realtime.url, { auth: { socket_token: session.socketToken } }),
  ).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } });
}
const near = (at: number, expected: number) =>
  expect(Math.abs(at - expected) / 1000, `${new Date(at)} is not ${new Date(expected)}`).toBeLessThan(60);

describe('end of a session 90 days after sign-in', () => {
  test('expires the last tokens and the cookies at the end of the session that the session list shows', async () => {
    const player = await one.newPlayer();
    near(await endOf(player), Date.now() + 30 * DAY * 1000);
    await age(player, { signedIn: 90 * DAY - 600 });
    const answer = await refresh(player);
    const end = Date.now() + 600_000;
    const { accessToken, refreshToken, socketToken } = answer.body;
    for (const token of [accessToken, refreshToken, socketToken]) near(Date.parse(token.expiresAt), end);
    for (const { token } of [accessToken, socketToken]) near(decodeJwt(token).exp! * 1000, end);
    const created = (await rowOf(player)).created_at.getTime();
    expect(decodeJwt(accessToken.token).exp! * 1000).toBeLessThanOrEqual(created + 90 * DAY * 1000);
    const cookies = answer.headers
      .getSetCookie()
      .filter((cookie) => /^__Host-(access|refresh)_token=[^;]/.test(cookie));
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) near(Date.parse(/Expires=([^;]+)/.exec(cookie)![1]!), end);
    near(await endOf(player), end);
    const next = { ...player, token: accessToken.token, refreshToken: refreshToken.token };
    await age(next, { signedIn: 601 });
    await expectOver(next);
  });

  test('removes a session from the cache when it ends, without a notification', async () => {
    const player = await one.newPlayer();
    await age(player, { signedIn: 90 * DAY - 3 });
    const before = await one.services.sessions.authenticator.verify(player.token).catch(() => undefined);
    // On a busy machine, the session may already have ended by now.
    if (before) await expect.poll(() => statusOf(player)).toBe(401);
    expect(one.services.sessions.authenticator.peek(player.token)).toBeUndefined();
  });

  test('hides an ended session from the session list, and excludes it from revocation and from the count of other sessions', async () => {
    const player = await one.newPlayer();
    const { body } = await one.call('POST', `/debug/auth/login/${player.username}`, {
      headers: { 'x-debug-token': one.config.DEBUG_TOKEN ?? '' },
    });
    await age({ token: body.accessToken.token }, { signedIn: 91 * DAY });
    expect((await player.call('GET', '/session')).body).toHaveLength(1);
    const id = idOf(body.accessToken.token);
    expect(outcome(await player.call('DELETE', `/session/${id}`))).toBe('404 SESSION_NOT_FOUND');
    expect((await player.call('DELETE', '/session/log-out/others')).body).toEqual({ revoked: 0 });
  });
});

describe('sessions of staff', () => {
  test('ends staff sessions after 12 hours, even when they are used', async () => {
    const clerk = await one.as(RIGHT);
    await age(clerk, { signedIn: 12 * HOUR - 300 });
    const answer = await refresh(clerk);
    near(Date.parse(answer.body.refreshToken.expiresAt), Date.now() + 300_000);
    near(decodeJwt(answer.body.socketToken.token).exp! * 1000, Date.now() + 300_000);
    expect(await statusOf(clerk)).toBe(200);
    near(await endOf(clerk), Date.now() + 300_000);
    await age(clerk, { signedIn: 301 });
    await expectOver({ ...clerk, refreshToken: answer.body.refreshToken.token });
  });

  test('ends staff sessions after 30 minutes without a request', async () => {
    const clerk = await one.as(RIGHT);
    near(await endOf(clerk), Date.now() + 30 * MINUTE * 1000);
    await age(clerk, { asked: 29 * MINUTE });
    expect(await statusOf(clerk)).toBe(200);
    await age(clerk, { asked: 30 * MINUTE + 5 });
    await expectOver(clerk);
  });

  test('does not count a token refresh as a request in a staff session', async () => {
    const clerk = await one.as(RIGHT);
    await age(clerk, { asked: 29 * MINUTE });
    const answer = await refresh(clerk);
    expect(answer.status).toBe(201);
    await age(clerk, { asked: 2 * MINUTE });
    await expectOver({ ...clerk, refreshToken: answer.body.refreshToken.token });
  });

  test('keeps a staff session alive in all processes after a request to one, even within a minute of the previous request', async () => {
    const clerk = await one.as(RIGHT);
    for (const app of [one, two]) expect(await statusOf(clerk, app)).toBe(200);
    await age(clerk, { asked: 29 * MINUTE });
    expect(await statusOf(clerk, two)).toBe(200);
    await expect
      .poll(async () => Date.now() - (await rowOf(clerk)).last_request_at.getTime())
      .toBeLessThan(5 * MINUTE * 1000);
    await age(clerk, { asked: 20 * MINUTE });
    for (const app of [one, two]) expect(await statusOf(clerk, app)).toBe(200);
  });

  test('stores only the first and the last of a thousand requests in a staff session', async () => {
    const clerk = await one.as(RIGHT);
    await age(clerk, { asked: 5 * MINUTE });
    const versions = async () =>
      (
        await one.sql<{
          xmin: string;
        }>`select xmin::text from sessions where id = ${idOf(clerk.token)}`.execute(one.db)
      ).rows[0]!.xmin;
    const seen = new Set([await versions()]);
    expect(await statusOf(clerk)).toBe(200);
    await expect.poll(async () => seen.add(await versions()).size).toBe(2);
    for (let i = 0; i < 100; i++) {
      for (let j = 0; j < 10; j++) one.services.sessions.authenticator.peek(clerk.token);
      if (i % 10 === 0) seen.add(await versions());
    }
    expect(seen.size).toBe(2);
    await one.services.sessions.flush();
    expect(seen.add(await versions()).size).toBe(3);
  });

  test('keeps a staff session alive when another process has received a more recent request', async () => {
    const { db, config, databaseClock, log } = one.services;
    const quick = () =>
      createSessions({
        db,
        databaseClock,
        log: log.named('auth'),
        // In this test, the idle limit of staff is three seconds.
        config: { ...config, STAFF_IDLE_MINUTES: 0.05 },
      }).authenticator;
    const [here, there] = [quick(), quick()];
    const clerk = await one.as(RIGHT);
    const last = (offset: string) =>
      one.sql`update sessions set last_request_at = now() + ${offset}::interval where id = ${idOf(clerk.token)}`.execute(
        one.db,
      );
    await last('1 hour');
    for (const process of [here, there]) expect((await process.verify(clerk.token)).id).toBe(clerk.id);
    await expect
      .poll(() => here.peek(clerk.token) && 'asked', { interval: 5000, timeout: 20_000 })
      .toBeUndefined();
    expect((await here.verify(clerk.token)).id).toBe(clerk.id);
    await last('-4 s');
    await expect
      .poll(() => there.peek(clerk.token) && 'asked', { interval: 5000, timeout: 20_000 })
      .toBeUndefined();
    await expect(there.verify(clerk.token)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('granted and removed permissions', () => {
  test('applies the staff limits to the current session of a user who gains a permission', async () => {
    const user = await one.newPlayer();
    await age(user, { signedIn: HOUR, asked: HOUR });
    await setRights(user, ['user.read']);
    expect(await statusOf(user)).toBe(200);
    near(await endOf(user), Date.now() + 30 * MINUTE * 1000);
    await age(user, { asked: 31 * MINUTE });
    await expectOver(user);
  });

  test('ends a session older than 12 hours immediately and closes its sockets when its user gains a permission', async () => {
    const user = await one.newPlayer();
    const socket = await connectSocket(realtime.url, { auth: { socket_token: user.socketToken } });
    await age(user, { signedIn: 13 * HOUR });
    expect(await statusOf(user)).toBe(200);
    await setRights(user, ['user.read']);
    await socket.ended();
    await expectOver(user);
  });

  test('restores the player limits when the last permission is removed', async () => {
    const user = await one.as(RIGHT);
    await age(user, { signedIn: 11 * HOUR, asked: 20 * MINUTE });
    await setRights(user, []);
    near(await endOf(user), Date.now() + 30 * DAY * 1000);
    await age(user, { signedIn: 11 * HOUR, asked: 5 * HOUR });
    expect(await statusOf(user)).toBe(200);
  });

  test('never revives an ended session when permissions change', async () => {
    const [old, idle] = [await one.as(RIGHT), await one.as(RIGHT)];
    await age(old, { signedIn: 12 * HOUR + 1 });
    await age(idle, { asked: 30 * MINUTE + 5 });
    for (const user of [old, idle])
      for (const permissions of [[], ['user.read'], []]) {
        await setRights(user, permissions);
        await expectOver(user);
      }
  });
});

describe('sessions of players', () => {
  test('writes nothing to the database on requests in player sessions', async () => {
    const player = await one.newPlayer({ usdt: 1 });
    const before = await rowOf(player);
    for (let i = 0; i < 10; i++) expect(await statusOf(player)).toBe(200);
    await one.services.sessions.flush();
    expect(await rowOf(player)).toEqual(before);
  });

  test('keeps idle player sessions unless PLAYER_IDLE_MINUTES is set', async () => {
    const player = await one.newPlayer();
    await age(player, { asked: 5 * DAY });
    expect(await statusOf(player)).toBe(200);
    expect(await statusOf(player, hasty)).toBe(401);
    const other = await hasty.newPlayer();
    await age(other, { asked: 9 * MINUTE });
    expect(await statusOf(other, hasty)).toBe(200);
    await age(other, { asked: 10 * MINUTE + 5 });
    expect(await statusOf(other, hasty)).toBe(401);
    await setRights(other, ['user.read']);
    expect(await statusOf(other, hasty)).toBe(401);
  });

  test("applies the players' idle limit to staff if it is shorter", async () => {
    const clerk = await hasty.as(RIGHT);
    await age(clerk, { asked: 11 * MINUTE });
    expect(await statusOf(clerk, hasty)).toBe(401);
    expect(await statusOf(clerk)).toBe(200);
  });
});
