import { expect, test } from 'vitest';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';

const outside = fixture(startOutside);
const app = fixture(() =>
  startApp({
    env: { ...outside.env, RATE_LIMIT_AUTH: '30', PASSWORD_HASH_QUEUE: '1000', TRUSTED_PROXIES: '127.9.9.9' },
  }),
);

let networks = 20;
const hashes = async () => (await app.services.metrics.passwordHashes.get()).values[0]?.value ?? 0;
const post = async (path: string, body: object, from: string, headers = {}) =>
  rawRequest(app.url, 'POST', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-captcha-token': await outside.solve(), ...headers },
    from,
  });

test('hashes the passwords of only 30 of 800 sign-ins a minute from one IP address, and logs a warning for the network', {
  timeout: 240_000,
}, async () => {
  const [before, linesBefore] = [await hashes(), app.lines.length];
  const network = `127.0.${networks++}`;
  const pairs = Array.from({ length: 800 }, (_, i) => ({ ...newcomer(), from: `${network}.${(i % 4) + 1}` }));
  const started = Math.floor(Date.now() / 60_000);
  const statuses = await inParallel(pairs, async ({ email, password, from }) => {
    const { status } = await post('/auth/sign-in', { email, password }, from);
    return status;
  });
  const minutes = Math.floor(Date.now() / 60_000) - started + 1;
  const hashed = (await hashes()) - before;
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  expect(hashed).toBe(statuses.filter((status) => status === 401).length);
  expect(hashed).toBeGreaterThanOrEqual(4 * 30);
  expect(hashed).toBeLessThanOrEqual(4 * 30 * minutes);
  const lines = app.lines.slice(linesBefore).map((line) => JSON.parse(line));
  const alarms = lines.filter(({ msg }) => msg === 'many failed sign-ins from one network');
  expect(alarms.map(({ level, network, failures }) => [level, network, failures]).slice(0, 2)).toEqual([
    ['error', `${network}.0/24`, 50],
    ['error', `${network}.0/24`, 100],
  ]);
  const failed = lines.filter(({ msg }) => msg === 'sign-in failed');
  expect(failed).toHaveLength(hashed);
  for (const { email } of pairs) expect(app.lines.join('\n')).not.toContain(email.split('@')[0]);
});

test('rejects sign-up and sign-in from a blocked country before hashing the password, and ignores a forged header', async () => {
  const boss = await app.as('superadmin');
  const user = newcomer();
  expect((await post('/auth/sign-up', user, '127.0.10.1')).status).toBe(200);
  const block = (isBlocked: boolean) => boss.call('PATCH', '/admin/country/DE', { body: { isBlocked } });
  expect((await block(true)).status).toBe(200);
  const proxy = '127.9.9.9';
  const german = { 'x-forwarded-for': '193.99.144.80' };
  const before = await hashes();
  const { email, password } = user;
  try {
    for (const [path, body] of [
      ['/auth/sign-up', newcomer()],
      ['/auth/sign-in', { email, password }],
    ] as const) {
      const answer = await post(path, body, proxy, german);
      expect([answer.status, answer.body.code]).toEqual([403, 'AUTH_GEO_BLOCKED']);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await hashes()).toBe(before);
    // The X-Forwarded-For header of a caller that is not a trusted proxy is ignored, whether it would block or allow the request.
    expect((await post('/auth/sign-in', { email, password }, '127.0.11.1', german)).status).toBe(201);
  } finally {
    expect((await block(false)).status).toBe(200);
  }
  expect((await post('/auth/sign-in', { email, password }, proxy, german)).status).toBe(201);
});

test('stores the country of the IP address with the account, the registration and the session', async () => {
  const german = {
    'x-forwarded-for': '193.99.144.80',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0',
  };
  const user = { ...newcomer(), language: 'de', referrer: 'https://a.example' };
  const answer = await post('/auth/sign-up', user, '127.9.9.9', german);
  expect(answer.status).toBe(200);
  const { id } = (await app.call('GET', '/user/me', { token: answer.body.accessToken.token })).body;
  const row = await app.db
    .selectFrom('registration_info as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .innerJoin('sessions as s', 's.user_id', 'u.id')
    .select(['type', 'r.ip_address', 'r.country_code', 'u.country_code as home', 's.country_code as here'])
    .select(['r.language', 'r.referrer', 'r.os'])
    .where('u.id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ type: 'EMAIL', ip_address: '193.99.144.80', country_code: 'DE', home: 'DE' });
  expect(row).toMatchObject({ here: 'DE', language: 'de', referrer: 'https://a.example', os: 'Linux' });
  const debug = await app.newPlayer();
  const made = await app.db
    .selectFrom('registration_info')
    .select('type')
    .where('user_id', '=', debug.id)
    .executeTakeFirstOrThrow();
  expect(made.type).toBe('DEBUG');
});
