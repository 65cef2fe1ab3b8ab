import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { backofficeRoutes, mainRoutes } from '../../../app/apps.ts';
import type { Route } from '../../../http/route.ts';
import { PERMISSIONS } from './permissions.ts';
import { isGrantedBySuperAdmins, permissionsOf, SHIPPED_ROLES } from './roles/rules.ts';
import { assertMayGrant } from './rules.ts';

const api = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
const boss = fixture(() => api.as('superadmin'));
/** A staff member who has every permission but is not a superadmin. */
const admin = fixture(() => api.as({ permissions: Object.keys(PERMISSIONS) }));

const RESERVED = Object.keys(PERMISSIONS).filter(isGrantedBySuperAdmins);
const aName = () => `st_${randomBytes(6).toString('hex')}`;
const doors = () => [
  { name: 'api', app: api, routes: mainRoutes(api.services) },
  { name: 'backoffice', app: backoffice, routes: backofficeRoutes(backoffice.services) },
];

/** Returns true if the request body of a route can grant roles or permissions. */
function givesRights({ method, body }: Route): boolean {
  if (method === 'GET' || !(body instanceof z.ZodObject)) return false;
  return ['role', 'roles', 'permissions'].some((name) => Object.hasOwn(body.shape, name));
}
const grantingRoutes = () =>
  doors().flatMap(({ name, routes }) =>
    routes.filter(givesRights).map(({ method, path }) => `${name} ${method} ${path}`),
  );

/** Request bodies that grant permissions, by route. `user/all` is listed although it only filters by role. */
const BODIES: Record<string, (puppet: Player, rights: { role: string; permission: string }) => object> = {
  'PUT /user/add-single-role': ({ username }, { role }) => ({ username, role }),
  'PUT /user/revoke-single-role': ({ username }, { role }) => ({ username, role }),
  'PUT /user/{id}/roles': (_, { role }) => ({ roles: [role] }),
  'PUT /user/{id}/permissions': (_, { permission }) => ({ permissions: [permission] }),
  'POST /user/admin-user': (_, { permission }) => ({
    username: aName(),
    password: 'corridor battery 9',
    permissions: [permission],
  }),
  'POST /debug/user/create': (_, { role, permission }) => ({ roles: [role], permissions: [permission] }),
  'POST /roles': (_, { permission }) => ({
    name: 'HOST',
    title: 'Host',
    description: '',
    permissions: [permission],
    reason: 'x',
  }),
  'PUT /roles/{name}': (_, { permission }) => ({
    title: 'Support',
    description: '',
    permissions: [...SHIPPED_ROLES.SUPPORT!.permissions, permission],
    version: 0,
    reason: 'x',
  }),
  'POST /user/all': () => ({}),
};
const keyOf = (route: string) => route.replace(/^\w+ /, '').replace(' /admin/', ' /');

const holders = async () => {
  const users = await api.db.selectFrom('users').select(['id', 'roles', 'permissions']).execute();
  return users
    .filter((user) => RESERVED.some((name) => permissionsOf(user, {}).has(name)))
    .map(({ id }) => id);
};

