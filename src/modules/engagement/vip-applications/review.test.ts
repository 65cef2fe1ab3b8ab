import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { newPromo, PROMO_STAFF } from '../../../../test/kit/engagement/promo.ts';
import { APPLICATION } from '../../../../test/kit/engagement/vip.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));
const RIGHTS = ['vip.read', 'vip.approve'];
const clerk = fixture(() => app.as({ permissions: [...RIGHTS, 'user.pii'] }));

const PATH = '/admin/vip-application';
const applied = async (player: Player, fields: object = {}): Promise<string> =>
  (await player.call('POST', '/vip-application', { body: { ...APPLICATION, ...fields } })).body.id;
const applicant = async (fields: object = {}) => {
  const player = await app.newPlayer();
  return { player, id: await applied(player, fields) };
};
const patch = (id: string, body: object, by = clerk) => by.call('PATCH', `${PATH}/${id}`, { body });
const decide = (id: string, body: object, by = clerk, headers: Record<string, string> = {}) =>
  by.call('POST', `${PATH}/${id}/decision`, { body: { reason: 'reviewed', ...body }, headers });
const approve = (id: string, vipLevel: number, by = clerk) => decide(id, { approve: true, vipLevel }, by);
const detail = async (id: string, by = clerk) => (await by.call('GET', `${PATH}/${id}`)).body;
const list = async (query = '', by = clerk) => (await by.call('GET', `${PATH}?${query}`)).body;
const levelOf = async (player: Player) => (await player.call('GET', '/user/me')).body.vipLevel;
const setLevel = (player: Player, level: number) =>
  app.db.updateTable('users').set({ vip_level: level }).where('id', '=', player.id).execute();
const changesBy = (user: Player) =>
  app.db
    .selectFrom('admin_audit')
    .select(['reason', 'before', 'after'])
    .where('user_id', '=', user.id)
    .where('after', 'is not', null)
    .orderBy('id')
    .execute();
const eventsOf = async ({ id }: Player) =>
  (
    await app.db
      .selectFrom('events')
      .select(['name', 'data'])
      .where('user_id', '=', id)
      .orderBy('id')
      .execute()
  ).filter(({ name }) => name === 'vip.level');
const notificationsOf = async (player: Player) =>
  (await player.call('GET', '/notifications')).body.map((one: any) => [one.type, one.payload.code, one.body]);

