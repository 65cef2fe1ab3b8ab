import { describe, expect, test } from 'vitest';
import { codeOf, PERSON, startKyc } from '../../../../test/kit/accounts/kyc.ts';
import type { Player } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { lockPlayers } from '../../base/players/service.ts';

const kyc = fixture(startKyc);
const clerk = fixture(() => kyc.app.as({ permissions: ['kyc.read', 'kyc.approve', 'user.pii'] }));
const reader = fixture(() => kyc.app.as({ permissions: ['kyc.read'] }));

const decide = (by: Player, userId: number, fields: object = {}) =>
  by.call('PATCH', `/admin/kyc/${userId}`, {
    body: { tier: 'IDENTITY', action: 'APPROVE', reason: 'seen in person', ...fields },
  });
const detail = async (userId: number, by = clerk) => (await by.call('GET', `/admin/kyc/${userId}`)).body;
const tierIn = (body: any, tier = 'IDENTITY') => body.tiers.find((one: any) => one.tier === tier);
const changesBy = (user: Player) =>
  kyc.app.db
    .selectFrom('admin_audit')
    .select(['reason', 'before', 'after'])
    .where('user_id', '=', user.id)
    .where('after', 'is not', null)
    .orderBy('id')
    .execute();

describe('PATCH /admin/kyc/{userId}', () => {
  test('shows an APPROVE decision as manual only to staff, and records who made it and the reason', async () => {
    const staff = await kyc.app.as({ permissions: ['kyc.read', 'kyc.approve'] });
    const player = await kyc.stated();
    const { status, body } = await decide(staff, player.id);
    expect(status).toBe(200);
    expect(tierIn(body)).toMatchObject({
      status: 'MANUALLY_APPROVED',
      rejectType: null,
      decidedBy: { id: staff.id },
      canResubmit: false,
    });
    expect(body.level).toBe(2);
    expect(await kyc.tierOf(player)).toMatchObject({ tier: 'IDENTITY', status: 'APPROVED' });
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    expect(
      body.history.map((row: any) => [row.tier, row.fromStatus, row.toStatus, row.actor?.id, row.reason]),
    ).toEqual([
      ['IDENTITY', 'NONE', 'MANUALLY_APPROVED', staff.id, 'seen in person'],
      ['BASIC', 'NONE', 'APPROVED', player.id, null],
    ]);
    expect(body).toEqual(await detail(player.id, staff));
    expect(await changesBy(staff)).toEqual([
      {
        reason: 'seen in person',
        before: { tier: 'IDENTITY', status: 'NONE', rejectType: null, expiresAt: null, level: 1 },
        after: { tier: 'IDENTITY', status: 'MANUALLY_APPROVED', rejectType: null, expiresAt: null, level: 2 },
      },
    ]);
  });

  test('ignores a decision by a staff member who was banned in the meantime', async () => {
    const staff = await kyc.app.as({ permissions: ['kyc.read', 'kyc.approve'] });
    const player = await kyc.stated();
    const { decided } = await kyc.app.db.transaction().execute(async (tx) => {
      await lockPlayers(tx, [staff.id]);
      await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', staff.id).execute();
      const decided = decide(staff, player.id);
      const waiting = kyc.app.sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await waiting.execute(kyc.app.db)).rows[0]!.n).toBe(1);
      return { decided };
    });
    expect(codeOf(await decided)).toBe('401 UNAUTHORIZED');
    expect((await kyc.tierOf(player)).status).toBe('NONE');
  });

  test('applies every action once, and stores nothing when the action is repeated', async () => {
    const staff = await kyc.app.as({ permissions: ['kyc.read', 'kyc.approve'] });
    const player = await kyc.stated();
    const steps: [object, object, number][] = [
      [{ action: 'APPROVE' }, { status: 'MANUALLY_APPROVED', canResubmit: false }, 2],
      [
        { action: 'REJECT', rejectType: 'RETRY' },
        { status: 'REJECTED', rejectType: 'RETRY', canResubmit: true },
        1,
      ],
      [
        { action: 'REJECT', rejectType: 'FINAL' },
        { status: 'REJECTED', rejectType: 'FINAL', canResubmit: false },
        1,
      ],
      [{ action: 'REQUEST_RESUBMIT' }, { status: 'RESUBMIT', rejectType: null, canResubmit: true }, 1],
      [{ action: 'RESET' }, { status: 'NONE', decidedAt: null, canResubmit: false }, 1],
    ];
    for (const [fields, expected, level] of steps) {
      const first = await decide(staff, player.id, fields);
      expect(tierIn(first.body)).toMatchObject(expected);
      expect([first.body.level, await kyc.levelsOf(player)]).toEqual([level, [level, level]]);
      const again = await decide(staff, player.id, { ...fields, reason: 'once more' });
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    expect((await changesBy(staff)).length).toBe(steps.length);
    expect((await detail(player.id)).history.length).toBe(steps.length + 1);
  });

  test('stores only one decision when 10 calls run concurrently', async () => {
    const staff = await kyc.app.as({ permissions: ['kyc.read', 'kyc.approve'] });
    const player = await kyc.stated();
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(staff, player.id)));
    expect(answers.map(codeOf)).toEqual(Array(10).fill('200'));
    expect((await changesBy(staff)).length).toBe(1);
  });

  test('replaces the results of earlier provider reports but not those of later ones', async () => {
    const player = await kyc.applicant();
    const before = new Date(Date.now() - 1000).toISOString();
    await decide(clerk, player.id, { action: 'REJECT', rejectType: 'RETRY' });
    await kyc.say(player, 'APPROVED', { occurredAt: before });
    expect((await kyc.tierOf(player)).status).toBe('REJECTED');
    await decide(clerk, player.id);
    await kyc.say(player, 'PENDING');
    expect(tierIn(await detail(player.id)).status).toBe('MANUALLY_APPROVED');
    await kyc.say(player, 'REJECTED', { rejectType: 'FINAL', clientComment: 'known forger' });
    expect(await kyc.levelsOf(player)).toEqual([1, 1]);
    const shown = await detail(player.id);
    expect([shown.clientComment, shown.providerReference]).toEqual(['known forger', player.applicantId]);
    await decide(clerk, player.id, { action: 'REQUEST_RESUBMIT' });
    const session = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
    expect(codeOf(session)).toBe('201');
  });

  test('allows a new BASIC submission after a reset but not after a final rejection', async () => {
    const player = await kyc.stated();
    const again = async () => {
      const answer = await player.call('POST', '/kyc/basic', {
        body: {
          firstName: 'Ann',
          lastName: 'Other',
          birthDate: '1980-01-01',
          country: 'DE',
          city: 'Bonn',
          address: 'Weg 1',
          postalCode: '53111',
        },
      });
      return codeOf(answer);
    };
    expect(await again()).toBe('409 KYC_ALREADY_APPROVED');
    await decide(clerk, player.id, { tier: 'BASIC', action: 'RESET' });
    expect(await again()).toBe('201');
    await decide(clerk, player.id, { tier: 'BASIC', action: 'REJECT', rejectType: 'RETRY' });
    expect(await again()).toBe('201');
    await decide(clerk, player.id, { tier: 'BASIC', action: 'REJECT', rejectType: 'FINAL' });
    expect(await again()).toBe('409 KYC_FINALLY_REJECTED');
    const held = await kyc.applicant();
    await kyc.say(held, 'ON_HOLD', { tier: 'BASIC' });
    const answer = await held.call('POST', '/kyc/basic', { body: PERSON });
    expect(codeOf(answer)).toBe('409 KYC_UNDER_REVIEW');
  });

  test.each<[string, object, string]>([
    ['an empty reason', { reason: '' }, '400 REASON_REQUIRED'],
    ['a blank reason', { reason: ' \n\t' }, '400 REASON_REQUIRED'],
    ['no reason', { reason: undefined }, '400 VALIDATION_FAILED'],
    ['a long reason', { reason: 'x'.repeat(501) }, '400 VALIDATION_FAILED'],
    ['REJECT without its type', { action: 'REJECT' }, '400 VALIDATION_FAILED'],
    ['a type without REJECT', { rejectType: 'FINAL' }, '400 VALIDATION_FAILED'],
    ['an unknown action', { action: 'PENDING' }, '400 VALIDATION_FAILED'],
    ['an unknown tier', { tier: 'NONE' }, '400 VALIDATION_FAILED'],
    ['an unknown field', { status: 'APPROVED' }, '400 VALIDATION_FAILED'],
  ])('rejects %s and changes nothing', async (_, fields, code) => {
    const player = await kyc.stated();
    const before = await detail(player.id);
    expect(codeOf(await decide(clerk, player.id, fields))).toBe(code);
    expect(await detail(player.id)).toEqual(before);
  });

  test("rejects callers without the permission, the caller's own account, and superadmins when other staff call", async () => {
    const player = await kyc.stated();
    expect(codeOf(await decide(reader, player.id))).toBe('403 FORBIDDEN');
    expect(codeOf(await decide(player, player.id))).toBe('403 FORBIDDEN');
    const anonymous = await kyc.app.call('PATCH', `/admin/kyc/${player.id}`, { body: {} });
    expect(codeOf(anonymous)).toBe('401 UNAUTHORIZED');
    expect(codeOf(await decide(clerk, clerk.id))).toBe('403 OWN_ACCOUNT');
    const boss = await kyc.app.as('superadmin');
    expect(codeOf(await decide(boss, boss.id))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await decide(clerk, boss.id))).toBe('403 FORBIDDEN');
    expect(codeOf(await decide(boss, clerk.id))).toBe('200');
    expect(codeOf(await decide(clerk, 2_000_000_000))).toBe('404 USER_NOT_FOUND');
    const writer = await kyc.app.as({ permissions: ['kyc.approve'] });
    for (const path of ['/admin/kyc', `/admin/kyc/${player.id}`]) {
      expect(codeOf(await writer.call('GET', path))).toBe('403 FORBIDDEN');
      expect(codeOf(await player.call('GET', path))).toBe('403 FORBIDDEN');
      expect(codeOf(await kyc.app.call('GET', path))).toBe('401 UNAUTHORIZED');
    }
  });
});

