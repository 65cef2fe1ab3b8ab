import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Permission } from '../src/http/access.ts';
import { route } from '../src/http/route.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { expectErrorBody } from './kit/http/error-body.ts';
import { rawBytes, rawRequest } from './kit/http/raw-http.ts';
import { notify } from './kit/money/webhooks.ts';
import { withinOneMinute } from './kit/until.ts';

let app: TestApp;
let limited: TestApp;
let player: Player;
const staffRoute = route({
  method: 'GET',
  path: '/staff',
  tag: 'Test',
  access: { permission: 'nobody.has' as Permission },
  summary: 'Needs a right',
  handler: () => undefined,
});

beforeAll(async () => {
  const env = { HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '900' };
  app = await startApp({ env, extraRoutes: [staffRoute] });
  limited = await startApp({
    database: app.database,
    env: { RATE_LIMIT_PUBLIC: '1', RATE_LIMIT_MONEY: '1' },
  });
  player = await app.newPlayer({ usdt: 10 });
});
afterAll(async () => {
  await limited.stop();
  await app.stop();
});

const VALIDATION = { status: 400, code: 'VALIDATION_FAILED' };
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' };

test('returns 400 with the names of the malformed fields', async () => {
  const answer = await betOnDice(player, { betAmount: -1, threshold: 'x', more: 1 });
  expectErrorBody(answer, VALIDATION);
  const fields = answer.body.details.fields.map(({ path }: { path: string }) => path);
  expect(fields.sort()).toEqual(['betAmount', 'more', 'threshold']);
  expectErrorBody(await app.call('GET', '/bets?page=0', { token: player.token }), VALIDATION);
  expectErrorBody(await betOnDice(player, {}, { 'idempotency-key': 'short' }), VALIDATION);
  for (const raw of [
    '{',
    '',
    '{"a":1}}',
    '\ufeff{}',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":01}',
    '[[[[',
    '\x00',
    'undefined',
  ]) {
    const headers = { 'content-type': 'application/json' };
    expectErrorBody(await player.call('POST', '/accounting/to-vault', { raw, headers }), VALIDATION);
  }
});

test('returns domain-specific codes for domain errors', async () => {
  const move = (fields: object) =>
    player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '1', ...fields } });
  expectErrorBody(await move({ amount: '11' }), { status: 400, code: 'INSUFFICIENT_BALANCE' });
  expectErrorBody(await move({ amount: '0.123456789' }), { status: 400, code: 'AMOUNT_OUT_OF_RANGE' });
  expectErrorBody(await move({ currencyId: 'NONE' }), { status: 404, code: 'CURRENCY_NOT_FOUND' });
});

test('returns 401 without a session, or with an invalid or malformed token', async () => {
  expectErrorBody(await app.call('GET', '/user/me'), UNAUTHORIZED);
  for (const authorization of [
    'Bearer',
    'Bearer x',
    'Bearer a b',
    'Basic eDp5',
    `Bearer ${player.token}x`,
    'x'.repeat(9000),
  ]) {
    expectErrorBody(await app.call('GET', '/user/me', { headers: { authorization } }), UNAUTHORIZED);
  }
  expectErrorBody(
    await app.call('POST', '/auth/refresh', { headers: { 'refresh-token': 'x' } }),
    UNAUTHORIZED,
  );
});

test('returns 401 for unsigned webhooks, 404 for unknown providers and 200 for signed webhooks that cannot be read', async () => {
  const [secret] = app.config.SKINS_WEBHOOK_SECRETS as [string];
  const send = (provider: string, body: string, by: string) =>
    notify(app, `/webhooks/skins/${provider}`, body, { secret: by });
  const unsigned = { status: 401, code: 'SIGNATURE_INVALID' };
  for (const body of ['', '{', '{}']) {
    expectErrorBody(await send('sandbox', body, 'nobody'), unsigned);
    expect((await send('sandbox', body, secret)).status).toBe(200);
    expectErrorBody(await send('nobody', body, secret), { status: 404, code: 'PROVIDER_NOT_FOUND' });
  }
});

test('returns 403 if the permission is missing, or for a cookie sent by a page of another site', async () => {
  const forbidden = { status: 403, code: 'FORBIDDEN' };
  expectErrorBody(await app.call('GET', '/staff', { token: player.token }), forbidden);
  const headers = { cookie: `__Host-access_token=${player.token}`, origin: 'https://evil.example' };
  const foreign = { status: 403, code: 'ORIGIN_FORBIDDEN' };
  expectErrorBody(await app.call('DELETE', '/session/log-out/current', { headers }), foreign);
  expect((await player.call('GET', '/user/me')).status).toBe(200);
});