describe('a decision', () => {
  test('raises the level on approval, notifies players in their language, and records the changes and the reason in the audit log', async () => {
    const staff = await app.as({ permissions: RIGHTS });
    const { player, id } = await applicant();
    await app.db.updateTable('users').set({ language: 'de' }).where('id', '=', player.id).execute();
    const { status, body } = await decide(
      id,
      { approve: true, vipLevel: 3, reason: ' seen the proof ', publicComment: 'Welcome!' },
      staff,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id,
      status: 'APPROVED',
      grantedVipLevel: 3,
      reason: 'seen the proof',
      publicComment: 'Welcome!',
      promoGrantId: null,
      user: { id: player.id, vipLevel: 3 },
    });
    expect(body).toEqual(await detail(id, staff));
    expect(await levelOf(player)).toBe(3);
    expect(await eventsOf(player)).toEqual([{ name: 'vip.level', data: { level: 3, previousLevel: 0 } }]);
    expect(await notificationsOf(player)).toEqual([['VIP', 'vip.approved', 'Ihre VIP-Stufe ist jetzt 3.']]);
    expect(await changesBy(staff)).toEqual([
      {
        reason: ' seen the proof ',
        before: { id, userId: player.id, status: 'NEW', vipLevel: 0 },
        after: { id, userId: player.id, status: 'APPROVED', vipLevel: 3 },
      },
    ]);
  });

  test('keeps the level on rejection and notifies the player', async () => {
    const { player, id } = await applicant();
    await setLevel(player, 2);
    expect((await decide(id, { approve: false })).body).toMatchObject({
      status: 'REJECTED',
      grantedVipLevel: null,
    });
    expect(await levelOf(player)).toBe(2);
    expect(await eventsOf(player)).toEqual([]);
    expect((await notificationsOf(player)).map(([type, code]: string[]) => [type, code])).toEqual([
      ['VIP', 'vip.rejected'],
    ]);
  });

  test("requires a level between the player's own and the highest level", async () => {
    const { player, id } = await applicant();
    await setLevel(player, 2);
    const rejected = await decide(id, { approve: true });
    expect([codeOf(rejected), rejected.body.details]).toEqual(['400 VIP_LEVEL_REQUIRED', { level: 2 }]);
    expect(codeOf(await approve(id, 1))).toBe('400 VIP_LEVEL_REQUIRED');
    expect(codeOf(await approve(id, 8))).toBe('400 VALIDATION_FAILED');
    expect(await detail(id)).toMatchObject({ status: 'NEW', decidedAt: null });
    expect((await approve(id, 2)).status).toBe(201);
    expect([await levelOf(player), await eventsOf(player)]).toEqual([2, []]);
  });

  test('requires a reason, and rejects a rejection that contains a level or a promotion', async () => {
    const { id } = await applicant();
    for (const body of [
      { approve: true, vipLevel: 1, reason: '' },
      { approve: true, vipLevel: 1, reason: ' \n' },
      { approve: true, vipLevel: 1, reason: 'x'.repeat(501) },
      { approve: 'yes', vipLevel: 1 },
      { approve: true, vipLevel: 1.5 },
      { approve: true, vipLevel: -1 },
      { approve: false, vipLevel: 1 },
      { approve: false, promoId: '7' },
      { approve: true, vipLevel: 1, promoId: 'seven' },
      { approve: true, vipLevel: 1, amount: '5' },
    ])
      expect(codeOf(await decide(id, body)), JSON.stringify(body).slice(0, 60)).toBe('400 VALIDATION_FAILED');
    expect(await detail(id)).toMatchObject({ status: 'NEW' });
  });

  test('returns 404 for an unknown promotion and makes no decision', async () => {
    const { player, id } = await applicant();
    const response = await decide(id, { approve: true, vipLevel: 1, promoId: '987654321' });
    expect(codeOf(response)).toBe('404 PROMO_NOT_FOUND');
    expect(await detail(id)).toMatchObject({ status: 'NEW', grantedVipLevel: null });
    expect(await levelOf(player)).toBe(0);
  });

  test('grants both the promotion and the level, or neither', async () => {
    const promoId = await newPromo(await app.as(PROMO_STAFF), { type: 'MANUAL', budget: { maxGrants: 1 } });
    const { player, id } = await applicant();
    const staff = await app.as({ permissions: RIGHTS });
    const { body } = await decide(id, { approve: true, vipLevel: 2, promoId }, staff);
    expect(body).toMatchObject({ status: 'APPROVED', promoGrantId: expect.stringMatching(/^\d+$/) });
    expect([await cashOf(player), await levelOf(player)]).toEqual(['10', 2]);
    expect((await changesBy(staff)).at(-1)!.after).toMatchObject({
      promoId,
      promoGrantId: body.promoGrantId,
    });
    const grants = await player.call('GET', '/promo/my');
    expect(grants.body.data).toMatchObject([{ id: body.promoGrantId, promoId }]);
    const other = await applicant();
    const rejected = await decide(other.id, { approve: true, vipLevel: 2, promoId }, staff);
    expect(codeOf(rejected)).toBe('409 PROMO_EXHAUSTED');
    expect([await levelOf(other.player), (await detail(other.id)).status]).toEqual([0, 'NEW']);
  });

  test('grants a promotion once and never pays rewards for granted levels', async () => {
    const boss = await app.as('superadmin');
    const promoId = await newPromo(boss, { type: 'MANUAL' });
    const { player, id } = await applicant();
    const { status, body } = await decide(id, { approve: true, vipLevel: 2, promoId });
    expect(status).toBe(201);
    const grant = await app.db
      .selectFrom('promo_grants')
      .select(['id', 'source', 'source_key', 'granted_by'])
      .where('user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(grant).toEqual({
      id: BigInt(body.promoGrantId),
      source: 'VIP',
      source_key: `${promoId}:vip:${id}`,
      granted_by: clerk.id,
    });
    const rewards = await app.db
      .selectFrom('vip_rewards')
      .select(['level', 'status', 'grant_id'])
      .where('user_id', '=', player.id)
      .orderBy('level')
      .execute();
    expect(rewards).toEqual([
      { level: 1, status: 'SKIPPED', grant_id: null },
      { level: 2, status: 'SKIPPED', grant_id: null },
    ]);
    const excluded = await applicant();
    await excluded.player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect(codeOf(await decide(excluded.id, { approve: true, vipLevel: 1, promoId }))).toBe(
      '403 SELF_EXCLUDED',
    );
    expect(await detail(excluded.id)).toMatchObject({ status: 'NEW' });
  });

  test('makes only one decision when staff send eight concurrently to two processes', async () => {
    const { player, id } = await applicant();
    const staff = await Promise.all(Array.from({ length: 4 }, () => app.as({ permissions: RIGHTS })));
    const responses = await Promise.all(
      [app, second].flatMap((at) =>
        staff.map((by, i) =>
          at.call('POST', `${PATH}/${id}/decision`, {
            token: by.token,
            body:
              i % 2 === 0 ? { approve: true, vipLevel: i + 1, reason: 'a' } : { approve: false, reason: 'b' },
          }),
        ),
      ),
    );
    expect(responses.map(codeOf).sort()).toEqual(['201', ...Array(7).fill('409 VIP_APPLICATION_DECIDED')]);
    const { body } = responses.find(({ status }) => status === 201)!;
    expect(await detail(id)).toMatchObject({ status: body.status, grantedVipLevel: body.grantedVipLevel });
    expect(await levelOf(player)).toBe(body.grantedVipLevel ?? 0);
    expect(await notificationsOf(player)).toHaveLength(1);
    expect(codeOf(await patch(id, { tag: 'late' }))).toBe('409 VIP_APPLICATION_DECIDED');
  });

  test('returns the same response for a repeated idempotency key, and 409 for another decision', async () => {
    const { player, id } = await applicant();
    const key = { 'idempotency-key': `decide-${player.id}` };
    const body = { approve: true, vipLevel: 2 };
    const responses = await Promise.all(Array.from({ length: 6 }, () => decide(id, body, clerk, key)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]!.status).toBe(201);
    expect(codeOf(await decide(id, { approve: false }, clerk, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(await notificationsOf(player)).toHaveLength(1);
  });

  test('allows a decision for excluded players, but sends them no notification', async () => {
    for (const approving of [true, false]) {
      const { player, id } = await applicant();
      await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
      const before = await notificationsOf(player);
      const body = approving ? { approve: true, vipLevel: 4 } : { approve: false };
      expect((await decide(id, body)).status).toBe(201);
      expect([await notificationsOf(player), await eventsOf(player)]).toEqual([before, []]);
      expect(await levelOf(player)).toBe(approving ? 4 : 0);
    }
  });

  test("rejects a decision on the caller's own account, a superadmin, and an account that the caller created", async () => {
    const staff = await app.as({ permissions: RIGHTS });
    const own = await applied(staff);
    expect(codeOf(await approve(own, 7, staff))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await patch(own, { tag: 'mine' }, staff))).toBe('403 OWN_ACCOUNT');
    const ofBoss = await applied(await app.as('superadmin'));
    expect(codeOf(await approve(ofBoss, 7, staff))).toBe('403 FORBIDDEN');
    const { player, id } = await applicant();
    await app.db.updateTable('users').set({ opened_by: staff.id }).where('id', '=', player.id).execute();
    expect(codeOf(await approve(id, 7, staff))).toBe('403 ACCOUNT_CONNECTED');
    expect((await approve(id, 1)).status).toBe(201);
  });

  test('requires a separate permission that only superadmins can grant', async () => {
    const { player, id } = await applicant();
    const reader = await app.as({ permissions: ['vip.read'] });
    expect((await reader.call('GET', `${PATH}/${id}`)).status).toBe(200);
    expect(codeOf(await approve(id, 1, reader))).toBe('403 FORBIDDEN');
    expect(codeOf(await patch(id, { tag: 'x' }, reader))).toBe('403 FORBIDDEN');
    for (const who of [player, await app.as({ permissions: ['vip.approve'] })])
      expect(codeOf(await who.call('GET', `${PATH}/${id}`))).toBe('403 FORBIDDEN');
    const granter = await app.as({ permissions: [...RIGHTS, 'user.permissions'] });
    const given = await granter.call('PATCH', `/admin/user/${player.id}/permissions`, {
      body: { permissions: ['vip.approve'] },
    });
    expect(given.status).toBeGreaterThanOrEqual(400);
    expect((await app.call('GET', PATH)).status).toBe(401);
  });

  test('returns 404 for an unknown application', async () => {
    for (const id of [crypto.randomUUID(), 'x', '1']) {
      expect(codeOf(await decide(id, { approve: false }))).toBe('404 VIP_APPLICATION_NOT_FOUND');
      expect(codeOf(await patch(id, { tag: 'x' }))).toBe('404 VIP_APPLICATION_NOT_FOUND');
      expect(codeOf(await clerk.call('GET', `${PATH}/${id}`))).toBe('404 VIP_APPLICATION_NOT_FOUND');
    }
  });
});

