import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../platform/errors.ts';
import { PERMISSIONS } from '../permissions.ts';
import {
  assertMayChangePermissions,
  assertMayChangeRole,
  assertMayRename,
  findShipped,
  isGrantedBySuperAdmins,
  lacking,
  permissionsOf,
  SHIPPED_ROLES,
  titleKey,
} from './rules.ts';

const ALL = Object.keys(PERMISSIONS);
const sorted = (names: Iterable<string>) => [...names].sort();
const listed = (text: string) => text.trim().split(/\s+/).sort();
const shipped = (role: string) => sorted(SHIPPED_ROLES[role]!.permissions);

describe('shipped roles', () => {
  test('gives superadmins every permission, and admins every permission except logger.write', () => {
    expect(shipped('SUPERADMIN')).toEqual(sorted(ALL));
    expect(shipped('ADMIN')).toEqual(sorted(ALL.filter((name) => name !== 'logger.write')));
  });

  test('includes every read permission in the role RISK', () => {
    const more = 'user.ban user.pii note.write withdraw.approve withdrawblock.write limit.write kyc.approve';
    const reads = ALL.filter((name) => name.endsWith('.read'));
    expect(shipped('RISK')).toEqual(sorted([...reads, ...listed(more)]));
  });

  test.each([
    [
      'FINANCE',
      `affiliate.read apikey.read approval.read bet.read casino.read challenge.read dashboard.read deposit.approve
       deposit.read deposit.review kyc.read leaderboard.read note.read note.write promo.read rakeback.read tip.read
       transaction.read user.pii user.read withdraw.approve withdraw.read withdrawblock.read withdrawblock.write`,
    ],
    [
      'SUPPORT',
      `bet.read casino.read challenge.read chat.moderate deposit.read faq.read faq.write kyc.read leaderboard.read
       limit.read limit.write note.read note.write promo.read rakeback.read transaction.read user.pii user.read
       user.write withdraw.read withdrawblock.read`,
    ],
    [
      'MARKETING',
      `affiliate.read casino.read challenge.read challenge.write country.read dashboard.read faq.read
       leaderboard.pay leaderboard.read leaderboard.write note.read promo.pay promo.read promo.write rakeback.read
       user.read vip.read`,
    ],
    [
      'CONTENT',
      `bet.read bet.write bot.read bot.write casino.read casino.write challenge.read chat.moderate country.read
       dashboard.read faq.read faq.write leaderboard.read promo.read`,
    ],
    ['STREAMER_MANAGER', 'affiliate.pay affiliate.read apikey.read apikey.write user.read user.write'],
  ])('gives %s the permissions of its job', (role, permissions) =>
    expect(shipped(role)).toEqual(listed(permissions)),
  );

  test('lists no permission twice, and describes every role', () => {
    for (const [name, { title, description, permissions }] of Object.entries(SHIPPED_ROLES)) {
      expect(new Set(permissions).size, name).toBe(permissions.length);
      expect([title, description], name).toEqual([expect.stringMatching(/^[A-Z][a-z]/), expect.any(String)]);
      expect(description.length, name).toBeGreaterThan(20);
    }
  });

  test('finds only roles by their own names', () => {
    expect(findShipped('RISK')).toBe(SHIPPED_ROLES.RISK);
    for (const name of ['risk', 'constructor', 'HOST']) expect(findShipped(name)).toBeUndefined();
  });
});

