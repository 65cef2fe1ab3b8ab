import type { Tx } from '../../../platform/database/db.ts';
import { holds } from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { SUPERADMIN } from './roles/rules.ts';
import { hasRole, storedRoles } from './roles/stored.ts';
import { effectiveRights } from './rules.ts';

/**
 * Runs a change that may take `staff.write` from accounts. Throws 409 LAST_STAFF_MANAGER if an active account held this permission before
 * and none does afterwards. Lock changes of permissions first (lockSuperAdmins).
 */
export async function keepStaffManaged<T>(tx: Tx, change: () => Promise<T>): Promise<T> {
  const wasManaged = await isStaffManaged(tx);
  const changed = await change();
  if (wasManaged && !(await isStaffManaged(tx))) throw accessErrors.LAST_STAFF_MANAGER();
  return changed;
}

/** Returns true if an active account holds `staff.write`. */
async function isStaffManaged(tx: Tx): Promise<boolean> {
  const staff = await tx
    .selectFrom('users')
    .select(['roles', 'permissions', storedRoles])
    .select(['email_verified', 'has_unproven_credentials', 'password_is_temporary'])
    .where((one) => one.or([one('is_staff', '=', true), hasRole(SUPERADMIN)]))
    .where('banned_at', 'is', null)
    .execute();
  return staff.some((account) => holds(effectiveRights(account), 'staff.write'));
}
