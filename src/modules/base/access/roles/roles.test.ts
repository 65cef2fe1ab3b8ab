import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { inTurn } from '../../../../../test/kit/games/turns.ts';
import { lockSuperAdmins } from '../service.ts';
import { SHIPPED_ROLES } from './rules.ts';

const app = fixture(startApp);
/** Another process on the same database. */
const other = fixture(() => startApp({ database: app.database }));
const boss = fixture(() => app.as('superadmin'));

const newName = () => `R_${randomBytes(5).toString('hex').toUpperCase()}`;
const read = async (name: string) => (await boss.call('GET', `/admin/roles/${name}`)).body;
const create = (by: Player, permissions: string[], name = newName()) =>
  by.call('POST', '/admin/roles', {
    body: { name, title: `Role ${name}`, description: 'A test', permissions, reason: 'Needed' },
  });
/** Creates a role as a superadmin, and returns its name. */
const created = async (...permissions: string[]): Promise<string> => {
  const answer = await create(boss, permissions);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.name;
};
/** Sends a change based on the current version, unless another version is given. */
async function change(by: Player, name: string, body: object) {
  const { title, description, permissions, version } = await read(name);
  const whole = { title, description, permissions, version, reason: 'Needed', ...body };
  return by.call('PUT', `/admin/roles/${name}`, { body: whole });
}
const remove = async (by: Player, name: string, version?: number) =>
  by.call('DELETE', `/admin/roles/${name}`, {
    body: { version: version ?? (await read(name)).version ?? 0, reason: 'Unused' },
  });
const assign = (user: { id: number }, ...roles: string[]) =>
  boss.call('PUT', `/admin/user/${user.id}/roles`, { body: { roles } });
/** Creates a staff member who has this role, and direct permissions. */
async function withRole(name: string, ...permissions: string[]): Promise<Player> {
  const player = await app.as({ permissions });
  await app.call('POST', '/debug/user/action', { body: { userId: player.id, action: 'VERIFY_EMAIL' } });
  expect((await assign(player, name)).status).toBe(200);
  return player;
}
const auditOf = (path: string) =>
  app.db
    .selectFrom('admin_audit')
    .select(['method', 'before', 'after', 'reason', 'user_id', 'status_code'])
    .where('path', '=', path)
    .orderBy('id')
    .execute();
const soon = (act: () => Promise<void>) => vi.waitFor(act, { timeout: 1000, interval: 10 });

describe('reading roles', () => {
  test('lists the shipped roles first, with their permissions and the number of users', async () => {
    const name = await created('bet.read');
    await withRole(name);
    const { status, body } = await boss.call('GET', '/admin/roles');
    expect(status).toBe(200);
    expect(body.map((role: { name: string }) => role.name)).toEqual([
      ...Object.keys(SHIPPED_ROLES),
      ...body.slice(Object.keys(SHIPPED_ROLES).length).map((role: { name: string }) => role.name),
    ]);
    const [first] = body;
    expect(first).toMatchObject({ name: 'SUPERADMIN', title: 'Superadmin', kind: 'FIXED', version: 0 });
    expect(first.userCount).toBeGreaterThan(0);
    const finance = body.find((role: { name: string }) => role.name === 'FINANCE');
    const permissions = [...SHIPPED_ROLES.FINANCE!.permissions].sort();
    expect(finance).toMatchObject({ kind: 'SHIPPED', isAsShipped: true, permissions, updatedBy: null });
    expect(finance.shippedPermissions).toEqual(permissions);
    expect(body.find((role: { name: string }) => role.name === name)).toMatchObject({
      kind: 'CREATED',
      title: `Role ${name}`,
      permissions: ['bet.read'],
      shippedPermissions: null,
      isAsShipped: false,
      version: 1,
      userCount: 1,
      updatedBy: { id: boss.id },
    });
  });

  test('returns a role with its users, and 404 for an unknown role', async () => {
    const name = await created();
    const member = await withRole(name);
    expect(await read(name)).toMatchObject({ name, userCount: 1, users: [{ id: member.id }] });
    expect(codeOf(await boss.call('GET', '/admin/roles/NOBODY'))).toBe('404 ROLE_NOT_FOUND');
    expect(codeOf(await boss.call('GET', '/admin/roles/constructor'))).toBe('404 ROLE_NOT_FOUND');
  });

  test('masks the email addresses of users for staff without user.pii', async () => {
    const name = await created();
    const member = await withRole(name);
    const clerk = await app.as({ permissions: ['staff.read'] });
    const { body } = await clerk.call('GET', `/admin/roles/${name}`);
    expect(body.users[0].email).not.toContain(member.username);
    expect((await read(name)).users[0].email).toContain(member.username);
  });

  test('rejects visitors with 401, and players and staff without the permission with 403', async () => {
    const name = await created();
    const calls: [string, string, object?][] = [
      ['GET', '/admin/roles'],
      ['GET', `/admin/roles/${name}`],
      ['POST', '/admin/roles', {}],
      ['PUT', `/admin/roles/${name}`, {}],
      ['DELETE', `/admin/roles/${name}`, {}],
      ['POST', `/admin/roles/${name}/copy`, {}],
    ];
    const [player, reader] = [
      await app.newPlayer(),
      await app.as({ permissions: ['staff.read', 'user.read'] }),
    ];
    for (const [method, path, body] of calls) {
      expect(codeOf(await app.call(method, path, { body })), path).toBe('401 UNAUTHORIZED');
      expect(codeOf(await player.call(method, path, { body })), path).toBe('403 FORBIDDEN');
      if (method !== 'GET') expect(codeOf(await reader.call(method, path, { body }))).toBe('403 FORBIDDEN');
    }
  });
});

