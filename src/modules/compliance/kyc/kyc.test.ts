import { describe, expect, test } from 'vitest';
import { codeOf, type KycApp, PERSON, startKyc } from '../../../../test/kit/accounts/kyc.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { ageOn } from './rules.ts';
import { openKycSession } from './session.ts';

const kyc = fixture(startKyc);

const basic = (player: Awaited<ReturnType<KycApp['stated']>>, fields: object = {}) =>
  player.call('POST', '/kyc/basic', { body: { ...PERSON, ...fields } });
const bornYearsAgo = (years: number, days = 0) => {
  const now = new Date();
  const day = new Date(now);
  day.setUTCFullYear(now.getUTCFullYear() - years);
  // In years without 29 February, 28 February is used.
  if (day.getUTCDate() !== now.getUTCDate()) day.setUTCDate(0);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
};

describe('GET /kyc', () => {
  test('returns four tiers in order, none of them started', async () => {
    const player = await kyc.app.newPlayer();
    const { status, body } = await player.call('GET', '/kyc');
    const none = {
      status: 'NONE',
      submittedAt: null,
      decidedAt: null,
      expiresAt: null,
      moderationComment: null,
      rejectLabels: [],
      canResubmit: false,
    };
    const tiers = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'].map((tier) => ({ tier, ...none }));
    expect([status, body]).toEqual([200, { level: 0, tiers, requiredFor: [] }]);
    expect(codeOf(await kyc.app.call('GET', '/kyc'))).toBe('401 UNAUTHORIZED');
  });
});