test('returns 404 for an unknown route or object, and 405 for a method that the route does not support', async () => {
  for (const path of [
    '/nothing',
    '/user/me/',
    '//user/me',
    '/User/Me',
    '/%ff',
    '/%',
    '/%2e%2e/%2e%2e/etc/passwd',
    `/${'x'.repeat(9000)}`,
  ]) {
    expectErrorBody(await rawRequest(app.url, 'GET', path), NOT_FOUND);
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const answer = await rawRequest(app.url, method, '/version');
    expectErrorBody(answer, { status: 405, code: 'METHOD_NOT_ALLOWED' });
  }
  const bet = await app.call('GET', '/fairness/bets/123');
  expectErrorBody(bet, { status: 404, code: 'BET_NOT_FOUND' });
});

test('returns 409 when a user already exists or a key is reused', async () => {
  const create = () => app.call('POST', '/debug/user/create', { body: { username: player.username } });
  expectErrorBody(await create(), { status: 409, code: 'AUTH_USER_EXISTS' });
  const key = { 'idempotency-key': randomBytes(8).toString('hex') };
  expect((await betOnDice(player, {}, key)).status).toBe(201);
  const reused = await betOnDice(player, { betAmount: '2' }, key);
  expectErrorBody(reused, { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' });
});

test('returns 413 for large bodies, 431 for large headers and 415 for unsupported types and encodings', async () => {
  const headers = { authorization: `Bearer ${player.token}`, 'content-type': 'application/json' };
  const body = ' '.repeat(70_000);
  const send = (more: object, text = body) =>
    rawRequest(app.url, 'POST', '/accounting/to-vault', { headers: { ...headers, ...more }, body: text });
  expectErrorBody(await send({}), { status: 413, code: 'PAYLOAD_TOO_LARGE' });
  expectErrorBody(await send({ 'x-long': 'x'.repeat(17_000) }), { status: 431, code: 'VALIDATION_FAILED' });
  const unsupported = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
  expectErrorBody(await send({ 'content-type': 'text/plain' }, 'x'), unsupported);
  expectErrorBody(await send({ 'content-encoding': 'gzip' }, 'x'), unsupported);
});

test('returns 429 with Retry-After when the rate limit is exceeded', async () => {
  const tooOften = { status: 429, code: 'RATE_LIMITED' };
  const second = async (call: () => ReturnType<TestApp['call']>) => [await call(), await call()][1]!;
  await withinOneMinute();
  const anonymous = await second(() => limited.call('GET', '/currency'));
  const move = { token: player.token, body: { currencyId: 'USDT', amount: '1' } };
  for (const answer of [anonymous, await second(() => limited.call('POST', '/accounting/to-vault', move))]) {
    expectErrorBody(answer, tooOften);
    expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  }
});

test('returns 400 for malformed HTTP and for a missing Host header', async () => {
  const host = 'Host: x\r\n';
  const requests = [
    'hello\r\n\r\n',
    `BREW /version HTTP/1.1\r\n${host}\r\n`,
    `GET /version HTTP/3.0\r\n${host}\r\n`,
    `GET /version HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    `POST /auth/refresh HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `POST /auth/refresh HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    'GET /version HTTP/1.1\r\nConnection: close\r\n\r\n',
  ];
  for (const request of requests) expectErrorBody(await rawBytes(app.url, [request]), VALIDATION);
});

test('returns 408 for slow headers and slow bodies', async () => {
  const head = 'POST /auth/refresh HTTP/1.1\r\nHost: x\r\n';
  const body = 'Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{';
  const answers = await Promise.all([rawBytes(app.url, [head]), rawBytes(app.url, [head + body])]);
  for (const answer of answers) expectErrorBody(answer, { status: 408, code: 'VALIDATION_FAILED' });
});

test('logs nothing when a client disconnects while sending the body', async () => {
  app.lines.length = 0;
  const { port } = new URL(app.url);
  const head =
    'POST /auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n';
  for (const part of ['', '{']) {
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => socket.write(head + part, resolve));
    await sleep(50);
    socket.destroy();
  }
  await sleep(150);
  expect(app.lines).toEqual([]);
});
