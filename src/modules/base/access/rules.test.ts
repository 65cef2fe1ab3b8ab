import { describe, expect, test } from 'vitest';
import { AppError } from '../../../platform/errors.ts';
import { PERMISSIONS } from './permissions.ts';
import {
  assertMayGrant,
  assertMayManage,
  assertRoles,
  effectiveRights,
  isActivated,
  isGrantedBySuperAdmins,
  permissionsOf,
  ROLES,
} from './rules.ts';

const ALL = Object.keys(PERMISSIONS);
const sorted = (names: Iterable<string>) => [...names].sort();
const listed = (text: string) => text.trim().split(/\s+/).sort();

describe('roles', () => {
  test('gives superadmins every permission, and admins every permission except logger.write', () => {
    expect(sorted(ROLES.SUPERADMIN!)).toEqual(sorted(ALL));
    expect(sorted(ROLES.ADMIN!)).toEqual(sorted(ALL.filter((name) => name !== 'logger.write')));
  });

  test('includes every read permission in the role RISK', () => {
    const more = 'user.ban user.pii note.write withdraw.approve withdrawblock.write limit.write kyc.approve';
    const reads = ALL.filter((name) => name.endsWith('.read'));
    expect(sorted(ROLES.RISK!)).toEqual(sorted([...reads, ...listed(more)]));
  });

  test.each([
    [
      'FINANCE',
      `apikey.read bet.read deposit.read kyc.read note.read note.write transaction.read user.pii user.read
       withdraw.approve withdraw.read withdrawblock.read withdrawblock.write`,
    ],
    [
      'SUPPORT',
      `bet.read deposit.read kyc.read limit.read limit.write note.read note.write transaction.read user.pii
       user.read user.write withdraw.read withdrawblock.read`,
    ],
    ['MARKETING', 'affiliate.read country.read user.read'],
    ['STREAMER_MANAGER', 'affiliate.pay affiliate.read apikey.read apikey.write user.read user.write'],
  ])('%s', (role, permissions) => expect(sorted(ROLES[role]!)).toEqual(listed(permissions)));

  test('combines the permissions of existing roles with those of the account', () => {
    const rights = { roles: ['MARKETING', 'GONE'], permissions: ['bet.read', 'user.read'] };
    expect(sorted(permissionsOf(rights))).toEqual([
      'affiliate.read',
      'bet.read',
      'country.read',
      'user.read',
    ]);
    expect(permissionsOf({ roles: [], permissions: [] }).size).toBe(0);
  });
});

describe('effective permissions once the account is activated', () => {
  const proven = {
    email_verified: true,
    has_unproven_credentials: false,
    password_is_temporary: false,
  };

  test.each([
    [proven, true],
    [{ ...proven, email_verified: false }, false],
    [{ ...proven, has_unproven_credentials: true }, false],
    [{ ...proven, password_is_temporary: true }, false],
  ])('%j: %s', (account, expected) => {
    expect(isActivated(account)).toBe(expected);
    const rights = effectiveRights({ ...account, roles: ['SUPERADMIN'], permissions: [] });
    expect(rights).toEqual({
      isActivated: expected,
      isSuperAdmin: expected,
      permissions: new Set(expected ? ALL : []),
    });
  });

  test('does not make an account with a lower role a superadmin', () => {
    const rights = effectiveRights({ ...proven, roles: ['MARKETING'], permissions: ['bet.read'] });
    expect(rights).toEqual({
      isActivated: true,
      isSuperAdmin: false,
      permissions: new Set(['user.read', 'country.read', 'affiliate.read', 'bet.read']),
    });
  });
});

/** Returns the code and details of the error that `act` throws, or undefined if it throws none. */
function refusal(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, error.details];
  }
  return undefined;
}

test("allows staff to manage other accounts, but a superadmin's account only if they are superadmins themselves", () => {
  const manage = (isSuperAdmin: boolean, id: number, roles: string[]) =>
    refusal(() => assertMayManage({ id: 1, isSuperAdmin, permissions: new Set(ALL) }, { id, roles }));
  expect(manage(true, 1, [])).toEqual(['OWN_ACCOUNT', undefined]);
  expect(manage(true, 2, ['SUPERADMIN'])).toBeUndefined();
  expect(manage(false, 2, ['SUPERADMIN'])).toEqual(['FORBIDDEN', undefined]);
  expect(manage(false, 2, ['ADMIN'])).toBeUndefined();
});

