import { describe, expect, test, vi } from 'vitest';
import { callByTwo, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { cutOff } from '../../../../test/kit/processes/outage.ts';
import { type ConfigCode, defaultsOf } from './schemas.ts';

const app = fixture(startApp);
const second = fixture(() =>
  startApp({ database: app.database, env: { CAPTCHA_SITE_KEY: 'key-of-the-environment' } }),
);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const boss = fixture(() => app.as('superadmin'));

const patch = (code: string, body: object) => boss.call('PATCH', `/admin/config/${code}`, { body });
const publicly = async (code: string, at = app) => (await at.call('GET', `/config/${code}`)).body;
const refusal = async (code: string, body: object) => {
  const { status, body: answer } = await patch(code, body);
  return [status, answer.code, answer.details?.fields.map((f: { path: string }) => f.path)];
};
const history = () =>
  app.db.selectFrom('site_config_history').selectAll().orderBy('code').orderBy('version').execute();

describe('site settings', () => {
  test('changes the named fields, returns all fields and stores who made the change', async () => {
    await patch('COMMON', { minimumAge: 18, languages: ['en'], defaultLanguage: 'en' });
    const ofCommon = async () => (await history()).filter((row) => row.code === 'COMMON');
    const before = (await ofCommon()).length;
    const first = await patch('COMMON', { minimumAge: 21, languages: ['en', 'de'] });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ ...defaultsOf('COMMON'), minimumAge: 21, languages: ['en', 'de'] });
    const next = await patch('COMMON', { defaultLanguage: 'de' });
    expect(next.body).toEqual({ ...first.body, defaultLanguage: 'de' });
    const kept = (await ofCommon()).slice(before);
    expect(kept.map((r) => [r.version, r.changed_by, r.config])).toEqual([
      [before + 1, boss.id, first.body],
      [before + 2, boss.id, next.body],
    ]);
    const rows = await app.db.selectFrom('admin_audit').selectAll().orderBy('id', 'desc').limit(2).execute();
    expect(rows.map((r) => [r.path, r.permission, r.before, r.after])).toEqual([
      ['/admin/config/COMMON', 'superadmin', { defaultLanguage: 'en' }, { defaultLanguage: 'de' }],
      [
        '/admin/config/COMMON',
        'superadmin',
        { minimumAge: 18, languages: ['en'] },
        { minimumAge: 21, languages: ['en', 'de'] },
      ],
    ]);
  });

  test('returns the current settings and their changes, newest first', async () => {
    const shown = async () => (await boss.call('GET', '/admin/config/BATTLES')).body;
    const untouched = await shown();
    await patch('BATTLES', { maxPlayers: 5, minEntryUsd: '1' });
    const { body } = await patch('BATTLES', { maxPlayers: 6 });
    const { config, changes } = await shown();
    expect(config).toEqual(body);
    const by = expect.objectContaining({ id: boss.id });
    const at = expect.any(String);
    const { maxPlayers, minEntryUsd } = untouched.config;
    const version = (untouched.changes[0]?.version ?? 0) + 1;
    expect(changes).toEqual([
      { version: version + 1, at, by, before: { maxPlayers: 5 }, after: { maxPlayers: 6 } },
      { version, at, by, before: { maxPlayers, minEntryUsd }, after: { maxPlayers: 5, minEntryUsd: '1' } },
      ...untouched.changes,
    ]);
  });

  test('keeps the other fields of a section when only some fields change', async () => {
    await patch('COMMON', { rakeback: { instantBp: 400, expiryDays: 90 } });
    const { body } = await patch('COMMON', { rakeback: { dailyBp: 0 }, promo: {} });
    const { rakeback, promo } = defaultsOf('COMMON');
    expect(body.rakeback).toEqual({ ...rakeback, instantBp: 400, dailyBp: 0, expiryDays: 90 });
    expect(body.promo).toEqual(promo);
    expect((await publicly('USER')).rakeback).toEqual(body.rakeback);
    const raised = await callByTwo(boss, 'PATCH', '/admin/config/COMMON', { body: { rakeback } });
    expect(raised.body.rakeback).toEqual(rakeback);
  });

  test('creates no version when nothing changes, but audits the call', async () => {
    const before = await history();
    const { status, body } = await patch('AFFILIATES', { cookieDays: 30 });
    expect([status, body]).toEqual([200, defaultsOf('AFFILIATES')]);
    expect((await patch('AFFILIATES', {})).status).toBe(200);
    expect(await history()).toEqual(before);
    const [row] = await app.db.selectFrom('admin_audit').selectAll().orderBy('id', 'desc').limit(1).execute();
    expect([row!.path, row!.status_code, row!.after]).toEqual(['/admin/config/AFFILIATES', 200, null]);
  });

  test('applies a change in every process within a second, even after a lost connection', async () => {
    await patch('COMMON', { maintenanceMessage: 'back at nine' });
    expect((await publicly('USER')).maintenanceMessage).toBe('back at nine');
    await vi.waitFor(
      async () => {
        expect((await publicly('USER', second)).maintenanceMessage).toBe('back at nine');
        expect(backoffice.services.siteConfig.get('COMMON').maintenanceMessage).toBe('back at nine');
      },
      { timeout: 1000, interval: 10 },
    );
    const mend = await cutOff(app.database);
    try {
      await vi.waitFor(async () => expect((await second.call('GET', '/health')).status).toBe(503), {
        timeout: 20_000,
      });
      expect((await publicly('USER', second)).maintenanceMessage).toBe('back at nine');
    } finally {
      await mend();
    }
    await vi.waitFor(
      async () => expect((await patch('COMMON', { maintenanceMessage: '' })).status).toBe(200),
      {
        timeout: 20_000,
      },
    );
    await vi.waitFor(async () => expect((await publicly('USER', second)).maintenanceMessage).toBe(''), {
      timeout: 20_000,
    });
  });

  test('stores fifty concurrent changes as fifty versions', async () => {
    const from = (await history()).filter((row) => row.code === 'BATTLES').length;
    const changes = Array.from({ length: 50 }, (_, i) =>
      patch('BATTLES', i % 2 === 0 ? { lobbyMinutes: 100 + i } : { maxEntryUsd: String(500 + i) }),
    );
    expect((await Promise.all(changes)).map((c) => c.status)).toEqual(Array(50).fill(200));
    const versions = (await history()).filter((row) => row.code === 'BATTLES').map((row) => row.version);
    expect(versions).toEqual(Array.from({ length: from + 50 }, (_, i) => i + 1));
    const now = app.services.siteConfig.get('BATTLES');
    expect(now.lobbyMinutes).toBeGreaterThanOrEqual(100);
    expect(Number(now.maxEntryUsd)).toBeGreaterThan(500);
  });

  test('accepts the settings code in the request body in the backoffice', async () => {
    const put = (body: object) => backoffice.call('PUT', '/config', { token: boss.token, body });
    const { status, body } = await put({ code: 'WITHDRAWALS', config: { dailyLimitUsd: '2500.50' } });
    expect([status, body]).toEqual([200, { ...defaultsOf('WITHDRAWALS'), dailyLimitUsd: '2500.50' }]);
    expect((await put({ code: 'OTHER', config: {} })).body.details.fields[0].path).toBe('code');
    const unknown = await put({ code: 'COMMON', config: { isOpen: true } });
    expect([unknown.status, unknown.body.details.fields[0].path]).toEqual([400, 'isOpen']);
    expect((await put({ code: 'COMMON' })).status).toBe(400);
  });
});

