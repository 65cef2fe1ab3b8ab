import { commonErrors } from '../../../platform/errors.ts';
import {
  assertMayChangePermissions,
  type Grantor,
  lacking,
  permissionsOf,
  type Rights,
  type StoredRoles,
  SUPERADMIN,
} from './roles/rules.ts';

type Activation = {
  email_verified: boolean;
  has_unproven_credentials: boolean;
  password_is_temporary: boolean;
};
type Account = Rights & Activation & { stored_roles: StoredRoles };

/**
 * Returns true if an account's permissions are effective. This requires that its email address is verified, that it has no credentials that
 * a stranger may have set, and that its owner has chosen the password.
 */
export const isActivated = (account: Activation): boolean =>
  account.email_verified && !account.has_unproven_credentials && !account.password_is_temporary;

/** Returns true if the account has all permissions now. */
export const isSuperAdmin = (account: Activation & Pick<Rights, 'roles'>): boolean =>
  isActivated(account) && account.roles.includes(SUPERADMIN);

/** Returns the permissions that are effective now. There are none until the account is activated. */
export function effectiveRights(account: Account): Grantor & { isActivated: boolean } {
  if (!isActivated(account)) return { isActivated: false, isSuperAdmin: false, permissions: new Set() };
  return {
    isActivated: true,
    isSuperAdmin: isSuperAdmin(account),
    permissions: permissionsOf(account, account.stored_roles),
  };
}

export type Actor = Grantor & { id: number };
export type Target = { id: number; roles: readonly string[] };

/** Throws 403 OWN_ACCOUNT if staff act on their own account, and 403 FORBIDDEN if they act on a superadmin without being one. */
export function assertMayManage(actor: Actor, target: Target): void {
  if (actor.id === target.id) throw commonErrors.OWN_ACCOUNT();
  if (target.roles.includes(SUPERADMIN) && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
}

/**
 * The only rule for changing an account's roles and permissions. Only superadmins can add or remove roles. Throws 403 FORBIDDEN and the
 * errors of assertMayChangePermissions.
 */
export function assertMayGrant(actor: Grantor, before: Rights, after: Rights): void {
  assertMayChangePermissions(actor, before.permissions, after.permissions);
  const roles = [...lacking(before.roles, after.roles), ...lacking(after.roles, before.roles)];
  if (!actor.isSuperAdmin && roles.length > 0) throw commonErrors.FORBIDDEN();
}