describe('POST /kyc/basic', () => {
  test('approves BASIC immediately and only once, and raises the level in the same transaction', async () => {
    const player = await kyc.app.newPlayer();
    const { status, body } = await basic(player, {
      gender: 'OTHER',
      phonePrefix: '+49',
      phone: '221 1234567',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ tier: 'BASIC', status: 'APPROVED', expiresAt: null, canResubmit: false });
    expect(body.decidedAt).toBe(body.submittedAt);
    expect(await kyc.tierOf(player, 'BASIC')).toEqual(body);
    expect(await kyc.levelsOf(player)).toEqual([1, 1]);
    expect(codeOf(await basic(player))).toBe('409 KYC_ALREADY_APPROVED');
    expect(codeOf(await kyc.app.call('POST', '/kyc/basic', { body: PERSON }))).toBe('401 UNAUTHORIZED');
  });

  test('accepts players from the birthday on which they reach the minimum age, and records underage attempts', async () => {
    const player = await kyc.app.newPlayer();
    const young = bornYearsAgo(18, 2);
    // Names may contain only letters.
    const name = { lastName: player.username.replace(/[^a-z]/g, (c) => 'ghijklmnop'[Number(c)] ?? 'x') };
    expect(ageOn(young, new Date(), 'DE')).toBe(17);
    const refused = await basic(player, { ...name, birthDate: young });
    expect([codeOf(refused), refused.body.details]).toEqual(['400 KYC_UNDERAGE', { minimumAge: 18 }]);
    expect(await kyc.levelsOf(player)).toEqual([0, 0]);
    expect(codeOf(await basic(player, { ...name, birthDate: '2099-01-01' }))).toBe('400 KYC_UNDERAGE');
    expect(codeOf(await basic(player, { ...name, birthDate: bornYearsAgo(18) }))).toBe('201');
    const staff = await kyc.app.as({ permissions: ['kyc.read'] });
    const { body } = await staff.call('GET', `/admin/kyc/${player.id}`);
    expect(body.riskSignals).toMatchObject([{ code: 'STATED_UNDERAGE', severity: 'HIGH' }]);
  });

  test('applies a changed minimum age immediately', async () => {
    const boss = await kyc.app.as('superadmin');
    const set = (minimumAge: number) => boss.call('PATCH', '/admin/config/COMMON', { body: { minimumAge } });
    expect((await set(21)).status).toBe(200);
    try {
      const player = await kyc.app.newPlayer();
      expect(codeOf(await basic(player, { birthDate: bornYearsAgo(20) }))).toBe('400 KYC_UNDERAGE');
      expect(codeOf(await basic(player, { birthDate: bornYearsAgo(21) }))).toBe('201');
    } finally {
      await set(18);
    }
  });

  test.each<[string, object]>([
    ['birthDate', { birthDate: '1991-02-29' }],
    ['birthDate', { birthDate: '1990-13-01' }],
    ['birthDate', { birthDate: '1990-1-1' }],
    ['birthDate', { birthDate: '1899-12-31' }],
    ['birthDate', { birthDate: '1990-02-28T00:00:00Z' }],
    ['country', { country: 'XX' }],
    ['country', { country: 'de' }],
    ['country', { country: 'DEU' }],
    ['firstName', { firstName: 'R2D2' }],
    ['lastName', { firstName: ' ', lastName: '' }],
    ['lastName', { firstName: undefined, lastName: undefined }],
    ['firstName', { firstName: '· ·' }],
    ['lastName', { lastName: 'Smith,,,, Jr.' }],
    ['birthDate', { birthDate: '1990-00-00' }],
    ['lastName', { lastName: '<b>Smith</b>' }],
    ['lastName', { lastName: 'x'.repeat(101) }],
    ['city', { city: 'Köln\nBonn' }],
    ['address', { address: '\u202eetalf' }],
    ['postalCode', { postalCode: '' }],
    ['gender', { gender: 'male' }],
    ['phone', { phone: 'call me' }],
    ['phonePrefix', { phonePrefix: '49a' }],
    ['userId', { userId: 1 }],
    ['status', { status: 'APPROVED' }],
  ])('rejects an invalid %s in %j and names the field', async (path, fields) => {
    const player = await kyc.app.newPlayer();
    const answer = await basic(player, fields);
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect(answer.body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
    expect(await kyc.levelsOf(player)).toEqual([0, 0]);
  });

  test('accepts names in all scripts, names with spaces, hyphens or apostrophes, and single names', async () => {
    for (const [firstName, lastName] of [
      ['Нина', 'Иванова-Петрова'],
      ['美咲', '佐藤'],
      ['José María', 'de la Ó'],
      ['J. R.', 'O’Neill'],
      ['Meritxell', 'Col·lell'],
      ['Keola', 'Kaʻahumanu'],
      ['O‘ktam', 'Yoʼldoshev'],
      ['Jean‐Luc', 'Roi‑Dupont'],
      ['Ana–Maria', 'Smith, Jr.'],
      ['Peter', 'van ’t Hoff'],
      ['Nguye\u0302\u0303n', 'Anh'],
      ['Sukarno', ''],
      ['', 'Mononym'],
    ])
      await kyc.stated({ firstName, lastName });
  });

  test('rejects an identity from a country while the country is blocked', async () => {
    const boss = await kyc.app.as({ permissions: ['country.write'] });
    const block = (isBlocked: boolean) => boss.call('PATCH', '/admin/country/IS', { body: { isBlocked } });
    expect((await block(true)).status).toBe(200);
    const player = await kyc.app.newPlayer();
    expect(codeOf(await basic(player, { country: 'IS' }))).toBe('403 AUTH_GEO_BLOCKED');
    await block(false);
    expect(codeOf(await basic(player, { country: 'IS' }))).toBe('201');
  });

  test('accepts only one of 20 concurrent submissions', async () => {
    const player = await kyc.app.newPlayer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => basic(player)));
    const codes = answers.map(codeOf).sort();
    expect(codes).toEqual(['201', ...Array(19).fill('409 KYC_ALREADY_APPROVED')]);
    const { count } = await kyc.app.db
      .selectFrom('kyc_history')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(count).toBe(1n);
  });

  test('stores the stated identity encrypted and never returns it', async () => {
    const player = await kyc.stated({ city: 'Vogelsang' });
    const { rows } = await kyc.app.sql<{ all: string }>`
      select (select string_agg(p::text, ' ') from kyc_persons p) || (select string_agg(t::text, ' ') from kyc_tiers t) ||
        (select string_agg(h::text, ' ') from kyc_history h) as all`.execute(kyc.app.db);
    const boss = await kyc.app.as('superadmin');
    const other = await kyc.app.newPlayer();
    const seen = [
      rows[0]!.all,
      (await player.call('GET', '/kyc')).text,
      (await boss.call('GET', '/admin/kyc')).text,
      (await boss.call('GET', `/admin/kyc/${player.id}`)).text,
      (await boss.call('GET', `/admin/user/${player.id}`)).text,
      (await other.call('GET', '/kyc')).text,
      ...kyc.app.lines,
    ];
    for (const canary of ['Vogelsang', 'Canary', 'Kanarien', PERSON.birthDate])
      for (const form of [canary, Buffer.from(canary).toString('hex')])
        expect(seen.filter((text) => text.includes(form))).toEqual([]);
  });

  test('requests new documents when a player states a different identity', async () => {
    const player = await kyc.applicant();
    await kyc.say(player, 'APPROVED');
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    const staff = await kyc.app.as({ permissions: ['kyc.approve'] });
    const resubmit = { tier: 'BASIC', action: 'REQUEST_RESUBMIT', reason: 'looks wrong' };
    expect((await staff.call('PATCH', `/admin/kyc/${player.id}`, { body: resubmit })).status).toBe(200);
    expect(await kyc.levelsOf(player)).toEqual([0, 0]);
    expect((await basic(player, { firstName: 'ZELIE', lastName: "Ann O'Canary" })).status).toBe(201);
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    await staff.call('PATCH', `/admin/kyc/${player.id}`, { body: resubmit });
    expect((await basic(player, { lastName: 'Crow' })).status).toBe(201);
    expect(await kyc.levelsOf(player)).toEqual([1, 1]);
    expect(await kyc.tierOf(player)).toMatchObject({ status: 'RESUBMIT', canResubmit: true });
  });
});

