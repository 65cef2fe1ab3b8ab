import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { backofficeRoutes, mainRoutes } from '../../../app/apps.ts';
import { permissionsFor } from '../../../http/access.ts';
import { PERMISSIONS } from './permissions.ts';
import { SHIPPED_ROLES } from './roles/rules.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const rightsOf = (id: number) =>
  app.db
    .selectFrom('users')
    .select(['roles', 'permissions', 'is_staff'])
    .where('id', '=', id)
    .executeTakeFirst();
const setPermissions = (who: Player, { id }: { id: number }, permissions: unknown) =>
  who.call('PUT', `/admin/user/${id}/permissions`, { body: { permissions } });
const setRoles = (who: Player, { id }: { id: number }, roles: unknown) =>
  who.call('PUT', `/admin/user/${id}/roles`, { body: { roles } });
const aName = () => `st_${randomBytes(6).toString('hex')}`;
const newStaff = (who: Player, body: object) =>
  who.call('POST', '/admin/user/admin-user', {
    body: { username: aName(), password: 'corridor battery 9', ...body },
  });

describe('the permission catalogue', () => {
  test('contains exactly the permissions that routes require, plus user.pii', () => {
    const routes = [...mainRoutes(app.services), ...backofficeRoutes(app.services)];
    const asked = new Set<string>(routes.flatMap(({ access }) => permissionsFor(access)));
    expect([...asked].filter((name) => !Object.hasOwn(PERMISSIONS, name))).toEqual([]);
    // No route requires user.pii. This permission is checked only when responses are built.
    expect(Object.keys(PERMISSIONS).filter((name) => !asked.has(name))).toEqual(['user.pii']);
  });

  test('lists permissions with groups and descriptions on GET all-permissions', async () => {
    const { status, body } = await boss.call('GET', '/admin/user/all-permissions');
    expect(status).toBe(200);
    expect(body.permissions).toHaveLength(Object.keys(PERMISSIONS).length);
    expect(body.permissions).toContainEqual({
      name: 'user.ban',
      group: 'user',
      description: PERMISSIONS['user.ban'],
    });
  });
});

describe('roles', () => {
  test('grants the permissions of a role within a second, and revokes them within a second after the role is removed', async () => {
    const clerk = await app.newPlayer();
    await app.call('POST', '/debug/user/action', { body: { userId: clerk.id, action: 'VERIFY_EMAIL' } });
    const list = async () => (await clerk.call('GET', '/admin/user-notes')).status;
    expect(await list()).toBe(403);
    expect((await setRoles(boss, clerk, ['SUPPORT', 'SUPPORT'])).body).toEqual({ success: true });
    await vi.waitFor(async () => expect(await list()).toBe(200), { timeout: 1000, interval: 10 });
    expect(await rightsOf(clerk.id)).toEqual({ roles: ['SUPPORT'], permissions: [], is_staff: true });
    await setRoles(boss, clerk, []);
    await vi.waitFor(async () => expect(await list()).toBe(403), { timeout: 1000, interval: 10 });
    expect(await rightsOf(clerk.id)).toMatchObject({ is_staff: false });
  });

  test('adds and removes one role at a time by username, and returns the user each time', async () => {
    const clerk = await app.newPlayer();
    const change = (path: string, role: string) =>
      boss.call('PUT', `/admin/user/${path}-single-role`, {
        body: { username: clerk.username.toUpperCase(), role },
      });
    for (const role of ['RISK', 'FINANCE', 'RISK'])
      expect((await change('add', role)).body).toMatchObject({ id: clerk.id, isStaff: true, mfaSecret: '' });
    expect((await rightsOf(clerk.id))!.roles).toEqual(['FINANCE', 'RISK']);
    expect((await change('revoke', 'RISK')).status).toBe(200);
    expect((await rightsOf(clerk.id))!.roles).toEqual(['FINANCE']);
    expect(codeOf(await change('add', 'KING'))).toBe('400 ROLE_UNKNOWN');
  });

  test('lists roles with their permissions and users', async () => {
    const clerk = await app.newPlayer();
    await setRoles(boss, clerk, ['MARKETING']);
    const { body } = await boss.call('GET', '/admin/user/get-all-roles-with-users');
    expect(body.map((r: { role: string }) => r.role)).toEqual(Object.keys(SHIPPED_ROLES));
    const marketing = body.find((r: { role: string }) => r.role === 'MARKETING');
    expect(marketing.permissions).toEqual([...SHIPPED_ROLES.MARKETING!.permissions].sort());
    expect(marketing.users).toEqual([expect.objectContaining({ id: clerk.id, username: clerk.username })]);
    const { body: staff } = await boss.call('GET', '/admin/user/get-admins-with-roles?take=100');
    expect(staff.data).toContainEqual(expect.objectContaining({ id: clerk.id, roles: ['MARKETING'] }));
    expect(staff.data.every((u: { isStaff: boolean }) => u.isStaff)).toBe(true);
    expect(staff.total).toBe(staff.data.length);
    const beyond = await boss.call('GET', '/admin/user/get-admins-with-roles?page=9007199254740991');
    expect(beyond.body).toMatchObject({ data: [], total: staff.total });
  });

  test('lists roles with masked emails for staff without user.pii', async () => {
    const clerk = await app.as({ permissions: ['staff.read'] });
    const emails = async (who: Player) => {
      const { body } = await who.call('GET', '/admin/user/get-admins-with-roles?take=100');
      return body.data.map((u: { email: string }) => u.email).join();
    };
    expect(await emails(clerk)).not.toContain(`${clerk.username}@`);
    expect(await emails(boss)).toContain(`${clerk.username}@`);
  });
});