describe('changing roles', () => {
  test('applies a change in every process within a second, and keeps direct permissions', async () => {
    const name = await created('note.read');
    const clerk = await withRole(name, 'faq.read');
    const statuses = async () =>
      Promise.all(
        [app, other].map(async (at) => {
          const status = async (path: string) => (await at.call('GET', path, { token: clerk.token })).status;
          return [await status('/admin/user-notes'), await status('/admin/approvals')];
        }),
      );
    await soon(async () =>
      expect(await statuses()).toEqual([
        [200, 403],
        [200, 403],
      ]),
    );
    const changed = await change(boss, name, {
      title: ' Host ',
      permissions: ['approval.read', 'approval.read'],
    });
    expect(changed.body).toMatchObject({ title: 'Host', permissions: ['approval.read'], version: 2 });
    await soon(async () =>
      expect(await statuses()).toEqual([
        [403, 200],
        [403, 200],
      ]),
    );
    expect((await clerk.call('GET', '/user/me')).body.permissions).toEqual(['approval.read', 'faq.read']);
  });

  test('audits a change with the previous and new values and the reason', async () => {
    const name = await created('note.read');
    await change(boss, name, { permissions: ['faq.read'], reason: 'New job' });
    expect(await auditOf(`/admin/roles/${name}`)).toContainEqual({
      method: 'PUT',
      before: { name, title: `Role ${name}`, description: 'A test', permissions: ['note.read'] },
      after: { name, title: `Role ${name}`, description: 'A test', permissions: ['faq.read'] },
      reason: 'New job',
      user_id: boss.id,
      status_code: 200,
    });
    const made = await auditOf('/admin/roles');
    expect(made.map(({ after }) => after)).toContainEqual(expect.objectContaining({ name }));
  });

  test('stores a shipped role only while it differs, and resets it', async () => {
    const before = await read('CONTENT');
    const permissions = ['faq.read', 'faq.write'];
    const changed = await change(boss, 'CONTENT', { permissions });
    expect(changed.body).toMatchObject({ permissions, isAsShipped: false, version: 1, title: before.title });
    expect(changed.body.shippedPermissions).toEqual(before.permissions);
    const clerk = await withRole('CONTENT');
    await soon(async () =>
      expect((await clerk.call('GET', '/user/me')).body.permissions).toEqual(permissions),
    );
    const reset = await change(boss, 'CONTENT', { permissions: null });
    expect(reset.body).toMatchObject({ permissions: before.permissions, isAsShipped: true, version: 2 });
    const row = await app.db.selectFrom('roles').selectAll().where('name', '=', 'CONTENT').executeTakeFirst();
    expect(row).toMatchObject({ title: null, description: null, permissions: null });
    await soon(async () =>
      expect((await clerk.call('GET', '/user/me')).body.permissions).toEqual(before.permissions),
    );
    const name = await created();
    expect(codeOf(await change(boss, name, { permissions: null }))).toBe('400 VALIDATION_FAILED');
  });

  test('rejects a change that is based on an old version, and one of two concurrent changes', async () => {
    const name = await created();
    const change1 = { permissions: ['faq.read'], version: 1 };
    const answers = await Promise.all([change(boss, name, change1), change(boss, name, change1)]);
    expect(answers.map(codeOf).sort()).toEqual(['200', '409 ROLE_CHANGED']);
    const lost = await change(boss, name, { permissions: [], version: 1 });
    expect(lost.body).toMatchObject({ code: 'ROLE_CHANGED', details: { version: 2 } });
    const shipped = await Promise.all([
      change(boss, 'STREAMER_MANAGER', { permissions: ['user.read'], version: 0 }),
      change(boss, 'STREAMER_MANAGER', { permissions: ['faq.read'], version: 0 }),
    ]);
    expect(shipped.map(codeOf).sort()).toEqual(['200', '409 ROLE_CHANGED']);
  });

  test('rejects changes that would give or remove more than the author holds, and changes of SUPERADMIN', async () => {
    const clerk = await app.as({ permissions: ['staff.write', 'note.read', 'bet.read', 'tip.pay'] });
    const name = await created('faq.read');
    for (const [permissions, code] of [
      [['faq.read', 'user.ban'], '403 PERMISSION_NOT_HELD'],
      [[], '403 PERMISSION_NOT_HELD'],
      [['faq.read', 'tip.pay'], '403 GRANT_NEEDS_SUPERADMIN'],
      [['faq.read', 'toString'], '400 PERMISSION_UNKNOWN'],
    ] as const) {
      expect(codeOf(await change(clerk, name, { permissions })), code).toBe(code);
      expect(codeOf(await create(clerk, [...permissions, 'user.ban']))).not.toBe('201');
    }
    expect(await read(name)).toMatchObject({ permissions: ['faq.read'], version: 1 });
    expect(codeOf(await change(clerk, name, { permissions: ['faq.read', 'note.read'] }))).toBe('200');
    expect(codeOf(await change(boss, 'SUPERADMIN', { permissions: ['faq.read'] }))).toBe('403 ROLE_FIXED');
    expect(codeOf(await create(boss, [], 'SUPERADMIN'))).toBe('409 ROLE_EXISTS');
    expect(codeOf(await create(boss, [], 'lower'))).toBe('400 VALIDATION_FAILED');
  });

  test('lets staff rename only roles whose permissions they all hold', async () => {
    const clerk = await app.as({ permissions: ['staff.write', 'note.read'] });
    const name = await created('note.read', 'bet.read');
    for (const body of [{ title: 'Interns' }, { description: 'Harmless' }]) {
      const answer = await change(clerk, name, body);
      expect([codeOf(answer), answer.body.details]).toEqual([
        '403 TITLE_NEEDS_PERMISSIONS',
        { permissions: ['bet.read'] },
      ]);
    }
    expect(codeOf(await change(clerk, name, { permissions: ['bet.read'] }))).toBe('200');
    expect(codeOf(await change(clerk, name, { title: `Interns ${name}` }))).toBe(
      '403 TITLE_NEEDS_PERMISSIONS',
    );
    expect(codeOf(await change(boss, name, { permissions: ['note.read'] }))).toBe('200');
    expect((await change(clerk, name, { title: `Interns ${name}` })).body.title).toBe(`Interns ${name}`);
  });

  test('rejects the title or name of another role, in any capitals', async () => {
    const [name, other] = [await created(), await created()];
    for (const [title, role] of [
      [`rOLE ${other}`, other],
      [other.toLowerCase(), other],
      ['superadmin', 'SUPERADMIN'],
      ['risk AND compliance', 'RISK'],
    ]) {
      const answer = await change(boss, name, { title });
      expect([codeOf(answer), answer.body.details], title).toEqual(['409 ROLE_TITLE_TAKEN', { role }]);
      const body = { name: newName(), title, description: '', permissions: [], reason: 'x' };
      expect(codeOf(await boss.call('POST', '/admin/roles', { body }))).toBe('409 ROLE_TITLE_TAKEN');
    }
    await change(boss, other, { title: 'VIP_DESK' });
    const desk = { name: 'VIP_DESK', title: 'Desk', description: '', permissions: [], reason: 'x' };
    const answer = await boss.call('POST', '/admin/roles', { body: desk });
    expect([codeOf(answer), answer.body.details]).toEqual(['409 ROLE_TITLE_TAKEN', { role: other }]);
    expect(codeOf(await change(boss, name, { title: name }))).toBe('200');
    expect(codeOf(await change(boss, name, { title: name.toLowerCase() }))).toBe('200');
  });

  test('allows changes of a role with a permission that this version does not have', async () => {
    const name = await created('note.read');
    const permissions = ['note.read', 'old.read'];
    await app.db.updateTable('roles').set({ permissions }).where('name', '=', name).execute();
    expect((await read(name)).permissions).toEqual(['note.read']);
    const clerk = await app.as({ permissions: ['staff.write', 'note.read', 'bet.read'] });
    const changed = await change(clerk, name, { permissions: ['note.read', 'bet.read'] });
    expect(changed.body.permissions).toEqual(['bet.read', 'note.read']);
    const row = await app.db
      .selectFrom('roles')
      .select('permissions')
      .where('name', '=', name)
      .executeTakeFirst();
    expect(row!.permissions).toEqual(['note.read', 'bet.read'].sort());
  });

  test('rejects adding permissions to a role that the author has, but not removing them', async () => {
    const name = await created('staff.write', 'note.read');
    const clerk = await withRole(name, 'bet.read');
    const permissions = ['staff.write', 'note.read', 'bet.read'];
    expect((await change(clerk, name, { permissions })).body).toMatchObject({
      statusCode: 403,
      code: 'OWN_ROLE',
      details: { role: name, permissions: ['bet.read'] },
    });
    expect(codeOf(await change(clerk, name, { permissions: ['staff.write'] }))).toBe('200');
    expect(codeOf(await clerk.call('GET', '/admin/user-notes'))).toBe('403 FORBIDDEN');
  });

  test('rejects a call whose permission the role loses while the call waits', async () => {
    const name = await created('staff.write', 'note.read');
    const clerk = await withRole(name);
    const puppet = await app.newPlayer();
    const { version } = await read(name);
    const titles = { title: 'Less', description: '', version, reason: 'x' };
    const answers = await inTurn(
      app,
      lockSuperAdmins,
      () => boss.call('PUT', `/admin/roles/${name}`, { body: { ...titles, permissions: ['staff.write'] } }),
      () =>
        clerk.call('PUT', `/admin/user/${puppet.id}/permissions`, { body: { permissions: ['note.read'] } }),
    );
    expect(answers.map(codeOf)).toEqual(['200', '403 PERMISSION_NOT_HELD']);
  });

  test('lets neither a change of a role nor a ban take staff.write from the last active account that holds it', async () => {
    const lone = await startApp();
    try {
      const chief = await lone.as({ permissions: [] });
      const body = { name: 'CHIEF', permissions: ['staff.write', 'staff.read'] };
      await lone.db.insertInto('roles').values(body).execute();
      const setRoles = (id: number) =>
        lone.db
          .updateTable('users')
          .set({ roles: ['CHIEF'], is_staff: true })
          .where('id', '=', id)
          .execute();
      await setRoles(chief.id);
      await lone.call('POST', '/debug/user/action', { body: { userId: chief.id, action: 'VERIFY_EMAIL' } });
      const token = (await lone.newPlayer({ username: chief.username })).token;
      const less = () =>
        lone.call('PUT', '/admin/roles/CHIEF', {
          token,
          body: { title: 'x', description: '', permissions: ['staff.read'], version: 1, reason: 'x' },
        });
      expect(codeOf(await less())).toBe('409 LAST_STAFF_MANAGER');
      const guard = await lone.as({ permissions: ['user.ban'] });
      const ban = (id: number) => guard.call('PATCH', `/admin/user/${id}/ban`, { body: {} });
      expect(codeOf(await ban(chief.id))).toBe('409 LAST_STAFF_MANAGER');
      const second = await lone.as({ permissions: ['staff.write'] });
      expect(codeOf(await less())).toBe('200');
      expect(codeOf(await ban(chief.id))).toBe('200');
      expect(codeOf(await ban(second.id))).toBe('409 LAST_STAFF_MANAGER');
    } finally {
      await lone.stop();
    }
  });
});