describe('granting', () => {
  type Given = { roles?: string[]; permissions?: string[] };
  const grant = (held: readonly string[] | 'everything', before: Given, after: Given) => {
    const isSuperAdmin = held === 'everything';
    const actor = { isSuperAdmin, permissions: new Set(isSuperAdmin ? [] : held) };
    const none = { roles: [], permissions: [] };
    return refusal(() => assertMayGrant(actor, { ...none, ...before }, { ...none, ...after }));
  };

  test('lets only superadmins grant permissions that pay out money', () => {
    expect(sorted(ALL.filter(isGrantedBySuperAdmins))).toEqual([
      'affiliate.pay',
      'bet.rollback',
      'casino.pay',
      'challenge.pay',
      'deposit.approve',
      'kyc.approve',
      'leaderboard.pay',
      'promo.pay',
      'tip.pay',
      'vip.approve',
      'withdraw.approve',
    ]);
    expect(['x.pay', 'x.payout', 'approve', 'pay.read', 'xapprove'].filter(isGrantedBySuperAdmins)).toEqual([
      'x.pay',
    ]);
  });

  test.each<[string, readonly string[] | 'everything', Given, Given, unknown]>([
    ['allows granting nothing', [], {}, {}, undefined],
    [
      'allows unchanged roles and permissions',
      [],
      { roles: ['RISK'], permissions: ['bet.read'] },
      { roles: ['RISK'], permissions: ['bet.read'] },
      undefined,
    ],
    [
      'allows granting a permission that the caller holds',
      ['bet.read'],
      {},
      { permissions: ['bet.read'] },
      undefined,
    ],
    [
      'rejects granting a permission that the caller does not hold',
      ['user.read'],
      {},
      { permissions: ['bet.read'] },
      ['PERMISSION_NOT_HELD', { permission: 'bet.read' }],
    ],
    [
      'rejects removing a permission that the caller does not hold',
      ['user.read'],
      { permissions: ['bet.read'] },
      {},
      ['PERMISSION_NOT_HELD', { permission: 'bet.read' }],
    ],
    [
      'allows removing a permission that the caller holds',
      ['bet.read'],
      { permissions: ['bet.read'] },
      {},
      undefined,
    ],
    [
      'rejects granting an approval permission even if the caller holds it',
      ['kyc.approve'],
      {},
      { permissions: ['kyc.approve'] },
      ['GRANT_NEEDS_SUPERADMIN', { permissions: ['kyc.approve'] }],
    ],
    [
      'allows removing an approval permission that the caller holds',
      ['kyc.approve'],
      { permissions: ['kyc.approve'] },
      {},
      undefined,
    ],
    [
      'rejects an unknown permission',
      'everything',
      {},
      { permissions: ['toString'] },
      ['PERMISSION_UNKNOWN', { permission: 'toString' }],
    ],
    ['rejects granting a role', ALL, {}, { roles: ['MARKETING'] }, ['FORBIDDEN', undefined]],
    ['rejects removing a role', ALL, { roles: ['MARKETING'] }, {}, ['FORBIDDEN', undefined]],
    [
      'rejects an unknown role',
      'everything',
      {},
      { roles: ['toString'] },
      ['ROLE_UNKNOWN', { role: 'toString' }],
    ],
    [
      'allows a superadmin to grant everything',
      'everything',
      { roles: ['RISK'] },
      { roles: ['SUPERADMIN'], permissions: ALL },
      undefined,
    ],
  ])('%s', (_, held, before, after, expected) => expect(grant(held, before, after)).toEqual(expected));

  test('rejects a list of roles if one of them is unknown', () => {
    expect(refusal(() => assertRoles(['RISK', 'ADMIN']))).toBeUndefined();
    expect(refusal(() => assertRoles(['RISK', 'BOSS']))).toEqual(['ROLE_UNKNOWN', { role: 'BOSS' }]);
  });
});
