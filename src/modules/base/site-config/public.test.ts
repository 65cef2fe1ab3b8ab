import { describe, expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { browserOf } from '../../accounts/auth/identity/round-trips.ts';
import { issueToken } from '../../accounts/auth/one-time-tokens.ts';
import { CONFIGS, type ConfigCode, defaultsOf } from './schemas.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

const patch = (code: string, body: object) => boss.call('PATCH', `/admin/config/${code}`, { body });
const publicly = async (code: string, at = app) => (await at.call('GET', `/config/${code}`)).body;

describe('public settings', () => {
  test('returns only the listed public settings', async () => {
    const user = await publicly('USER');
    expect(new Set(Object.keys(user))).toEqual(
      new Set([
        // adminTips contains limits for staff, which are not public.
        ...Object.keys(defaultsOf('COMMON')).filter((name) => name !== 'adminTips'),
        'brandName',
        'isActivitySimulated',
        'identityProviders',
        'password',
        'username',
      ]),
    );
    expect(user.identityProviders).toEqual([
      { name: 'google', protocol: 'openid-connect', path: '/auth/google' },
      { name: 'steam', protocol: 'openid-2.0', path: '/auth/steam' },
    ]);
    expect([user.password, user.brandName]).toEqual([{ minLength: 8, maxLength: 128 }, 'Croupier']);
    expect(Object.keys(await publicly('AFFILIATES'))).toEqual([
      'isEnabled',
      'holdDays',
      'codeMinLength',
      'codeMaxLength',
      'maxCodesPerUser',
      'cookieDays',
      'minClaimUsd',
      'levels',
      'depositCommissionPercent',
    ]);
    expect(Object.keys(await publicly('WITHDRAWALS'))).toEqual([
      'isEnabled',
      'minUsd',
      'dailyLimitUsd',
      'depositTurnoverPercent',
      'cancelByCountry',
      'maxOpenPerUser',
    ]);
  });

  test('returns the current level ladders and rates as public settings, including the defaults', async () => {
    const { vip, rakeback, promo } = await publicly('USER');
    expect(vip.ladder[3]).toEqual({ level: 3, wageredUsd: '100000', rewardUsd: '50', boostPercent: 30 });
    expect(rakeback).toEqual({
      instantBp: 500,
      dailyBp: 200,
      weeklyBp: 200,
      monthlyBp: 100,
      expiryDays: null,
    });
    expect(promo).toEqual({
      depositHours: 72,
      queueDays: 30,
      maxWagerMultiplierByCountry: { GB: 10 },
      lowRisk: {
        maxWinChancePercent: 95,
        minMultiplier: 1.1,
        maxCoveragePercent: 90,
        countsOpposites: false,
      },
    });
    const { levels, depositCommissionPercent } = await publicly('AFFILIATES');
    expect([levels[1], depositCommissionPercent]).toEqual([
      {
        id: 2,
        name: 'Level 2',
        commissionPercent: '7.5',
        minWageredUsdAmount: '50000',
        minReferralCountForClaim: 3,
      },
      '0',
    ]);
  });

  test('returns defaults in place of stored settings that are no longer valid', async () => {
    const stored = { ...defaultsOf('AFFILIATES'), cookieDays: 7, holdDays: 'many', gone: true };
    const kept = () => app.db.selectFrom('site_config_history').select(['code', 'version']).execute();
    const before = await kept();
    const row = { code: 'AFFILIATES', config: JSON.stringify(stored), version: 9 + before.length };
    await app.db
      .insertInto('site_config')
      .values(row)
      .onConflict((c) => c.column('code').doUpdateSet(row))
      .execute();
    const later = await startApp({ database: app.database });
    expect(later.services.siteConfig.get('AFFILIATES')).toEqual({
      ...defaultsOf('AFFILIATES'),
      cookieDays: 7,
    });
    await later.stop();
    expect((await patch('AFFILIATES', { holdDays: 3 })).body).toMatchObject({ cookieDays: 7, holdDays: 3 });
    expect(await kept()).toEqual([...before, { code: 'AFFILIATES', version: 10 + before.length }]);
  });
});

test('has defaults within their own bounds for every settings code', () => {
  for (const [code, schema] of Object.entries(CONFIGS))
    expect(schema.parse(defaultsOf(code as ConfigCode))).toEqual(defaultsOf(code as ConfigCode));
});

test('rejects new accounts while registration is closed, but lets existing users sign in', async () => {
  const captcha = await startCaptcha();
  const site = await startApp({ database: app.database, env: captcha.env });
  const post = async (path: string, body: object) =>
    site.call('POST', path, { body, headers: await captcha.solved() });
  const somebody = () => ({ ...newcomer(), password: 'nine lives of a cat' });
  const known = somebody();
  expect((await post('/auth/sign-up', known)).status).toBe(200);
  try {
    await patch('COMMON', { isRegistrationOpen: false });
    await vi.waitFor(async () => expect((await publicly('USER', site)).isRegistrationOpen).toBe(false), {
      timeout: 20_000,
    });
    const refused = await post('/auth/sign-up', somebody());
    expect([refused.status, refused.body.code]).toEqual([403, 'REGISTRATION_CLOSED']);
    expect((await post('/auth/sign-in', { email: known.email, password: known.password })).status).toBe(201);
    const token = await issueToken(app.db, {
      purpose: 'SETUP_USERNAME',
      userId: null,
      lifeSeconds: 60,
      payload: { issuer: 'https://idp.example', subject: 'somebody', browser: browserOf() },
    });
    const { username, email } = somebody();
    const setup = await post(`/auth/setup-username?setupUsernameToken=${token}`, { username, email });
    expect([setup.status, setup.body.code]).toEqual([403, 'REGISTRATION_CLOSED']);
  } finally {
    await patch('COMMON', { isRegistrationOpen: true });
  }
  await vi.waitFor(async () => expect((await post('/auth/sign-up', somebody())).status).toBe(200), {
    timeout: 20_000,
  });
  await site.stop();
  await captcha.close();
});