describe('GET /admin/kyc/{userId}', () => {
  test('returns four empty tiers for a new user and 404 for an unknown one', async () => {
    const player = await kyc.app.newPlayer();
    const body = await detail(player.id);
    expect(body).toMatchObject({ userId: player.id, level: 0, history: [], checks: [], riskSignals: [] });
    expect(body).toMatchObject({ providerReference: null, clientComment: null });
    expect(body.tiers.map((t: any) => [t.tier, t.status])).toEqual(
      ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'].map((tier) => [tier, 'NONE']),
    );
    for (const id of ['2000000000', '0', 'me', '1.5'])
      expect(codeOf(await clerk.call('GET', `/admin/kyc/${id}`)), id).toBe('404 USER_NOT_FOUND');
  });

  test('masks email addresses without user.pii', async () => {
    const player = await kyc.stated();
    await decide(clerk, player.id);
    const email = `${player.username}@test.example`;
    expect((await detail(player.id)).user.email).toBe(email);
    expect(JSON.stringify(await detail(player.id, reader))).not.toContain(email);
    expect((await reader.call('GET', `/admin/kyc?userId=${player.id}`)).text).not.toContain(email);
  });

  test('returns each check with the time of its report', async () => {
    const player = await kyc.applicant();
    const occurredAt = new Date(Date.now() - 5000).toISOString();
    const checks = [{ name: 'face', result: 'PENDING', detail: 'similarity 0.71' }];
    await kyc.say(player, 'PENDING', { checks, occurredAt });
    expect((await detail(player.id)).checks).toEqual([{ ...checks[0], at: occurredAt }]);
  });

  test('returns risk signals', async () => {
    const birthDate = '1971-07-17';
    const first = await kyc.stated({ firstName: 'Élodie', lastName: 'Twin', birthDate });
    const second = await kyc.stated({ firstName: 'TWIN', lastName: 'Elodie', birthDate });
    const third = await kyc.stated({ firstName: 'Elodie', lastName: 'Twin', birthDate: '1971-07-18' });
    const signals = async (player: Player) =>
      (await detail(player.id)).riskSignals.map((s: any) => `${s.severity} ${s.code} ${s.detail}`);
    expect(await signals(first)).toEqual([`HIGH SAME_PERSON same name and birth date as user ${second.id}`]);
    expect(await signals(second)).toEqual([`HIGH SAME_PERSON same name and birth date as user ${first.id}`]);
    expect(await signals(third)).toEqual([]);
    const player = await kyc.applicant();
    const country = { userId: player.id, action: 'SET_COUNTRY', params: { country: 'BR' } };
    await kyc.app.call('POST', '/debug/user/action', { body: country });
    expect(await signals(player)).toContain('MEDIUM COUNTRY_MISMATCH has stated DE, registered from BR');
    await kyc.say(player, 'PENDING');
    expect(await signals(player)).toContain('LOW UNDER_REVIEW tier IDENTITY');
    await kyc.say(player, 'ON_HOLD');
    expect(await signals(player)).toContain('MEDIUM ON_HOLD tier IDENTITY');
    await kyc.say(player, 'REJECTED', { rejectType: 'FINAL' });
    await decide(clerk, player.id, { action: 'RESET' });
    expect(await signals(player)).toContain('HIGH FINALLY_REJECTED tier IDENTITY');
  });
});