describe('POST /kyc/session', () => {
  const open = (player: Awaited<ReturnType<KycApp['stated']>>, tier: string, fields: object = {}) =>
    player.call('POST', '/kyc/session', { body: { tier, ...fields } });

  test('returns an applicant and a token without making the tier pending', async () => {
    const player = await kyc.stated();
    const first = await open(player, 'IDENTITY', { language: 'de' });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ provider: 'sandbox', levelName: 'identity' });
    expect(Date.parse(first.body.expiresAt)).toBeGreaterThan(Date.now() + 60_000);
    expect((await kyc.tierOf(player)).status).toBe('NONE');
    const next = await open(player, 'SOURCE_OF_FUNDS');
    expect(next.body).toMatchObject({ applicantId: first.body.applicantId, levelName: 'source-of-funds' });
    expect(next.body.accessToken).not.toBe(first.body.accessToken);
    const known = (await kyc.applicants()).filter((one) => one.userId === player.id);
    expect(known).toMatchObject([
      { id: first.body.applicantId, person: PERSON, levels: ['identity', 'source-of-funds'] },
    ]);
  });

  test('creates only one applicant when 10 calls run concurrently', async () => {
    const player = await kyc.stated();
    const answers = await Promise.all(Array.from({ length: 10 }, () => open(player, 'ADDRESS')));
    expect(answers.map(codeOf)).toEqual(Array(10).fill('201'));
    expect(new Set(answers.map((a) => a.body.applicantId)).size).toBe(1);
  });

  test('requires BASIC and rejects approved and closed tiers', async () => {
    const nobody = await kyc.app.newPlayer();
    expect(codeOf(await open(nobody, 'IDENTITY'))).toBe('409 KYC_BASIC_REQUIRED');
    expect(codeOf(await open(nobody, 'BASIC'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await open(nobody, 'IDENTITY', { language: 'x' }))).toBe('400 VALIDATION_FAILED');
    const anonymous = await kyc.app.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
    expect(codeOf(anonymous)).toBe('401 UNAUTHORIZED');
    const player = await kyc.applicant();
    await kyc.say(player, 'APPROVED');
    expect(codeOf(await open(player, 'IDENTITY'))).toBe('409 KYC_ALREADY_APPROVED');
    await kyc.say(player, 'REJECTED', { tier: 'ADDRESS', rejectType: 'RETRY' });
    expect(codeOf(await open(player, 'ADDRESS'))).toBe('201');
    await kyc.say(player, 'REJECTED', { tier: 'ADDRESS', rejectType: 'FINAL' });
    expect(codeOf(await open(player, 'ADDRESS'))).toBe('409 KYC_FINALLY_REJECTED');
    expect(codeOf(await open(player, 'SOURCE_OF_FUNDS'))).toBe('201');
  });

  test('returns 409 and stores nothing when no provider is configured', async () => {
    const [player, unstated] = [await kyc.stated(), await kyc.app.newPlayer()];
    const { services } = kyc.app;
    const deps = { ...services, kyc: { ...services.kyc, provider: undefined } };
    const body = { tier: 'IDENTITY', language: 'en' };
    const openFor = (user: { id: number }) => openKycSession.handler(deps, { user, body });
    await expect(openFor(player)).rejects.toMatchObject({ status: 409, code: 'KYC_PROVIDER_MISSING' });
    await expect(openFor(unstated)).rejects.toMatchObject({ code: 'KYC_BASIC_REQUIRED' });
    expect((await kyc.tierOf(player)).status).toBe('NONE');
  });

  test.each(['down', 'garbage', 'slow'])(
    'returns 503 and stores nothing when the provider is %s',
    async (mode) => {
      const player = await kyc.stated();
      await kyc.outside.behave('kyc', mode);
      const answer = await open(player, 'IDENTITY').finally(() => kyc.outside.behave('kyc', 'ok'));
      expect(codeOf(answer)).toBe('503 SERVICE_UNAVAILABLE');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      const rows = await kyc.app.db
        .selectFrom('kyc_applicants')
        .selectAll()
        .where('user_id', '=', player.id)
        .execute();
      expect(rows).toEqual([]);
      expect(codeOf(await open(player, 'IDENTITY'))).toBe('201');
    },
  );
});