describe('work on an application', () => {
  test('sets status, tag, note and assignee, and records each change in the audit log', async () => {
    const staff = await app.as({ permissions: RIGHTS });
    const { id } = await applicant();
    const first = await patch(
      id,
      { status: 'IN_REVIEW', tag: 'whale', note: 'ask Bob', assigneeId: clerk.id },
      staff,
    );
    expect([first.status, first.body]).toEqual([200, await detail(id, staff)]);
    expect(first.body).toMatchObject({
      status: 'IN_REVIEW',
      tag: 'whale',
      staffNote: 'ask Bob',
      assignee: { id: clerk.id },
    });
    const next = await patch(id, { tag: ' ', assigneeId: null }, staff);
    expect(next.body).toMatchObject({ status: 'IN_REVIEW', tag: null, staffNote: 'ask Bob', assignee: null });
    const before = { id, status: 'NEW', tag: null, staffNote: null, assigneeId: null };
    const between = { id, status: 'IN_REVIEW', tag: 'whale', staffNote: 'ask Bob', assigneeId: clerk.id };
    expect((await changesBy(staff)).map((row) => [row.before, row.after])).toEqual([
      [before, between],
      [between, { ...between, tag: null, assigneeId: null }],
    ]);
    expect((await approve(id, 1)).body.status).toBe('APPROVED');
  });

  test('assigns applications only to staff, and does not accept a decision in an update', async () => {
    const { player, id } = await applicant();
    for (const body of [
      {},
      { assigneeId: player.id },
      { assigneeId: 2_000_000_000 },
      { status: 'APPROVED' },
      { status: 'NEW' },
      { tag: 'x'.repeat(51) },
      { note: 'x'.repeat(2001) },
      { vipLevel: 7 },
    ])
      expect(codeOf(await patch(id, body)), JSON.stringify(body).slice(0, 60)).toBe('400 VALIDATION_FAILED');
    expect(await detail(id)).toMatchObject({ status: 'NEW', assignee: null });
  });
});

