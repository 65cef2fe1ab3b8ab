import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from './errors.ts';
import { PERMISSIONS } from './permissions.ts';

export const SUPERADMIN = 'SUPERADMIN';

type Permission = keyof typeof PERMISSIONS;

const ALL = Object.keys(PERMISSIONS) as Permission[];
const READS = ALL.filter((name) => name.endsWith('.read'));

/** The permissions of each role. A SUPERADMIN may also call the routes that require `superadmin` instead of a permission. */
export const ROLES: Readonly<Record<string, readonly Permission[]>> = {
  [SUPERADMIN]: ALL,
  ADMIN: ALL.filter((name) => name !== 'logger.write'),
  FINANCE: [
    ...(['user.read', 'user.pii', 'note.read', 'note.write', 'apikey.read', 'transaction.read'] as const),
    ...(['bet.read', 'deposit.read', 'withdraw.read', 'withdraw.approve', 'withdrawblock.read'] as const),
    ...(['withdrawblock.write', 'kyc.read'] as const),
  ],
  SUPPORT: [
    ...(['user.read', 'user.write', 'user.pii', 'note.read', 'note.write', 'transaction.read'] as const),
    ...([
      'bet.read',
      'deposit.read',
      'withdraw.read',
      'withdrawblock.read',
      'limit.read',
      'limit.write',
      'kyc.read',
    ] as const),
  ],
  MARKETING: ['user.read', 'country.read', 'affiliate.read'],
  RISK: [
    ...READS,
    ...(['user.ban', 'user.pii', 'note.write', 'withdraw.approve', 'withdrawblock.write'] as const),
    ...(['limit.write', 'kyc.approve'] as const),
  ],
  STREAMER_MANAGER: [
    ...(['user.read', 'user.write', 'apikey.read', 'apikey.write'] as const),
    ...(['affiliate.read', 'affiliate.pay'] as const),
  ],
};

/** Returns true for permissions that release money. Only superadmins can grant them. */
export const isGrantedBySuperAdmins = (permission: string): boolean =>
  /[.](approve|pay|rollback)$/.test(permission);

export type Rights = { roles: readonly string[]; permissions: readonly string[] };

/** Returns the permissions of an account: those of its roles and its direct permissions. */
export function permissionsOf(rights: Rights): ReadonlySet<string> {
  return new Set([...rights.roles.flatMap((role) => ROLES[role] ?? []), ...rights.permissions]);
}

type Account = Rights & {
  email_verified: boolean;
  has_unproven_credentials: boolean;
  password_is_temporary: boolean;
};

/**
 * Returns true if an account's permissions are effective. This requires that its email address is verified, that it has no credentials that
 * a stranger may have set, and that its owner has chosen the password.
 */
export const isActivated = (account: Omit<Account, keyof Rights>): boolean =>
  account.email_verified && !account.has_unproven_credentials && !account.password_is_temporary;

/** Returns the permissions that are effective now. There are none until the account is activated. */
export function effectiveRights(
  account: Account,
): Pick<Actor, 'isSuperAdmin' | 'permissions'> & { isActivated: boolean } {
  if (!isActivated(account)) return { isActivated: false, isSuperAdmin: false, permissions: new Set() };
  return {
    isActivated: true,
    isSuperAdmin: account.roles.includes(SUPERADMIN),
    permissions: permissionsOf(account),
  };
}

export type Actor = { id: number; isSuperAdmin: boolean; permissions: ReadonlySet<string> };
export type Target = { id: number; roles: readonly string[] };

/** Throws 403 OWN_ACCOUNT if staff act on their own account, and 403 FORBIDDEN if they act on a superadmin without being one. */
export function assertMayManage(actor: Actor, target: Target): void {
  if (actor.id === target.id) throw commonErrors.OWN_ACCOUNT();
  if (target.roles.includes(SUPERADMIN) && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
}

/**
 * The only rule for granting permissions. Only superadmins can add or remove roles and grant permissions that release money. Other staff
 * can add and remove only permissions that they have themselves. Throws 400 ROLE_UNKNOWN and PERMISSION_UNKNOWN, 403 FORBIDDEN,
 * GRANT_NEEDS_SUPERADMIN and PERMISSION_NOT_HELD.
 */
export function assertMayGrant(actor: Omit<Actor, 'id'>, before: Rights, after: Rights): void {
  assertRoles(after.roles);
  const unknown = after.permissions.find((name) => !Object.hasOwn(PERMISSIONS, name));
  if (unknown !== undefined) throw accessErrors.PERMISSION_UNKNOWN({ permission: unknown });
  if (actor.isSuperAdmin) return;
  const roles = [...lacking(before.roles, after.roles), ...lacking(after.roles, before.roles)];
  if (roles.length > 0) throw commonErrors.FORBIDDEN();
  const granted = lacking(before.permissions, after.permissions);
  const reserved = granted.filter(isGrantedBySuperAdmins);
  if (reserved.length > 0) throw accessErrors.GRANT_NEEDS_SUPERADMIN({ permissions: reserved });
  const changed = [...granted, ...lacking(after.permissions, before.permissions)];
  const missing = changed.find((name) => !actor.permissions.has(name));
  if (missing !== undefined) throw accessErrors.PERMISSION_NOT_HELD({ permission: missing });
}

/** Returns the names in `more` that are missing from `names`. */
const lacking = (names: readonly string[], more: readonly string[]) =>
  more.filter((name) => !names.includes(name));

/** Throws 400 ROLE_UNKNOWN. */
export function assertRoles(roles: readonly string[]): void {
  const unknown = roles.find((role) => !Object.hasOwn(ROLES, role));
  if (unknown !== undefined) throw accessErrors.ROLE_UNKNOWN({ role: unknown });
}
