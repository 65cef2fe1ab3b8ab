import { expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { purgeSubscribers } from './purge.ts';

const captcha = fixture(startCaptcha);
const app = fixture(() => startApp({ env: captcha.env }));
const boss = fixture(() => app.as('superadmin'));

const DAY_MS = 86_400_000;
const configure = async (comingSoon: object) => {
  const { status } = await boss.call('PATCH', '/admin/config/COMMON', { body: { comingSoon } });
  expect(status).toBe(200);
};
const subscribe = async (body: object) =>
  app.call('POST', '/coming-soon/subscribe', { body, headers: await captcha.solved() });
let addresses = 0;
const address = () => `person.${++addresses}@mail.example`;
const rowsOf = (email: string) =>
  app.db.selectFrom('coming_soon_subscribers').selectAll().where('email', '=', email).execute();
const count = async () =>
  (await app.db.selectFrom('coming_soon_subscribers').select('email').execute()).length;

test('shows every visitor the page that superadmins have configured', async () => {
  expect((await app.call('GET', '/coming-soon')).body).toEqual({
    enabled: false,
    launchAt: null,
    features: [],
  });
  const features = ['Dice', 'Sports'];
  await configure({ enabled: true, launchAt: '2031-05-01T12:00:00Z', features });
  const expected = { enabled: true, launchAt: '2031-05-01T12:00:00.000Z', features };
  const { status, body } = await app.call('GET', '/coming-soon');
  expect([status, body]).toEqual([200, expected]);
  await configure({ features: [] });
  expect((await app.call('GET', '/coming-soon')).body).toEqual({ ...expected, features: [] });
  const { comingSoon } = (await app.call('GET', '/config/USER')).body;
  expect(comingSoon).toMatchObject({ enabled: true, features: [] });
});

test.each([
  ['an invalid launch date', { launchAt: 'soon' }],
  ['a launch date without a time', { launchAt: '2031-05-01' }],
  ['an empty feature', { features: [' '] }],
  ['a feature that is too long', { features: ['x'.repeat(101)] }],
  ['too many features', { features: Array.from({ length: 21 }, (_, i) => `${i}`) }],
  ['an unknown field', { colour: 'blue' }],
])('rejects settings with %s', async (_, comingSoon) => {
  const { status, body } = await boss.call('PATCH', '/admin/config/COMMON', { body: { comingSoon } });
  expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
});

test('stores an address once, in lower case and with its first referrer, and always returns the same response', async () => {
  await configure({ enabled: true });
  const email = address();
  const first = await subscribe({
    email: email.toUpperCase(),
    referrer: 'https://blog.example/?a=B',
    affiliateCode: 'StreamerX',
  });
  expect([first.status, first.body]).toEqual([201, { success: true }]);
  const row = { email, referrer: 'https://blog.example/?a=B', affiliate_code: 'StreamerX' };
  expect(await rowsOf(email)).toMatchObject([row]);
  for (const body of [{ email }, { email, referrer: 'elsewhere', affiliateCode: 'Other' }]) {
    const again = await subscribe(body);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(
      Object.fromEntries([...again.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')),
    ).toEqual(
      Object.fromEntries([...first.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')),
    );
  }
  expect(await rowsOf(email)).toMatchObject([row]);
});

test('stores one row when many concurrent requests subscribe the same address', async () => {
  const email = address();
  const responses = await Promise.all(Array.from({ length: 20 }, () => subscribe({ email })));
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['201 {"success":true}']),
  );
  expect(await rowsOf(email)).toHaveLength(1);
});

test('returns the same response whether or not the address has an account', async () => {
  const player = await app.newPlayer();
  const [registered, unknown] = [address(), address()];
  await app.db.updateTable('users').set({ email: registered }).where('id', '=', player.id).execute();
  const [one, other] = [await subscribe({ email: registered }), await subscribe({ email: unknown })];
  expect([one.status, one.text]).toEqual([other.status, other.text]);
});

test('returns the same response but stores nothing while the page is disabled', async () => {
  await configure({ enabled: false });
  const email = address();
  const { status, body } = await subscribe({ email });
  expect([status, body]).toEqual([201, { success: true }]);
  expect(await rowsOf(email)).toEqual([]);
  await configure({ enabled: true });
});

test('stores nothing when the captcha is not solved', async () => {
  const before = await count();
  const body = { email: address() };
  const rejections = [
    await app.call('POST', '/coming-soon/subscribe', { body }),
    await app.call('POST', '/coming-soon/subscribe', { body, headers: { 'x-captcha-token': 'made up' } }),
  ];
  expect(rejections.map((one) => [one.status, one.body.code])).toEqual([
    [400, 'AUTH_RECAPTCHA_TOKEN_MISSING'],
    [400, 'AUTH_INVALID_CAPTCHA'],
  ]);
  expect(await count()).toBe(before);
});

test.each([
  ['no address', {}],
  ['an invalid address', { email: 'nobody' }],
  ['an address that is too long', { email: `${'a'.repeat(250)}@b.example` }],
  ['a referrer that is too long', { email: 'x@mail.example', referrer: 'x'.repeat(501) }],
  ['a code that is too long', { email: 'x@mail.example', affiliateCode: 'x'.repeat(65) }],
  ['an empty code', { email: 'x@mail.example', affiliateCode: '' }],
  ['an unknown field', { email: 'x@mail.example', name: 'X' }],
])('rejects a subscription with %s', async (_, body) => {
  const before = await count();
  const response = await subscribe(body);
  expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(await count()).toBe(before);
});

test('counts subscriptions towards the rate limit on sign-ups', async () => {
  const strict = await startApp({ database: app.database, env: { ...captcha.env, RATE_LIMIT_AUTH: '2' } });
  const body = { email: address() };
  const attempt = async () =>
    (await strict.call('POST', '/coming-soon/subscribe', { body, headers: await captcha.solved() })).status;
  await vi.waitFor(async () => expect(await attempt()).toBe(429), { timeout: 20_000 });
  expect((await strict.call('GET', '/coming-soon')).status).toBe(200);
  await strict.stop();
});

test('deletes all addresses 90 days after the launch, but none before then or without a launch date', async () => {
  await subscribe({ email: address() });
  const before = await count();
  const launched = (ago: number) => new Date(Date.now() - ago).toISOString();
  for (const launchAt of [null, launched(-DAY_MS), launched(90 * DAY_MS - 60_000)]) {
    await configure({ launchAt });
    await purgeSubscribers(app.services);
    expect(await count()).toBe(before);
  }
  await configure({ launchAt: launched(90 * DAY_MS + 1000) });
  await purgeSubscribers(app.services);
  expect(await count()).toBe(0);
  await configure({ launchAt: null });
});

test('deletes the addresses of an erased account and keeps all others', async () => {
  const person = await app.newPlayer();
  const [email, atProvider, other] = [address(), address(), address()];
  const own = { email: email.toUpperCase(), idp_email: atProvider };
  await app.db.updateTable('users').set(own).where('id', '=', person.id).execute();
  for (const one of [email, atProvider, other]) await subscribe({ email: one });
  await erase(app.services, { userId: person.id, by: person.id, reason: 'erasure request' });
  expect(await rowsOf(email)).toEqual([]);
  expect(await rowsOf(atProvider)).toEqual([]);
  expect(await rowsOf(other)).toHaveLength(1);
});