describe('the permissions of an account', () => {
  test('combines the permissions of its roles with its own', () => {
    const rights = {
      roles: ['STREAMER_MANAGER', 'GONE', 'toString'],
      permissions: ['bet.read', 'user.read'],
    };
    expect(sorted(permissionsOf(rights, {}))).toEqual(sorted([...shipped('STREAMER_MANAGER'), 'bet.read']));
    expect(permissionsOf({ roles: [], permissions: [] }, { HOST: ['bet.read'] }).size).toBe(0);
  });

  test('prefers the stored permissions of a role to the shipped ones', () => {
    const stored = { MARKETING: ['bet.read'], HOST: ['note.read'], EMPTY: [], SUPPORT: ['user.ban'] };
    const rights = { roles: ['MARKETING', 'HOST', 'EMPTY'], permissions: ['user.read'] };
    expect(sorted(permissionsOf(rights, stored))).toEqual(['bet.read', 'note.read', 'user.read']);
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

const staff = (permissions: readonly string[], roles: readonly string[] = []) => ({
  isSuperAdmin: false,
  permissions: new Set(permissions),
  roles,
});
const SUPERADMIN = { isSuperAdmin: true, permissions: new Set<string>(), roles: ['SUPERADMIN'] };

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

describe('changes of a role', () => {
  type Case = [string, ReturnType<typeof staff>, string, string[], string[], unknown];
  test.each<Case>([
    [
      'allows adding a permission that the caller holds',
      staff(['bet.read']),
      'HOST',
      [],
      ['bet.read'],
      undefined,
    ],
    ['allows no change without any permission', staff([]), 'HOST', ['bet.read'], ['bet.read'], undefined],
    [
      'rejects adding a permission that the caller lacks',
      staff(['bet.read']),
      'HOST',
      ['bet.read'],
      ['bet.read', 'user.read'],
      ['PERMISSION_NOT_HELD', { permission: 'user.read' }],
    ],
    [
      'rejects removing a permission that the caller lacks',
      staff(['user.read']),
      'HOST',
      ['bet.read'],
      [],
      ['PERMISSION_NOT_HELD', { permission: 'bet.read' }],
    ],
    [
      'rejects adding permissions that release money',
      staff(ALL),
      'HOST',
      ['tip.pay'],
      ['tip.pay', 'promo.pay', 'kyc.approve', 'bet.read'],
      ['GRANT_NEEDS_SUPERADMIN', { permissions: ['promo.pay', 'kyc.approve'] }],
    ],
    ['allows removing permissions that release money', staff(ALL), 'HOST', ['tip.pay'], [], undefined],
    [
      'rejects adding to a role that the caller has',
      staff(ALL, ['ADMIN', 'HOST']),
      'HOST',
      ['bet.read'],
      ['user.read', 'note.read'],
      ['OWN_ROLE', { role: 'HOST', permissions: ['user.read', 'note.read'] }],
    ],
    [
      'allows removing from a role that the caller has',
      staff(ALL, ['HOST']),
      'HOST',
      ['bet.read', 'user.read'],
      ['user.read'],
      undefined,
    ],
    ['allows adding to another role', staff(ALL, ['ADMIN']), 'HOST', [], ['user.read'], undefined],
    [
      'allows superadmins everything',
      { ...SUPERADMIN, roles: ['HOST'] },
      'HOST',
      ['bet.read'],
      ALL,
      undefined,
    ],
    ['rejects changes of SUPERADMIN', SUPERADMIN, 'SUPERADMIN', ALL, ALL, ['ROLE_FIXED', undefined]],
    [
      'rejects unknown permissions even of superadmins',
      SUPERADMIN,
      'HOST',
      [],
      ['bet.read', 'toString'],
      ['PERMISSION_UNKNOWN', { permission: 'toString' }],
    ],
    [
      'allows keeping a permission that this version does not have',
      staff(['bet.read']),
      'HOST',
      ['old.read'],
      ['old.read', 'bet.read'],
      undefined,
    ],
    ['allows removing such a permission', staff([]), 'HOST', ['old.read'], [], undefined],
  ])('%s', (_, actor, name, before, after, expected) =>
    expect(refusal(() => assertMayChangeRole(actor, name, { before, after }))).toEqual(expected),
  );

  test('lets only staff who hold every permission of a role rename it', () => {
    const role = ['bet.read', 'note.read', 'user.read'];
    expect(refusal(() => assertMayRename(staff(['note.read']), role))).toEqual([
      'TITLE_NEEDS_PERMISSIONS',
      { permissions: ['bet.read', 'user.read'] },
    ]);
    for (const actor of [staff(role), SUPERADMIN])
      expect(refusal(() => assertMayRename(actor, role))).toBeUndefined();
  });

  test('ignores case and Unicode variants when comparing titles', () => {
    for (const title of ['VIP HOST', 'vip host', 'ＶＩＰ host']) expect(titleKey(title)).toBe('vip host');
    expect(titleKey('viphost')).not.toBe('vip host');
  });

  const some = fc.subarray(ALL);
  test('never gives away a permission that its author lacks or that releases money', () => {
    fc.assert(
      fc.property(some, some, some, fc.boolean(), (held, before, after, isOwn) => {
        const actor = staff(held, isOwn ? ['HOST'] : []);
        const isAllowed = refusal(() => assertMayChangeRole(actor, 'HOST', { before, after })) === undefined;
        const gained = lacking(before, after);
        const isFine =
          [...gained, ...lacking(after, before)].every((name) => held.includes(name)) &&
          !gained.some(isGrantedBySuperAdmins) &&
          !(isOwn && gained.length > 0);
        expect(isAllowed).toBe(isFine);
        const direct = refusal(() => assertMayChangePermissions(actor, before, after)) === undefined;
        expect(!isAllowed || direct).toBe(true);
      }),
      { seed: 85, numRuns: 300 },
    );
  });
});
