import type { StaffCall } from '../../../http/access.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { notifyOwner, removeFactor } from '../../accounts/auth/mfa/change.ts';
import { revokeSessions } from '../../accounts/auth/revoke-sessions.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor, lockSuperAdmins } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Mail } from '../../base/mail/service.ts';
import { userAdminErrors } from './errors.ts';
import { lockUser } from './queries.ts';
import { viewOf } from './view.ts';

/**
 * Removes the second factor of somebody who has lost it and their recovery codes; every session ends, and a mail tells the owner. Throws
 * 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN (staff's, unless a superadmin calls), 409 USER_WITHOUT_MFA, and as freshActor does.
 */
export const resetMfa = (
  { db, mail }: { db: Db; mail: Mail },
  by: StaffCall,
  { id, reason }: { id: number; reason: string },
) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    // Before the row of the user, as whoever proves or changes a factor does; what it has removed comes back when the call may not.
    const isRemoved = await removeFactor(tx, id);
    const user = await lockUser(tx, id);
    const actor = await freshActor(tx, by);
    assertMayManage(actor, user);
    // Colleagues who could take each other's factor away could act as each other.
    if (user.is_staff && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
    if (!isRemoved) throw userAdminErrors.USER_WITHOUT_MFA();
    const sessionsEnded = await revokeSessions(tx, id, 'MFA_RESET');
    await notifyOwner(mail, tx, user, 'reset');
    const after = { mfaEnabled: false, sessionsEnded };
    await recordAudit(tx, by, { before: { mfaEnabled: true }, after, reason });
    return viewOf(user, by);
  });