describe('creating, copying and deleting roles', () => {
  test('copies the permissions of a role under the rules for creating one', async () => {
    const name = newName();
    const copy = (by: Player, from: string, to: string) =>
      by.call('POST', `/admin/roles/${from}/copy`, {
        body: { name: to, title: `Copy ${to}`, description: '', reason: 'Starts like it' },
      });
    const copied = await copy(boss, 'FINANCE', name);
    expect(copied).toMatchObject({ status: 201, body: { name, kind: 'CREATED', title: `Copy ${name}` } });
    expect(copied.body.permissions).toEqual((await read('FINANCE')).permissions);
    expect((await auditOf('/admin/roles/FINANCE/copy'))[0]).toMatchObject({
      after: { name, permissions: copied.body.permissions },
      reason: 'Starts like it',
    });
    expect(codeOf(await copy(boss, 'FINANCE', name))).toBe('409 ROLE_EXISTS');
    expect(codeOf(await copy(boss, 'NOBODY', newName()))).toBe('404 ROLE_NOT_FOUND');
    const admin = await withRole('ADMIN');
    expect(codeOf(await copy(admin, 'FINANCE', newName()))).toBe('403 GRANT_NEEDS_SUPERADMIN');
    expect(codeOf(await copy(admin, 'SUPPORT', newName()))).toBe('201');
  });

  test('creates a role once when two calls run concurrently', async () => {
    const name = newName();
    const answers = await Promise.all([create(boss, [], name), create(boss, [], name)]);
    expect(answers.map(codeOf).sort()).toEqual(['201', '409 ROLE_EXISTS']);
  });

  test('deletes an unassigned role, and reports the number of users otherwise', async () => {
    const name = await created('bet.read');
    const member = await withRole(name);
    const inUse = await remove(boss, name);
    expect(inUse.body).toMatchObject({ statusCode: 409, code: 'ROLE_IN_USE', details: { users: 1 } });
    await assign(member);
    const clerk = await app.as({ permissions: ['staff.write'] });
    expect(codeOf(await remove(clerk, name))).toBe('403 PERMISSION_NOT_HELD');
    expect(codeOf(await remove(boss, name, 9))).toBe('409 ROLE_CHANGED');
    expect(await remove(boss, name)).toMatchObject({ status: 200, body: { success: true } });
    expect(codeOf(await remove(boss, name))).toBe('404 ROLE_NOT_FOUND');
    expect(codeOf(await assign(member, name))).toBe('400 ROLE_UNKNOWN');
    expect(await auditOf(`/admin/roles/${name}`)).toContainEqual(
      expect.objectContaining({
        method: 'DELETE',
        before: expect.objectContaining({ name, permissions: ['bet.read'] }),
        reason: 'Unused',
        status_code: 200,
      }),
    );
    for (const shipped of ['SUPERADMIN', 'MARKETING'])
      expect(codeOf(await remove(boss, shipped))).toBe('409 ROLE_SHIPPED');
  });

  test('never deletes a role that is assigned at the same time', async () => {
    const player = await app.newPlayer();
    for (const isDeletedFirst of [true, false]) {
      const name = await created();
      const body = { version: 1, reason: 'x' };
      const acts = [() => boss.call('DELETE', `/admin/roles/${name}`, { body }), () => assign(player, name)];
      if (!isDeletedFirst) acts.reverse();
      const answers = await inTurn(app, lockSuperAdmins, acts[0]!, acts[1]!);
      expect(answers.map(codeOf)).toEqual(
        isDeletedFirst ? ['200', '400 ROLE_UNKNOWN'] : ['200', '409 ROLE_IN_USE'],
      );
    }
  });
});

