import { describe, expect, test } from 'vitest';
import { AppError } from '../../../platform/errors.ts';
import { PERMISSIONS } from './permissions.ts';
import { assertMayGrant, assertMayManage, effectiveRights, isActivated, isSuperAdmin } from './rules.ts';

const ALL = Object.keys(PERMISSIONS);

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
    const owner = { ...account, roles: ['SUPERADMIN'], permissions: [], stored_roles: {} };
    expect(isSuperAdmin(owner)).toBe(expected);
    const rights = effectiveRights(owner);
    expect(rights).toEqual({
      isActivated: expected,
      isSuperAdmin: expected,
      permissions: new Set(expected ? ALL : []),
    });
  });

  test('does not make an account with a lower role a superadmin', () => {
    const account = { ...proven, roles: ['CONTENT', 'HOST'], permissions: ['bet.read'] };
    expect(isSuperAdmin(account)).toBe(false);
    const stored = { CONTENT: ['faq.read'], HOST: ['user.read', 'faq.read'], OTHER: ['user.ban'] };
    expect(effectiveRights({ ...account, stored_roles: stored })).toEqual({
      isActivated: true,
      isSuperAdmin: false,
      permissions: new Set(['faq.read', 'user.read', 'bet.read']),
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
      'allows a superadmin to grant everything',
      'everything',
      { roles: ['RISK'] },
      { roles: ['SUPERADMIN'], permissions: ALL },
      undefined,
    ],
  ])('%s', (_, held, before, after, expected) => expect(grant(held, before, after)).toEqual(expected));
});