describe('GET /admin/kyc', () => {
  const list = async (query: string, by = clerk) => (await by.call('GET', `/admin/kyc?${query}`)).body;
  const rows = (body: any) => body.data.map((row: any) => `${row.userId} ${row.tier} ${row.status}`);

  test('lists one row for each user and tier that has activity, with filters and pages', async () => {
    const player = await kyc.applicant();
    await kyc.say(player, 'ON_HOLD');
    await kyc.say(player, 'REJECTED', { tier: 'ADDRESS', rejectType: 'RETRY' });
    const mine = `userId=${player.id}`;
    const all = [
      `${player.id} ADDRESS RESUBMIT`,
      `${player.id} IDENTITY ON_HOLD`,
      `${player.id} BASIC APPROVED`,
    ];
    const body = await list(mine);
    expect(rows(body)).toEqual(all);
    expect(body).toMatchObject({ total: 3, totalPages: 1, page: 1, take: 20 });
    expect(body.data[1]).toMatchObject({
      user: { id: player.id, username: player.username },
      level: 1,
      provider: 'sandbox',
      decidedAt: null,
    });
    expect(rows(await list(`${mine}&sortOrder=asc`))).toEqual(all.toReversed());
    expect(rows(await list(`${mine}&status=ON_HOLD`))).toEqual([all[1]]);
    expect(rows(await list(`${mine}&tier=BASIC&status=APPROVED`))).toEqual([all[2]]);
    expect(rows(await list('status=ON_HOLD&tier=IDENTITY&take=1'))).toEqual([all[1]]);
    expect(rows(await list(`${mine}&status=REJECTED`))).toEqual([]);
    expect(rows(await list(`${mine}&take=2&page=2`))).toEqual([all[2]]);
    expect(await list(`${mine}&page=9007199254740991`)).toMatchObject({ data: [], total: 3 });
    for (const query of ['take=21', 'take=0', 'sortBy=status', 'status=OPEN', 'tier=ALL', 'userId=0', 'x=1'])
      expect(codeOf(await clerk.call('GET', `/admin/kyc?${query}`)), query).toBe('400 VALIDATION_FAILED');
  });

  test('sorts by submission or decision time, and lists rows without a time first', async () => {
    const player = await kyc.applicant();
    const at = (hour: number) => ({ occurredAt: `2026-01-01T0${hour}:00:00.000Z` });
    await kyc.say(player, 'APPROVED', { ...at(1) });
    await kyc.say(player, 'PENDING', { tier: 'ADDRESS', ...at(3) });
    await decide(clerk, player.id, { tier: 'SOURCE_OF_FUNDS' });
    const order = async (sort: string) =>
      (await list(`userId=${player.id}&${sort}`)).data.map((row: any) => row.tier);
    const submitted = ['SOURCE_OF_FUNDS', 'IDENTITY', 'ADDRESS', 'BASIC'];
    expect(await order('sortBy=submittedAt&sortOrder=asc')).toEqual(submitted);
    expect(await order('sortBy=submittedAt')).toEqual(submitted.toReversed());
    const decided = ['ADDRESS', 'IDENTITY', 'BASIC', 'SOURCE_OF_FUNDS'];
    expect(await order('sortBy=decidedAt&sortOrder=asc')).toEqual(decided);
    expect(await order('sortBy=decidedAt&sortOrder=desc')).toEqual(decided.toReversed());
  });

  test('searches usernames, ids and email addresses, and escapes wildcards', async () => {
    const player = await kyc.stated();
    const found = async (search: string, by = clerk) =>
      (await list(`search=${encodeURIComponent(search)}`, by)).data.map((row: any) => row.userId);
    for (const search of [
      player.username.slice(2, 14),
      player.username.toUpperCase(),
      `${player.username}@test`,
    ])
      expect(await found(search), search).toEqual([player.id]);
    expect(await found(String(player.id))).toContain(player.id);
    expect(await found('p_')).toContain(player.id);
    for (const search of ['%', '_%', "' or 1=1 --", 'nobody_has_this'])
      expect(await found(search), search).toEqual([]);
    // Only staff who may see email addresses can search for part of one.
    expect(await found(`${player.username}@test`, reader)).toEqual([]);
    expect(await found(`${player.username}@test.example`, reader)).toEqual([player.id]);
    expect(codeOf(await clerk.call('GET', `/admin/kyc?search=${'x'.repeat(51)}`))).toBe(
      '400 VALIDATION_FAILED',
    );
    // Players without KYC activity are not in this list.
    const other = await kyc.app.newPlayer();
    expect(await found(other.username)).toEqual([]);
  });
});