describe('expired approval', () => {
  test('treats an expired approval as not approved, and lowers the level when the job runs', async () => {
    const player = await kyc.applicant();
    await kyc.say(player, 'APPROVED', { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    await kyc.app.services.kyc.expire();
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    await kyc.app.db
      .updateTable('kyc_tiers')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('user_id', '=', player.id)
      .where('tier', '=', 'IDENTITY')
      .execute();
    expect(await kyc.tierOf(player)).toMatchObject({ status: 'EXPIRED', canResubmit: true });
    expect(await kyc.levelsOf(player)).toEqual([1, 2]);
    await Promise.all([kyc.app.services.kyc.expire(), kyc.app.services.kyc.expire()]);
    expect(await kyc.levelsOf(player)).toEqual([1, 1]);
    const staff = await kyc.app.as({ permissions: ['kyc.read'] });
    const { body } = await staff.call('GET', `/admin/kyc/${player.id}`);
    expect(body.history[0]).toMatchObject({
      tier: 'IDENTITY',
      fromStatus: 'APPROVED',
      toStatus: 'EXPIRED',
      actor: null,
      reason: 'expired',
    });
    expect(body.history.length).toBe(3);
    const again = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
    expect(codeOf(again)).toBe('201');
  });
});

describe('levels set for tests', () => {
  test('approves the first tiers with SET_KYC_LEVEL and resets the others', async () => {
    const player = await kyc.app.newPlayer();
    for (const level of [3, 1, 4, 0, 2]) {
      const body = { userId: player.id, action: 'SET_KYC_LEVEL', params: { level } };
      expect((await kyc.app.call('POST', '/debug/user/action', { body })).status).toBe(201);
      expect(await kyc.levelsOf(player)).toEqual([level, level]);
      const { body: state } = await player.call('GET', '/kyc');
      expect(state.tiers.map((t: { status: string }) => t.status === 'APPROVED')).toEqual(
        [0, 1, 2, 3].map((i) => i < level),
      );
    }
    const over = { userId: player.id, action: 'SET_KYC_LEVEL', params: { level: 5 } };
    expect(codeOf(await kyc.app.call('POST', '/debug/user/action', { body: over }))).toBe(
      '400 VALIDATION_FAILED',
    );
  });

  test('creates a test user with the tiers of the requested level', async () => {
    const made = await kyc.app.call('POST', '/debug/user/create', { body: { kycLevel: 2 } });
    const player = await kyc.app.newPlayer({ username: made.body.username });
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    const session = await player.call('POST', '/kyc/session', { body: { tier: 'ADDRESS' } });
    expect(codeOf(session)).toBe('201');
  });
});
