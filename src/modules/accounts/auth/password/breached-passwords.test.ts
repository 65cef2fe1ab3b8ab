import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { loadConfig } from '../../../../platform/config/config.ts';
import { silentLog } from '../../../../platform/observability/log.ts';
import { createBreachedPasswords } from './policy.ts';

const BREACHED = 'hunter2 but longer';
const on = fixture(startAccounts);
afterEach(() => on.outside.behave('breached-passwords', 'ok'));

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();
const checks = async (outcome: string) =>
  (await on.app.services.metrics.breachedPasswordChecks.get()).values.find(
    ({ labels }) => labels.outcome === outcome,
  )?.value ?? 0;
const change = ({ token, password }: Account, newPassword: string) =>
  on.as(token, 'PATCH', '/user/change-password', { body: { currentPassword: password, newPassword } });

test('rejects a breached password on sign-up, password change and password reset, and for new staff', async () => {
  const user = newcomer();
  const refused = await on.signUp({ ...user, password: BREACHED });
  expect(codeOf(refused)).toBe('400 PASSWORD_BREACHED');
  expect(refused.body.details).toEqual({ field: 'password' });
  expect(refused.text).not.toContain(BREACHED);
  expect(codeOf(await on.signIn({ email: user.email, password: BREACHED }))).toBe(
    '401 AUTH_INVALID_CREDENTIALS',
  );

  const account = await on.registered();
  expect(codeOf(await change(account, BREACHED))).toBe('400 PASSWORD_BREACHED');
  await on.app.call('POST', '/user/forgot-password', { body: { email: account.email } });
  const token = await on.tokenIn(account.email, /^Reset/);
  const reset = (newPassword: string) =>
    on.app.call('PATCH', '/user/confirm-password-reset', { body: { token, newPassword } });
  const answer = await reset(BREACHED);
  expect(codeOf(answer)).toBe('400 PASSWORD_BREACHED');
  expect(answer.body.details).toEqual({ field: 'newPassword' });
  // The rejected attempt has not consumed the link.
  expect((await reset('a password of nobody else')).body).toEqual({ result: true });

  const boss = await on.app.as('superadmin');
  const { username } = newcomer();
  const staff = (password: string) =>
    boss.call('POST', '/admin/user/admin-user', { body: { username, password } });
  expect(codeOf(await staff(BREACHED))).toBe('400 PASSWORD_BREACHED');
  expect(codeOf(await staff('another one of nobody else'))).toBe('201');
});

test('does not check the new password for breaches when the current password is wrong', async () => {
  const account = await on.registered();
  const before = (await on.outside.askedOfPasswords()).length;
  expect(codeOf(await change({ ...account, password: 'wrong' }, BREACHED))).toBe('400 PASSWORD_INVALID');
  expect((await on.outside.askedOfPasswords()).length).toBe(before);
});

test('sends only the first five characters of the hash, requests padding and caches the response', async () => {
  const password = `nobody has this ${newcomer().username}`;
  const before = (await on.outside.askedOfPasswords()).length;
  const account = { ...newcomer(), password };
  expect(codeOf(await on.signUp(account))).toBe('200');
  expect(codeOf(await on.signUp({ ...newcomer(), password }))).toBe('200');
  const asked = (await on.outside.askedOfPasswords()).slice(before);
  expect(asked).toEqual([{ prefix: hashOf(password).slice(0, 5), isPadded: true }]);
});

test('normalizes the password for the lookup in the same way as for hashing', async () => {
  const wide = [...BREACHED].map((c) => (c === 'h' ? 'ｈ' : c)).join('');
  expect(codeOf(await on.signUp({ ...newcomer(), password: wide }))).toBe('400 PASSWORD_BREACHED');
});

test.each(['down', 'slow', 'garbage'] as const)(
  'accepts the password while the service is %s, and counts and logs the failed check',
  async (mode) => {
    await on.outside.behave('breached-passwords', mode);
    const before = await checks('unavailable');
    const lines = on.app.lines.length;
    const account = { ...newcomer(), password: `a password while ${mode} ${newcomer().username}` };
    expect(codeOf(await on.signUp(account))).toBe('200');
    expect(await checks('unavailable')).toBe(before + 1);
    const logged = on.app.lines
      .slice(lines)
      .filter((line) => line.includes('breached-passwords check failed'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain(hashOf(account.password).slice(5));
  },
);

test('exports metrics of breached passwords and failed checks', async () => {
  const [unknown, breached] = [await checks('unknown'), await checks('breached')];
  expect(codeOf(await on.signUp({ ...newcomer(), password: BREACHED }))).toBe('400 PASSWORD_BREACHED');
  expect(codeOf(await on.signUp(newcomer()))).toBe('200');
  expect(await checks('breached')).toBe(breached + 1);
  expect(await checks('unknown')).toBe(unknown + 1);
});

test('sends no request when no service is configured', async () => {
  const app = await startApp({ database: on.app.database });
  expect(app.config.BREACHED_PASSWORDS_URL).toBeUndefined();
  const before = (await on.outside.askedOfPasswords()).length;
  expect(await app.services.signUps.hashPassword(BREACHED, {})).toMatch(/^\$argon2id\$/);
  expect((await on.outside.askedOfPasswords()).length).toBe(before);
  await app.stop();
});

/** Starts a separate breach service that records its requests and returns the given response. */
async function serviceThat(
  answers: (url: string) => { status: number; headers?: Record<string, string>; body: string },
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const { status, headers, body } = answers(request.url!);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = loadConfig({ APP_ENV: 'test', BREACHED_PASSWORDS_URL: `${url}/base/` });
  const isBreached = createBreachedPasswords({ config, log: silentLog, metrics: on.app.services.metrics });
  return { asked, url, isBreached, close: () => server.close() };
}

test.each<[string, (suffix: string) => string, boolean]>([
  ['the hash once', (suffix) => `${suffix}:1`, true],
  [
    'the hash among others',
    (suffix) => `${'0'.repeat(35)}:7\r\n${suffix}:12345\r\n${'F'.repeat(35)}:1\r\n`,
    true,
  ],
  ['the hash as padding', (suffix) => `${suffix}:0`, false],
  ['other hashes only', () => `${'0'.repeat(35)}:7\n${'F'.repeat(35)}:1`, false],
  ['no hashes', () => '', false],
  ['a hash of the wrong length', (suffix) => `${suffix}0:1`, false],
  ['an invalid count', (suffix) => `${suffix}:x`, false],
  ['an HTML page', () => '<html></html>', false],
])('interprets a response with %s', async (_, lines, expected) => {
  const password = 'a password';
  const hash = hashOf(password);
  const service = await serviceThat(() => ({ status: 200, body: lines(hash.slice(5)) }));
  expect(await service.isBreached(password)).toBe(expected);
  expect(service.asked).toEqual([`/base/range/${hash.slice(0, 5)}`]);
  service.close();
});

test('ignores redirects, oversized responses and errors', async () => {
  for (const answer of [
    { status: 302, headers: { location: '/elsewhere' }, body: '' },
    { status: 200, body: 'F'.repeat(2 * 1024 * 1024) },
    { status: 404, body: '' },
    { status: 500, body: '' },
  ]) {
    const service = await serviceThat(() => answer);
    expect(await service.isBreached('a password')).toBe(false);
    expect(service.asked).toHaveLength(1);
    service.close();
  }
});