test('assigns and lists created roles through the operations of the contract', async () => {
  const name = await created('bet.read');
  const player = await app.newPlayer();
  const body = { username: player.username, role: name };
  expect((await boss.call('PUT', '/admin/user/add-single-role', { body })).body).toMatchObject({
    isStaff: true,
  });
  const roles = (await boss.call('GET', '/admin/user/get-all-roles-with-users')).body;
  expect(roles).toContainEqual({
    role: name,
    permissions: ['bet.read'],
    users: [expect.objectContaining({ id: player.id })],
  });
  expect((await boss.call('PUT', '/admin/user/revoke-single-role', { body })).body.isStaff).toBe(false);
});

test('keeps the previous permissions of shipped roles that have users when a database is upgraded', async () => {
  await withRole('MARKETING');
  const rolledBack = new Error('only a test');
  let stored: unknown;
  const upgrading = app.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('roles').execute();
    await app.sql`alter table roles rename to other_roles`.execute(tx);
    await app.sql`alter table other_roles rename constraint roles_pkey to other_roles_pkey`.execute(tx);
    await app.sql.raw(readFileSync('migrations/0085-roles.sql', 'utf8')).execute(tx);
    stored = await tx
      .selectFrom('roles')
      .select(['name', 'permissions', 'version'])
      .orderBy('name')
      .execute();
    throw rolledBack;
  });
  await expect(upgrading).rejects.toBe(rolledBack);
  expect(stored).toEqual([
    { name: 'MARKETING', permissions: ['user.read', 'country.read', 'affiliate.read'], version: 1 },
  ]);
});
