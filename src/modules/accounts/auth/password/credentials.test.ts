import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';

const app = fixture(startApp);
const owner = fixture(() => app.newPlayer());
const other = fixture(() => app.newPlayer());

const me = (headers: Record<string, string>) => rawRequest(app.url, 'GET', '/user/me', { headers });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('accepts exactly one bearer token in the Authorization header, with the scheme in any letter case', async () => {
  const { token } = owner;
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    expect((await me({ authorization: `${scheme} ${token}` })).status).toBe(200);
  const cookie = `__Host-access_token=${token}`;
  for (const authorization of [
    '',
    token,
    'Bearer',
    `Bearer  ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer,${token}`,
    `Bearer:${token}`,
    `Bearer="${token}"`,
    `JWT ${token}`,
    `Token ${token}`,
    `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
    `Bearer x Bearer ${token}`,
  ])
    expect((await me({ authorization, cookie })).status, authorization.slice(0, 12)).toBe(401);
  for (const [first, second] of [
    [token, 'x'],
    ['x', token],
    [token, other.token],
  ])
    expect((await me({ Authorization: `Bearer ${first}`, authorization: `Bearer ${second}` })).status).toBe(
      401,
    );
  for (const path of [`/user/me?access_token=${token}`, `/user/me?token=${token}`])
    expect((await rawRequest(app.url, 'GET', path)).status).toBe(401);
  expect((await me({ 'x-authorization': `Bearer ${token}`, 'x-access-token': token })).status).toBe(401);
});

test('prefers the bearer token to cookies, rejects cookies that differ from each other, and accepts the alias cookie alone', async () => {
  const idWith = async (headers: Record<string, string>) => {
    const { status, body } = await me(headers);
    return status === 200 ? (body.id as number) : status;
  };
  const [a, b] = [owner.token, other.token];
  expect(
    await idWith({ ...bearer(a), cookie: `__Host-access_token=${b}; __Host-jwt_access_token=${b}` }),
  ).toBe(owner.id);
  expect(
    await idWith({ ...bearer(a), cookie: `__Host-access_token=${a}; __Host-jwt_access_token=${b}` }),
  ).toBe(owner.id);
  expect(await idWith({ ...bearer('worthless'), cookie: `__Host-access_token=${b}` })).toBe(401);
  expect(await idWith({ cookie: `__Host-access_token=${a}; __Host-jwt_access_token=${a}` })).toBe(owner.id);
  expect(await idWith({ cookie: `__Host-jwt_access_token=${a}` })).toBe(owner.id);
  for (const [first, second] of [
    [a, b],
    [b, a],
    [a, 'worthless'],
    ['worthless', a],
  ])
    expect(await idWith({ cookie: `__Host-access_token=${first}; __Host-jwt_access_token=${second}` })).toBe(
      401,
    );
  expect(await idWith({ cookie: `__Host-access_token=${'x'.repeat(8192)}` })).toBe(401);
});
