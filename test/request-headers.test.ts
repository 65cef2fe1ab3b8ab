import { describe, expect, test } from 'vitest';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { type RawAnswer, rawBytes, rawRequest } from './kit/http/raw-http.ts';
import { startElsewhere } from './kit/processes/environments.ts';

const app = fixture(startApp);
const local = fixture(() => startElsewhere(app, 'local'));
const player = fixture(() => app.newPlayer({ usdt: 10 }));
const other = fixture(() => app.newPlayer());

/** Sends a request with exactly these header lines. */
const send = (lines: readonly string[], first = 'GET /user/me HTTP/1.1', body = '') =>
  rawBytes(app.url, [`${[first, ...lines].join('\r\n')}\r\n\r\n${body}`]);
const HOST = 'Host: casino.example';
const CLOSE = 'Connection: close';
const bearer = () => `Authorization: Bearer ${player.token}`;
const codeOf = ({ status, body }: RawAnswer) => (status < 400 ? String(status) : `${status} ${body?.code}`);

describe('rejects a repeated single-value header', () => {
  test('rejects a repeated Host, in any letter case and position', async () => {
    expect(codeOf(await send([HOST, bearer(), CLOSE]))).toBe('200');
    for (const second of ['Host: casino.example', 'hOST: evil.example', 'HOST:'])
      for (const lines of [
        [HOST, second, bearer()],
        [second, bearer(), HOST],
      ]) {
        const answer = await send([...lines, CLOSE]);
        expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
        expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId);
      }
    // The duplicate header is also rejected on public and unknown routes.
    for (const path of ['/fairness/chains', '/nowhere', '/openapi.json'])
      expect((await send([HOST, HOST, CLOSE], `GET ${path} HTTP/1.1`)).status, path).toBe(400);
  });

  test.each([
    ['Content-Type: application/json', 'Content-Type: text/plain'],
    ['x-api-key: ck_one', 'X-Api-Key: ck_two'],
    ['x-mfa-code: 111111', 'x-mfa-code: 222222'],
    ['x-captcha-token: one', 'x-captcha-token: two'],
    ['refresh-token: one', 'Refresh-Token: two'],
    ['Idempotency-Key: first-key', 'Idempotency-Key: second-key'],
    ['Origin: https://casino.example', 'Origin: https://evil.example'],
  ])('rejects %s next to %s', async (one, two) => {
    const answer = await send([HOST, bearer(), one, two, CLOSE]);
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect(answer.body.details.fields[0].message).toBe('is given twice');
  });

  test('rejects a repeated Authorization header, even with equal values and on public routes', async () => {
    for (const first of ['GET /user/me HTTP/1.1', 'GET /fairness/chains HTTP/1.1'])
      expect(codeOf(await send([HOST, bearer(), bearer(), CLOSE], first))).toBe('401 UNAUTHORIZED');
  });

  test('rejects Content-Length with equal or conflicting values, or with Transfer-Encoding: chunked', async () => {
    const bet = '{"currencyId":"USDT","amount":"1"}';
    const post = 'POST /accounting/to-vault HTTP/1.1';
    const type = 'Content-Type: application/json';
    const chunked = `${bet.length.toString(16)}\r\n${bet}\r\n0\r\n\r\n`;
    const length = `Content-Length: ${bet.length}`;
    const before = (await player.call('GET', '/accounting/balances')).body;
    for (const [lines, body] of [
      [[length, length], bet],
      [[length, 'Content-Length: 5'], bet],
      [[length, 'Transfer-Encoding: chunked'], chunked],
      [['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked],
      [['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked],
      [['Transfer-Encoding: xchunked'], chunked],
    ] as const)
      expect((await send([HOST, bearer(), type, ...lines, CLOSE], post, body)).status, lines.join()).toBe(
        400,
      );
    expect((await player.call('GET', '/accounting/balances')).body).toEqual(before);
  });
});

describe('cookies of the platform', () => {
  const me = (cookie: string, at: { url: string } = app) =>
    rawRequest(at.url, 'GET', '/user/me', { headers: { cookie } });

  test('reads only the prefixed cookie outside local', async () => {
    const [own, planted] = [player.token, other.token];
    expect((await me(`__Host-access_token=${own}; access_token=${planted}`)).body.id).toBe(player.id);
    expect((await me(`access_token=${planted}; __Host-access_token=${own}`)).body.id).toBe(player.id);
    for (const name of [
      'access_token',
      'jwt_access_token',
      '__host-access_token',
      '__Secure-access_token',
      ' Host-access_token',
    ])
      expect((await me(`${name}=${own}`)).status, name).toBe(401);
    const refresh = (cookie: string) =>
      app.call('POST', '/auth/refresh', { headers: { cookie, origin: app.url } });
    expect((await refresh(`refresh_token=${player.refreshToken}`)).status).toBe(401);
    expect((await refresh(`__Host-refresh_token=${other.refreshToken}`)).status).toBe(201);
  });

  test('reads only the plain cookie in local', async () => {
    // Both services share their keys and their database.
    const { token, id } = player;
    expect((await me(`access_token=${token}`, local)).body.id).toBe(id);
    expect((await me(`__Host-access_token=${token}`, local)).status).toBe(401);
  });

  test('rejects a repeated cookie, in one header or two, even with equal values', async () => {
    const [one, two] = [`__Host-access_token=${player.token}`, `__Host-access_token=${other.token}`];
    for (const cookie of [`${one}; ${two}`, `${one}; x=1;${one}`, `${one}; __Host-access_token=`])
      expect(codeOf(await me(cookie))).toBe('400 VALIDATION_FAILED');
    const answer = await send([HOST, `Cookie: ${one}`, `cookie: ${two}`, CLOSE]);
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect(answer.text).not.toContain(player.token);
    const twice = `__Host-refresh_token=a; __Host-refresh_token=b; x=${player.token}`;
    expect(codeOf(await me(`${one}; ${twice}`))).toBe('400 VALIDATION_FAILED');
  });

  test('accepts repeated foreign cookies, and cookies named like inherited object properties', async () => {
    const noise = '_ga=1; _ga=2; access_token=x; access_token=y; __proto__=a; constructor=b; =; ;;';
    expect((await me(`${noise}; __Host-access_token=${player.token}`)).body.id).toBe(player.id);
  });
});