describe('permissions to approve and to pay', () => {
  test('reserves the permissions to approve withdrawals and KYC, and all others that end in .approve or .pay', () => {
    expect(RESERVED).toEqual(expect.arrayContaining(['withdraw.approve', 'kyc.approve']));
    expect(['payout.pay', 'bet.rollback', 'approve', 'pay.read'].map(isGrantedBySuperAdmins)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('covers every route that can grant permissions', () => {
    const known = grantingRoutes().map(keyOf);
    expect(new Set(known)).toEqual(new Set(Object.keys(BODIES)));
  });

  test('rejects grants of reserved permissions by staff below superadmin on every route, even if they hold all other permissions', async () => {
    const before = await holders();
    const roles = Object.entries(SHIPPED_ROLES).flatMap(([role, { permissions }]) =>
      permissions.some(isGrantedBySuperAdmins) ? [role] : [],
    );
    expect(roles).toContain('ADMIN');
    const wrong: string[] = [];
    const puppet = await api.newPlayer();
    for (const { name, app, routes } of doors())
      for (const { method, path } of routes.filter(givesRights)) {
        const key = keyOf(`${name} ${method} ${path}`);
        if (key === 'POST /user/all') continue;
        // The same user is used for all requests, because none of the requests may succeed.
        for (const [i, role] of roles.entries()) {
          const permission = RESERVED[i % RESERVED.length]!;
          const body = BODIES[key]!(puppet, { role, permission });
          const to = path.replace('{id}', String(puppet.id)).replace('{name}', 'SUPPORT');
          const answer = await app.call(method, to, { token: admin.token, body });
          const { code } = answer.body;
          const due =
            /permissions$| \/roles(\/\{name\})?$/.test(key) || (key.endsWith('admin-user') && name === 'api');
          const codes = due ? ['GRANT_NEEDS_SUPERADMIN'] : ['FORBIDDEN', 'DEBUG_TOKEN_WRONG'];
          if (answer.status !== 403 || !codes.includes(code)) wrong.push(`${name} ${key}: ${answer.text}`);
        }
      }
    expect(wrong).toEqual([]);
    expect(await holders()).toEqual(before);
  });

  test('lists the reserved permissions in the rejection, and grants no other permissions of the request either', async () => {
    const puppet = await api.newPlayer();
    const body = { permissions: ['note.read', 'withdraw.approve'] };
    const answer = await admin.call('PUT', `/admin/user/${puppet.id}/permissions`, { body });
    expect(answer.body).toMatchObject({
      statusCode: 403,
      code: 'GRANT_NEEDS_SUPERADMIN',
      details: { permissions: ['withdraw.approve'] },
      message: expect.stringContaining('ask a superadmin'),
    });
    const row = await api.db
      .selectFrom('users')
      .select('permissions')
      .where('id', '=', puppet.id)
      .executeTakeFirst();
    expect(row).toEqual({ permissions: [] });
  });

  test('lets only superadmins grant reserved permissions, but lets staff who have them keep or remove them on other accounts', async () => {
    const puppet = await api.newPlayer();
    const put = (by: Player, permissions: string[]) =>
      by.call('PUT', `/admin/user/${puppet.id}/permissions`, { body: { permissions } });
    expect((await put(boss, ['withdraw.approve'])).status).toBe(200);
    expect((await put(admin, ['note.read', 'withdraw.approve'])).status).toBe(200);
    expect((await put(admin, ['note.read'])).status).toBe(200);
    expect(codeOf(await put(admin, ['note.read', 'withdraw.approve']))).toBe('403 GRANT_NEEDS_SUPERADMIN');
  });

  test('allows only superadmins to grant reserved permissions and roles', () => {
    const staff = { isSuperAdmin: false, permissions: new Set(Object.keys(PERMISSIONS)) };
    const superadmin = { isSuperAdmin: true, permissions: new Set<string>() };
    const none = { roles: [], permissions: [] };
    const by = (actor: typeof staff, before: object, after: object) => {
      try {
        assertMayGrant(actor, { ...none, ...before }, { ...none, ...after });
        return 'granted';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(by(staff, {}, { permissions: ['user.read'] })).toBe('granted');
    expect(by(staff, {}, { permissions: ['user.read', 'kyc.approve'] })).toBe('GRANT_NEEDS_SUPERADMIN');
    // A permission that was granted directly would remain after the role is removed.
    expect(by(staff, { roles: ['ADMIN'] }, { roles: ['ADMIN'], permissions: ['kyc.approve'] })).toBe(
      'GRANT_NEEDS_SUPERADMIN',
    );
    expect(by(staff, { permissions: ['kyc.approve'] }, {})).toBe('granted');
    for (const role of Object.keys(SHIPPED_ROLES)) {
      expect(by(staff, {}, { roles: [role] })).toBe('FORBIDDEN');
      expect(by(staff, { roles: [role] }, {})).toBe('FORBIDDEN');
      expect(by(superadmin, {}, { roles: [role], permissions: RESERVED })).toBe('granted');
    }
    for (const actor of [staff, superadmin]) {
      expect(by(actor, {}, { permissions: ['toString'] })).toBe('PERMISSION_UNKNOWN');
    }
  });
});