test('shows the captcha key from the environment until staff store one', async () => {
  expect([(await publicly('USER')).captchaSiteKey, (await publicly('USER', second)).captchaSiteKey]).toEqual([
    '',
    'key-of-the-environment',
  ]);
  await patch('COMMON', { captchaSiteKey: 'key-of-staff' });
  await vi.waitFor(async () => expect((await publicly('USER', second)).captchaSiteKey).toBe('key-of-staff'));
  await patch('COMMON', { captchaSiteKey: '' });
});

describe('invalid settings', () => {
  const OUT_OF_BOUNDS: [ConfigCode, object, string[]][] = [
    ['COMMON', { isOpen: true }, ['isOpen']],
    ['COMMON', { isRegistrationOpen: 'yes' }, ['isRegistrationOpen']],
    ['COMMON', { minimumAge: 17 }, ['minimumAge']],
    ['COMMON', { termsUrl: 'http://site.example/terms' }, ['termsUrl']],
    ['COMMON', { privacyUrl: 'javascript:alert(1)' }, ['privacyUrl']],
    ['COMMON', { termsUrl: 'https://user:word@site.example' }, ['termsUrl']],
    ['COMMON', { termsUrl: 'https://\\evil.example' }, ['termsUrl']],
    ['COMMON', { privacyUrl: 'https://a:99999999' }, ['privacyUrl']],
    ['COMMON', { responsibleGamblingUrl: 'https://[' }, ['responsibleGamblingUrl']],
    ['COMMON', { languages: [] }, ['languages']],
    ['COMMON', { languages: ['en', 'de', 'en'], defaultLanguage: 'en' }, ['languages']],
    ['COMMON', { languages: ['en', 'english'] }, ['languages.1']],
    ['COMMON', { defaultLanguage: 'fr' }, ['defaultLanguage']],
    ['COMMON', { supportEmail: 'nobody' }, ['supportEmail']],
    ['COMMON', { captchaSiteKey: '<script>' }, ['captchaSiteKey']],
    ['COMMON', { minimumAge: null, isChatEnabled: 1 }, ['isChatEnabled', 'minimumAge']],
    ['COMMON', { vip: {}, rakeback: { dailyBp: 9999 } }, ['rakeback']],
    ['COMMON', { rakeback: { hourlyBp: 1 } }, ['rakeback.hourlyBp']],
    ['COMMON', { rakeback: { instantBp: 1.5 } }, ['rakeback.instantBp']],
    ['COMMON', { rakeback: null }, ['rakeback']],
    ['COMMON', { vip: { ladder: [] } }, ['vip.ladder']],
    [
      'COMMON',
      { vip: { ladder: [{ level: 0, wageredUsd: '5', rewardUsd: '0', boostPercent: 0 }] } },
      ['vip.ladder.0.wageredUsd'],
    ],
    [
      'COMMON',
      { promo: { maxWagerMultiplierByCountry: { gb: 10 } } },
      ['promo.maxWagerMultiplierByCountry.gb'],
    ],
    ['AFFILIATES', { depositCommissionPercent: 1 }, ['depositCommissionPercent']],
    ['AFFILIATES', { levels: [] }, ['levels']],
    ['BATTLES', { minEntryUsd: '5000', maxEntryUsd: '10' }, ['minEntryUsd']],
    ['BATTLES', { maxPlayers: 1.5 }, ['maxPlayers']],
    ['AFFILIATES', { divisor: 0 }, ['divisor']],
    ['AFFILIATES', { codeMinLength: 20, codeMaxLength: 5 }, ['codeMinLength']],
    ['AFFILIATES', { minimumAge: 18 }, ['minimumAge']],
    ['WITHDRAWALS', { kycThresholdUsd: 10000 }, ['kycThresholdUsd']],
    ['WITHDRAWALS', { kycThresholdUsd: '-1' }, ['kycThresholdUsd']],
    ['WITHDRAWALS', { kycThresholdUsd: '1e4' }, ['kycThresholdUsd']],
    ['WITHDRAWALS', { dailyLimitUsd: '0.001' }, ['dailyLimitUsd']],
    ['WITHDRAWALS', { autoApproveLimitUsd: '5000.01' }, ['autoApproveLimitUsd']],
    ['WITHDRAWALS', { dailyLimitUsd: '0.50' }, ['minUsd']],
  ];

  test.each(OUT_OF_BOUNDS)(
    'rejects %s %j, lists the invalid fields and changes nothing',
    async (code, body, paths) => {
      const before = [await history(), app.services.siteConfig.get(code)];
      const [status, error, fields] = await refusal(code, body);
      expect([status, error, [...fields].sort()]).toEqual([400, 'VALIDATION_FAILED', paths]);
      expect([await history(), app.services.siteConfig.get(code)]).toEqual(before);
    },
  );

  test('rejects the names of prototype properties as field names and in values', async () => {
    for (const raw of [
      '{"__proto__":{"isRegistrationOpen":false}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"languages":[{"__proto__":{"x":1}}]}',
      '{"\\u005f_proto__":null}',
    ]) {
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await boss.call('PATCH', '/admin/config/COMMON', { raw, headers });
      expect([status, body.code], raw).toEqual([400, 'VALIDATION_FAILED']);
    }
    for (const name of ['toString', 'hasOwnProperty', 'valueOf'])
      expect(await refusal('COMMON', { [name]: 1 })).toEqual([400, 'VALIDATION_FAILED', [name]]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(app.services.siteConfig.get('COMMON').isRegistrationOpen).toBe(true);
  });

  test('returns 404 for an unknown settings code', async () => {
    for (const code of ['USER', 'common', 'OTHER', '__proto__', 'constructor', '%00', 'COMMON%20']) {
      const { status, body } = await patch(code, {});
      expect([status, body.code], code).toEqual([404, 'NOT_FOUND']);
    }
    for (const code of ['COMMON', 'BATTLES', 'user', '__proto__', 'toString']) {
      const { status, body } = await app.call('GET', `/config/${code}`);
      expect([status, body.code], code).toEqual([404, 'NOT_FOUND']);
    }
  });
});
