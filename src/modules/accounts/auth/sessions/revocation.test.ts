import { decodeJwt } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../../test/kit/accounts/captcha.ts';
import { waysToSignIn } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { route } from '../../../../http/route.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { announceUserChange, setRights } from '../../../base/users/service.ts';

const superAdminOnly = route({
  method: 'GET',
  path: '/test/superadmin',
  tag: 'Test',
  access: 'superadmin',
  summary: 'For the test',
  handler: () => undefined,
});
const captcha = fixture(startCaptcha);
/** Two processes that use one database. */
const one = fixture(() => startApp({ env: captcha.env }));
const two = fixture(() => startApp({ database: one.database, extraRoutes: [superAdminOnly] }));

const WAYS = waysToSignIn(one, captcha);
const statusOf = async (app: TestApp, token: string) => (await app.call('GET', '/user/me', { token })).status;
/** Expects both processes to reject the token within a second, although they have just accepted it from the cache. */
const endsWithinASecond = async (token: string, end: () => Promise<unknown>) => {
  for (const app of [one, two, one, two]) expect(await statusOf(app, token)).toBe(200);
  await end();
  const deadline = Date.now() + 1000;
  for (const app of [one, two]) {
    const timeout = deadline - Date.now();
    await vi.waitFor(async () => expect(await statusOf(app, token)).toBe(401), { timeout, interval: 20 });
  }
};

describe.each(Object.entries(WAYS))('session fixation on sign-in by %s', (_, open) => {
  test('issues new tokens on sign-in, and ends a session that was planted in the browser', async () => {
    const planted = await WAYS['debug login']!();
    const { access, refresh } = planted;
    const cookie = `__Host-access_token=${access}; __Host-jwt_access_token=${access}; __Host-refresh_token=${refresh}; sid=planted`;
    const own = await open({ cookie });
    expect(own.access).not.toBe(access);
    expect(own.refresh).not.toBe(refresh);
    expect(own.userId).not.toBe(planted.userId);
    expect(decodeJwt(own.access).sid).not.toBe(decodeJwt(access).sid);
    await vi.waitFor(async () => expect(await statusOf(two, access)).toBe(401), { timeout: 20_000 });
    const replay = await one.call('POST', '/auth/refresh', { headers: { 'refresh-token': refresh } });
    expect(replay.status).toBe(401);
    expect(await statusOf(two, own.access)).toBe(200);
  });

  test('clears the alias cookie of the access token', async () => {
    const alias = /^__Host-jwt_access_token=; Path=\/; Expires=Thu, 01 Jan 1970/;
    const cleared = async (headers?: Record<string, string>) =>
      (await open(headers)).answer.headers.getSetCookie().filter((cookie) => alias.test(cookie));
    expect(await cleared({ cookie: '__Host-jwt_access_token=old' })).toHaveLength(1);
    expect(await cleared()).toEqual([]);
  });

  test('ignores invalid access token cookies', async () => {
    const other = await WAYS['debug login']!();
    const forged = other.access.replace(/\.[^.]+$/, `.${'A'.repeat(43)}`);
    for (const cookie of [
      `__Host-access_token=${forged}`,
      '__Host-access_token=',
      '__Host-access_token=x.y.z',
    ])
      expect(await statusOf(one, (await open({ cookie })).access)).toBe(200);
    expect(await statusOf(one, other.access)).toBe(200);
  });
});

describe('revocation in every process within a second', () => {
  test('ends only the current session on log-out', async () => {
    const { username } = await one.newPlayer();
    const [here, there] = [await one.newPlayer({ username }), await two.newPlayer({ username })];
    await endsWithinASecond(here.token, () => here.call('DELETE', '/session/log-out/current'));
    expect(await statusOf(one, there.token)).toBe(200);
  });

  test('ends every session of a banned user and no others', async () => {
    const { username, id, token } = await one.newPlayer();
    const [other, stranger] = [await two.newPlayer({ username }), await one.newPlayer()];
    await endsWithinASecond(other.token, () =>
      transaction(one.db, async (tx) => {
        await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', id).execute();
        await announceUserChange(tx, id);
      }),
    );
    for (const app of [one, two]) expect(await statusOf(app, token)).toBe(401);
    expect(one.services.sessions.authenticator.peek(stranger.token)).toBeDefined();
  });

  test('applies the granting and the removal of a role', async () => {
    const { id, token } = await one.newPlayer();
    await one.db.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute();
    const visit = async () => (await two.call('GET', '/test/superadmin', { token })).status;
    expect(await visit()).toBe(403);
    for (const [roles, status] of [
      [['SUPERADMIN'], 200],
      [[], 403],
    ] as const) {
      await transaction(one.db, (tx) => setRights(tx, id, { roles: [...roles], permissions: [] }));
      await vi.waitFor(async () => expect(await visit()).toBe(status), { timeout: 1000, interval: 20 });
    }
  });
});