describe('privilege escalation', () => {
  test('lets staff grant and remove only permissions that they hold, and only on other accounts below superadmin', async () => {
    const clerk = await app.as({ permissions: ['staff.write', 'note.read', 'user.read'] });
    const other = await app.as({ permissions: ['user.ban'] });
    const player = await app.newPlayer();
    expect(codeOf(await setPermissions(clerk, player, ['note.read']))).toBe('200');
    expect((await rightsOf(player.id))!.permissions).toEqual(['note.read']);
    expect(codeOf(await setPermissions(clerk, player, ['note.read', 'user.ban']))).toBe(
      '403 PERMISSION_NOT_HELD',
    );
    expect(codeOf(await setPermissions(clerk, other, []))).toBe('403 PERMISSION_NOT_HELD');
    expect(codeOf(await setPermissions(clerk, clerk, ['note.read']))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await setPermissions(clerk, boss, []))).toBe('403 FORBIDDEN');
    expect(codeOf(await setPermissions(clerk, player, ['user.everything']))).toBe('400 PERMISSION_UNKNOWN');
    expect(codeOf(await setPermissions(clerk, { id: 2_000_000_000 }, []))).toBe('404 USER_NOT_FOUND');
    expect((await rightsOf(other.id))!.permissions).toEqual(['user.ban']);
    expect((await rightsOf(player.id))!.permissions).toEqual(['note.read']);
  });

  test('rejects role changes by staff below superadmin, and new staff with permissions that the caller lacks', async () => {
    const clerk = await app.as({ permissions: ['staff.write', 'note.read'] });
    const player = await app.newPlayer();
    expect(codeOf(await setRoles(clerk, player, ['SUPPORT']))).toBe('403 FORBIDDEN');
    for (const path of ['add', 'revoke']) {
      const body = { username: player.username, role: 'SUPERADMIN' };
      expect(codeOf(await clerk.call('PUT', `/admin/user/${path}-single-role`, { body }))).toBe(
        '403 FORBIDDEN',
      );
    }
    expect(codeOf(await newStaff(clerk, { permissions: ['note.write'] }))).toBe('403 PERMISSION_NOT_HELD');
    expect(codeOf(await newStaff(clerk, { roles: ['SUPERADMIN'] }))).toBe('400 VALIDATION_FAILED');
    const made = await newStaff(clerk, { permissions: ['note.read'] });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ isStaff: true, permissions: ['note.read'] });
    expect(await rightsOf(made.body.id)).toMatchObject({ roles: [], is_staff: true });
    expect(codeOf(await newStaff(clerk, { username: made.body.username }))).toBe('409 AUTH_USER_EXISTS');
  });

  test('rejects superadmins who change their own roles', async () => {
    expect(codeOf(await setRoles(boss, boss, ['SUPPORT']))).toBe('403 OWN_ACCOUNT');
    const body = { username: boss.username, role: 'SUPERADMIN' };
    expect(codeOf(await boss.call('PUT', '/admin/user/revoke-single-role', { body }))).toBe(
      '403 OWN_ACCOUNT',
    );
  });

  test('keeps at least one superadmin when two demote each other concurrently', async () => {
    const lone = await startApp();
    try {
      for (let round = 0; round < 10; round++) {
        const [a, b] = [await lone.as('superadmin'), await lone.as('superadmin')];
        const answers = await Promise.all([setRoles(a, b, []), setRoles(b, a, [])]);
        const left = await lone.db
          .selectFrom('users')
          .select('id')
          .where('is_staff', '=', true)
          .where('banned_at', 'is', null)
          .execute();
        expect(left, answers.map(codeOf).join()).toHaveLength(1);
        await lone.db.updateTable('users').set({ roles: [], is_staff: false }).execute();
      }
    } finally {
      await lone.stop();
    }
  });

  test('keeps the staff flag of staff without permissions while their roles do not change, and audits changes to the flag', async () => {
    const member = await app.newPlayer();
    await boss.call('PATCH', `/admin/user/${member.id}`, { body: { isStaff: true } });
    expect(codeOf(await setPermissions(boss, member, []))).toBe('200');
    expect(await rightsOf(member.id)).toEqual({ roles: [], permissions: [], is_staff: true });
    await setPermissions(boss, member, ['note.read']);
    await setPermissions(boss, member, []);
    expect(await rightsOf(member.id)).toEqual({ roles: [], permissions: [], is_staff: false });
    const rows = await app.db
      .selectFrom('admin_audit')
      .select(['before', 'after'])
      .where('path', '=', `/admin/user/${member.id}/permissions`)
      .orderBy('id')
      .execute();
    expect(rows.map(({ before, after }: any) => [before.isStaff, after.isStaff])).toEqual([
      [true, true],
      [true, true],
      [true, false],
    ]);
  });

  test('audits every change with the previous and new values', async () => {
    const player = await app.newPlayer();
    await setPermissions(boss, player, ['note.read']);
    const row = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('path', '=', `/admin/user/${player.id}/permissions`)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      user_id: boss.id,
      method: 'PUT',
      status_code: 200,
      before: { roles: [], permissions: [] },
      after: { roles: [], permissions: ['note.read'] },
    });
  });
});