describe('the view for staff', () => {
  test('includes statistics and risk notes for one application', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await betOnDice(player, { betAmount: '3' });
    const id = await applied(player);
    const writer = await app.as({ permissions: ['note.write', 'note.read'] });
    for (const [note, riskLevel] of [
      ['harmless', 'NONE'],
      ['first', 'LOW'],
      ['second', 'HIGH'],
    ])
      await writer.call('POST', '/admin/user-notes', { body: { userId: player.id, note, riskLevel } });
    const seen = await detail(id);
    expect(seen.userStats).toMatchObject({ totalWagered: '3', totalBets: 1 });
    expect(seen.riskNotes.map((one: any) => [one.note, one.riskLevel, one.createdBy.id])).toEqual([
      ['second', 'HIGH', writer.id],
      ['first', 'LOW', writer.id],
    ]);
    const { data } = await list(`search=${player.id}`);
    const { userStats: _, riskNotes: __, ...row } = seen;
    expect(data).toEqual([row]);
  });

  test('masks email addresses without the permission for personal data, even when given as contact details', async () => {
    const reader = await app.as({ permissions: ['vip.read'] });
    const { player, id } = await applicant({
      contactMethod: 'EMAIL',
      contactUsername: 'contact@mail.example',
    });
    expect(await detail(id)).toMatchObject({ contactUsername: 'contact@mail.example' });
    expect(await detail(id, reader)).toMatchObject({
      contactUsername: 'co***@mail.example',
      user: { email: 'p_***@test.example' },
    });
    expect((await detail(id)).user.email).toBe(`${player.username}@test.example`);
    const telegram = await applicant({ contactUsername: '@some@body' });
    expect(await detail(telegram.id, reader)).toMatchObject({ contactUsername: '@some@body' });
  });

  test('searches usernames, ids, usernames on other platforms and email addresses', async () => {
    const reader = await app.as({ permissions: ['vip.read'] });
    const elsewhere = `Else_${Date.now()}`;
    const { player, id } = await applicant({ platformUsername: elsewhere });
    await applicant();
    const ids = async (search: string, by = clerk) =>
      (await list(`search=${encodeURIComponent(search)}`, by)).data.map((one: any) => one.id);
    const email = `${player.username}@test.example`;
    for (const search of [
      player.username.slice(2),
      player.username.toUpperCase(),
      String(player.id),
      elsewhere.toLowerCase().slice(2),
      email,
      email.slice(3),
    ])
      expect(await ids(search), search).toEqual([id]);
    expect([await ids(email.slice(3), reader), await ids(email, reader)]).toEqual([[], [id]]);
    expect(await ids("' or 1=1 --")).toEqual([]);
    const named = await app.newPlayer({ username: `qj_${Date.now() % 1e8}` });
    const short = await applied(named);
    expect(await ids('QJ_')).toEqual([short]);
    for (const search of ['%', '_', '\\', 'lse_'.slice(3)]) expect(await ids(search), search).toEqual([]);
  });

  test('filters, sorts and pages applications', async () => {
    const other = await app.as({ permissions: ['vip.read'] });
    const made: string[] = [];
    for (const totalWageredUsd of ['20', '100000000', '3', '3'])
      made.push((await applicant({ totalWageredUsd })).id);
    for (const id of made) await patch(id, { assigneeId: other.id });
    const [a, b, c, d] = made;
    const mine = `assigneeId=${other.id}`;
    const ids = async (query: string) => (await list(`${mine}&${query}`)).data.map((one: any) => one.id);
    expect(await ids('')).toEqual([d, c, b, a]);
    expect(await ids('sortOrder=asc')).toEqual([a, b, c, d]);
    expect(await ids('sortBy=totalWageredUsd')).toEqual([b, a, d, c]);
    expect(await ids('sortBy=totalWageredUsd&sortOrder=asc')).toEqual([c, d, a, b]);
    await patch(b!, { tag: 'now' });
    expect((await ids('sortBy=updatedAt'))[0]).toBe(b);
    await decide(c!, { approve: false });
    await patch(d!, { status: 'IN_REVIEW' });
    expect(await ids('status=REJECTED')).toEqual([c]);
    expect(await ids('status=IN_REVIEW')).toEqual([d]);
    expect(await ids('status=NEW')).toEqual([b, a]);
    expect(await list(`${mine}&take=3&page=2`)).toMatchObject({ total: 4, totalPages: 2, page: 2, take: 3 });
    expect(await list(`${mine}&page=9007199254740991`)).toMatchObject({ data: [], total: 4 });
    for (const query of ['take=21', 'sortBy=id', 'status=OPEN', 'search=', 'assigneeId=0'])
      expect((await clerk.call('GET', `${PATH}?${query}`)).status, query).toBe(400);
  });

  test('counts up to 10,000 of 12,000 applications, and uses an index for every sort order', async () => {
    const player = await app.newPlayer();
    await app.sql`insert into vip_applications (id, user_id, status, platform_name, platform_username, total_wagered_usd, rank,
        contact_method, contact_username, decided_at, created_at, updated_at)
      select gen_random_uuid(), ${player.id}::int, 'REJECTED', 'x', 'many' || n, n, 'x', 'OTHER', 'x', now(), now() - n * interval '1 s', now()
      from generate_series(1, 12000) n`.execute(app.db);
    await app.sql`analyze vip_applications`.execute(app.db);
    for (const query of ['', `search=${player.username}&`, 'search=many&', 'status=REJECTED&']) {
      const last = await list(`${query}page=500`);
      expect([last.total, last.data.length], query).toEqual([10_000, 20]);
      expect(await list(`${query}page=501`)).toMatchObject({ data: [], total: 10_000 });
    }
    for (const order of ['created_at', 'updated_at', 'total_wagered_usd']) {
      const { rows } = await app.sql<{ 'QUERY PLAN': string }>`explain select * from vip_applications
        order by ${app.sql.ref(order)} desc, id desc limit 20`.execute(app.db);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n'), order).toMatch(/Index Scan/);
    }
    const { rows } = await app.sql<{ 'QUERY PLAN': string }>`explain select id from vip_application_images
      where delete_at <= now() and id <> all('{}'::text[]) order by delete_at limit 100`.execute(app.db);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('vip_application_images_delete_idx');
  });
});
