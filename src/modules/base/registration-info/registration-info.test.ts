import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../test/kit/accounts/accounts.ts';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

let main: TestApp;
let backoffice: TestApp;
const world = fixture(() => startAccounts({ TRUSTED_PROXIES: '127.0.0.1' }));
beforeAll(async () => {
  main = world.app;
  backoffice = await startApp({ part: 'backoffice', database: main.database });
});
afterAll(() => backoffice.stop());

test('returns the device and origin of a sign-up to staff in both APIs', async () => {
  const from = { 'user-agent': PHONE, 'x-forwarded-for': '193.99.144.80' };
  const player = await world.registered(from);
  const shown = {
    type: 'EMAIL',
    userId: player.id,
    ipAddress: '193.99.144.80',
    countryCode: 'DE',
    device: 'Apple iPhone',
    deviceType: 'mobile',
    browser: 'Safari 18',
    os: 'iOS 18.1',
    userAgent: PHONE,
    createdAt: expect.stringMatching(/Z$/),
    referrer: '',
    language: '',
    user: expect.objectContaining({ id: player.id, username: player.username }),
  };
  const boss = await main.as('superadmin');
  const inMain = await boss.call('GET', `/admin/registration-info/${player.id}`);
  expect([inMain.status, inMain.body]).toEqual([200, shown]);
  const { token } = boss;
  const inBackoffice = await backoffice.call('GET', `/registration-info/${player.id}`, { token });
  expect([inBackoffice.status, inBackoffice.body]).toEqual([200, shown]);
});

test('returns 404 for an unknown user', async () => {
  const boss = await main.as('superadmin');
  const answer = await boss.call('GET', '/admin/registration-info/2147483647');
  expect(codeOf(answer)).toBe('404 REGISTRATION_INFO_NOT_FOUND');
});
