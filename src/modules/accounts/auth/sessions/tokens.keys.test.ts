import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const [OLD, NEW, OTHER] = Array.from({ length: 3 }, () => randomBytes(32).toString('hex')) as [
  string,
  string,
  string,
];
let during: TestApp;
let after: TestApp;
/** Processes that use one database: before, during and after the rotation of the signing key. */
const before = fixture(() => startApp({ env: { JWT_SECRET: OLD } }));
beforeAll(async () => {
  const { database } = before;
  during = await startApp({ database, env: { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD } });
  after = await startApp({ database, env: { JWT_SECRET: NEW } });
});
afterAll(async () => {
  await after.stop();
  await during.stop();
});
const statusAt = async (app: TestApp, token: string) => (await app.call('GET', '/user/me', { token })).status;

test('keeps a session valid over HTTP and sockets while the signing key is rotated', async () => {
  const { token, socketToken, id } = await before.newPlayer();
  expect(await statusAt(during, token)).toBe(200);
  expect(await during.services.sessions.verifyToken(socketToken, 'socket')).toMatchObject({ userId: id });
  await expect(during.services.sessions.verifyToken(token, 'socket')).rejects.toMatchObject({ status: 401 });
});

test('rejects access tokens signed with a removed key, and issues new ones for the refresh token', async () => {
  const { token, socketToken, refreshToken } = await before.newPlayer();
  expect(await statusAt(after, token)).toBe(401);
  await expect(after.services.sessions.verifyToken(socketToken, 'socket')).rejects.toMatchObject({
    status: 401,
  });
  const headers = { 'refresh-token': refreshToken };
  const { status, body } = await after.call('POST', '/auth/refresh', { headers });
  expect(status).toBe(201);
  expect(await statusAt(after, body.accessToken.token)).toBe(200);
});

test('signs with the current key and names it in kid, so that processes with only the old key reject the token', async () => {
  const [former, current] = [await before.newPlayer(), await during.newPlayer()];
  const nameOf = (token: string) => decodeProtectedHeader(token).kid;
  expect(nameOf(current.token)).toBe(nameOf(current.socketToken));
  expect(nameOf(current.token)).not.toBe(nameOf(former.token));
  expect(OLD + NEW).not.toContain(nameOf(current.token));
  expect(await statusAt(after, current.token)).toBe(200);
  expect(await statusAt(before, current.token)).toBe(401);
});

test('verifies a token only with the key that its kid names', async () => {
  const { token } = await during.newPlayer();
  const [head, claims] = token.split('.') as [string, string];
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const sign = (secret: string, kid: unknown) =>
    new SignJWT(payload)
      .setProtectedHeader({ ...header, kid: kid as string })
      .sign(new TextEncoder().encode(secret));
  expect(await statusAt(during, await sign(NEW, header.kid))).toBe(200);
  // A token that was issued before tokens contained the id of their key.
  expect(await statusAt(during, await sign(NEW, undefined))).toBe(200);
  for (const [secret, kid] of [
    [OLD, header.kid],
    [OLD, undefined],
    [OTHER, header.kid],
    [OTHER, 'another'],
    [NEW, 'another'],
    [NEW, ''],
    [NEW, '__proto__'],
    [NEW, 7],
  ])
    expect(await statusAt(during, await sign(secret as string, kid)), String(kid)).toBe(401);
});
