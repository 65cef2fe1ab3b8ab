import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
const clerk = fixture(() => app.as({ permissions: ['user.read', 'user.write'] }));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const rowOf = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const patch = (who: Player, id: number | string, body?: object) =>
  who.call('PATCH', `/admin/user/${id}`, body === undefined ? {} : { body });
const lastAudit = async (who: Player) => {
  const row = await app.db
    .selectFrom('admin_audit')
    .selectAll()
    .where('user_id', '=', who.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const { method, path, status_code, permission, before, after } = row;
  return { call: `${method} ${path}`, status: status_code, permission, before, after };
};
const MISSING = 2_000_000_000;

describe('GET /admin/user/{id}', () => {
  test('returns the staff view of a user, masks the email without user.pii, and audits the read', async () => {
    const player = await app.newPlayer();
    const { status, body } = await clerk.call('GET', `/admin/user/${player.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: player.id,
      username: player.username,
      email: 'p_***@test.example',
      mfaSecret: '',
    });
    expect(await lastAudit(clerk)).toMatchObject({
      call: `GET /admin/user/${player.id}`,
      status: 200,
      permission: 'user.read',
      before: null,
    });
    expect((await boss.call('GET', `/admin/user/${player.id}`)).body.email).toBe(
      `${player.username}@test.example`,
    );
  });

  test('returns permissions only to callers with staff.read, including in the response to a change', async () => {
    const member = await app.as({ permissions: ['faq.write'] });
    const expert = await app.as({ permissions: ['user.read', 'staff.read'] });
    const shown = async (who: Player) =>
      (await who.call('GET', `/admin/user/${member.id}`)).body.permissions as string[];
    expect(await shown(clerk)).toEqual([]);
    expect(await shown(expert)).toEqual(['faq.write']);
    expect(await shown(boss)).toEqual(['faq.write']);
    expect((await patch(clerk, member.id, { isPrivate: true })).body.permissions).toEqual([]);
    expect((await patch(boss, member.id, { isPrivate: false })).body.permissions).toEqual(['faq.write']);
  });

  test('rejects unknown and invalid ids with USER_NOT_FOUND', async () => {
    for (const id of [MISSING, 0, -1, 'x', '1.5', 2 ** 31, '9'.repeat(30)])
      expect(codeOf(await clerk.call('GET', `/admin/user/${id}`)), String(id)).toBe('404 USER_NOT_FOUND');
  });
});

describe('PATCH /admin/user/{id}', () => {
  const EVERYTHING = {
    isYoutuber: true,
    isTest: true,
    isStreamer: true,
    canUseChat: false,
    isPrivate: true,
    isStreamerMode: true,
    isEmailNotificationsEnabled: false,
    customMinAffiliateLevel: 3,
    platformTradeLink: 'https://trade.example/offer?partner=7',
  };

  test('changes only the given fields, and audits their old and new values', async () => {
    const player = await app.newPlayer();
    const username = `r_${randomBytes(6).toString('hex')}`;
    const former = { is_test: false, custom_min_affiliate_level: 4 };
    await app.db.updateTable('users').set(former).where('id', '=', player.id).execute();
    const { updated_at: _, ...before } = await rowOf(player.id);
    const { status, body } = await patch(boss, player.id, { ...EVERYTHING, username, isStaff: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      username,
      isStaff: true,
      isPrivate: true,
      platformTradeLink: EVERYTHING.platformTradeLink,
    });
    const { updated_at: __, ...after } = await rowOf(player.id);
    expect(after).toEqual({
      ...before,
      was_staff: true,
      username,
      username_skeleton: expect.any(String),
      is_staff: true,
      is_youtuber: true,
      is_test: true,
      is_streamer: true,
      can_use_chat: false,
      is_private: true,
      is_streamer_mode: true,
      is_email_notifications_enabled: false,
      custom_min_affiliate_level: 3,
      platform_trade_link: EVERYTHING.platformTradeLink,
    });
    expect(after.username_skeleton).not.toBe(before.username_skeleton);
    expect(await lastAudit(boss)).toEqual({
      call: `PATCH /admin/user/${player.id}`,
      status: 200,
      permission: 'user.write',
      before: {
        username: player.username,
        isStaff: false,
        isYoutuber: false,
        isTest: false,
        isStreamer: false,
        canUseChat: true,
        isPrivate: false,
        isStreamerMode: false,
        isEmailNotificationsEnabled: true,
        customMinAffiliateLevel: 4,
        platformTradeLink: null,
      },
      after: { ...EVERYTHING, username, isStaff: true },
    });
    const me = async () => (await player.call('GET', '/user/me')).body;
    await expect.poll(me).toMatchObject({ username, isStaff: true });
    expect((await patch(boss, player.id, { platformTradeLink: null })).body.platformTradeLink).toBe('');
    expect(codeOf(await patch(boss, player.id, { customMinAffiliateLevel: null }))).toBe('200');
    expect((await rowOf(player.id)).custom_min_affiliate_level).toBeNull();
  });

  test('lets only superadmins change isStaff and isTest, and keeps isStaff true while a user has permissions', async () => {
    const player = await app.newPlayer();
    for (const change of [{ isStaff: true }, { isTest: false }, { isStaff: false, isPrivate: true }])
      expect(codeOf(await patch(clerk, player.id, change))).toBe('403 FORBIDDEN');
    expect(await rowOf(player.id)).toMatchObject({ is_staff: false, is_test: true, is_private: false });
    expect(codeOf(await patch(clerk, player.id, { isPrivate: true }))).toBe('200');
    const member = await app.as({ permissions: ['faq.write'] });
    expect(codeOf(await patch(boss, member.id, { isStaff: false }))).toBe('409 STAFF_HAS_RIGHTS');
    expect(codeOf(await patch(boss, player.id, { isStaff: true }))).toBe('200');
    expect(codeOf(await patch(boss, player.id, { isStaff: false }))).toBe('200');
  });

  test("rejects edits of the caller's own account, and of superadmins by other staff", async () => {
    expect(codeOf(await patch(clerk, clerk.id, { isPrivate: true }))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await patch(boss, boss.id, { isPrivate: true }))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await patch(clerk, boss.id, { isPrivate: true }))).toBe('403 FORBIDDEN');
    const other = await app.as('superadmin');
    expect(codeOf(await patch(boss, other.id, { isPrivate: true }))).toBe('200');
  });

  test("rejects a taken or similar username with 409, but accepts another spelling of the user's own name", async () => {
    const [one, two] = [await app.newPlayer(), await app.newPlayer({ username: `vv1z_${Date.now() % 1e8}` })];
    const twin = two.username.replace('vv1z', 'WLZ');
    for (const username of [two.username, two.username.toUpperCase(), twin])
      expect(codeOf(await patch(clerk, one.id, { username, isPrivate: true })), username).toBe(
        '409 AUTH_USER_EXISTS',
      );
    expect(await rowOf(one.id)).toMatchObject({ username: one.username, is_private: false });
    expect(codeOf(await patch(clerk, two.id, { username: twin }))).toBe('200');
    const { status } = await lastAudit(clerk);
    expect(status).toBe(200);
  });

  test.each([
    [{ username: 'me' }],
    [{ username: 'a b' }],
    [{ customMinAffiliateLevel: -1 }],
    [{ customMinAffiliateLevel: 1.5 }],
    [{ isPrivate: 'true' }],
    [{ platformTradeLink: 'http://trade.example/x' }],
    [{ platformTradeLink: 'javascript:alert(1)' }],
    [{ platformTradeLink: `https://trade.example/${'x'.repeat(300)}` }],
    [{ email: 'a@b.example' }],
    [{ roles: ['SUPERADMIN'] }],
    [{ isPrivate: null }],
  ])('rejects %j with 400', async (body) => {
    const { id } = await app.newPlayer();
    expect(codeOf(await patch(boss, id, body))).toBe('400 VALIDATION_FAILED');
  });

  test('rejects an empty change with 400 and an unknown id with 404', async () => {
    const { id } = await app.newPlayer();
    expect(codeOf(await patch(clerk, id, {}))).toBe('400 NOTHING_TO_CHANGE');
    expect(codeOf(await patch(clerk, id))).toBe('400 NOTHING_TO_CHANGE');
    expect(codeOf(await patch(clerk, MISSING, { isPrivate: true }))).toBe('404 USER_NOT_FOUND');
    expect(await lastAudit(clerk)).toMatchObject({ status: 404, before: null, after: null });
  });
});

describe('PATCH /admin/user/{id}/avatar/reset', () => {
  const reset = (who: Player, id: number) => who.call('PATCH', `/admin/user/${id}/avatar/reset`);

  test('removes the avatar and its file, and succeeds when repeated', async () => {
    const player = await app.newPlayer();
    const avatar = 'https://files.example/an-avatar.webp';
    await app.db.updateTable('users').set({ avatar }).where('id', '=', player.id).execute();
    const forget = vi.spyOn(app.services.files, 'forget');
    const answer = await reset(clerk, player.id);
    expect([answer.status, answer.text]).toEqual([200, '""']);
    expect(forget.mock.calls).toEqual([[avatar]]);
    forget.mockRestore();
    expect((await rowOf(player.id)).avatar).toBeNull();
    expect(await lastAudit(clerk)).toMatchObject({
      status: 200,
      before: { avatar },
      after: { avatar: null },
    });
    expect((await reset(clerk, player.id)).status).toBe(200);
  });

  test("rejects the caller's own account, superadmins, unknown users and callers without the permission", async () => {
    expect(codeOf(await reset(clerk, clerk.id))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await reset(clerk, boss.id))).toBe('403 FORBIDDEN');
    expect(codeOf(await reset(clerk, MISSING))).toBe('404 USER_NOT_FOUND');
    const player = await app.newPlayer();
    expect(codeOf(await reset(player, clerk.id))).toBe('403 FORBIDDEN');
  });
});
