import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { revokeKey } from '../../accounts/api-keys/service.ts';
import { notifyOwner, removeFactor } from '../../accounts/auth/mfa/change.ts';
import { revokeSessions } from '../../accounts/auth/revoke-sessions.ts';
import { lockManaged, lockSuperAdmins } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { Mail } from '../../base/mail/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { announceUserChange, getUser } from '../../base/users/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import { type BalanceDeps, setBalance } from './balance.ts';
import { type EditDeps, resetAvatar, update, viewOf } from './edit.ts';
import { userAdminErrors } from './errors.ts';
import { createUserList, type ListDeps } from './list.ts';
import { updateUser } from './queries.ts';
import type { BalanceTarget, UserUpdate } from './schemas.ts';
import { createMarks } from './state.ts';

export type UserAdmin = ReturnType<typeof createUserAdmin>;

/** `reads` is for the list, which may be a little old. */
type Deps = BalanceDeps &
  EditDeps &
  Pick<ListDeps, 'statsOf'> & { reads: Db; mail: Mail; grants: Pick<Grants, 'endAll'> };
type SetBalance = { input: z.output<typeof BalanceTarget>; key: string | undefined };

/** What staff does about users. Every change takes the staff call, for the rules and for the audit. */
export function createUserAdmin(deps: Deps) {
  const { db, reads, currencies, statsOf } = deps;
  return {
    list: createUserList({ db: reads, currencies, statsOf, marks: createMarks(reads) }),
    /** Throws 404 USER_NOT_FOUND. */
    get: async (by: StaffCall, id: number) => viewOf(await getUser(db, id), by.user),
    update: (by: StaffCall, id: number, change: z.output<typeof UserUpdate>) => update(deps, by, id, change),
    ban: (by: StaffCall, id: number, reason: string | undefined) => ban(deps, by, id, reason),
    unban: (by: StaffCall, id: number, reason: string | undefined) => unban(db, by, id, reason),
    resetMfa: (by: StaffCall, id: number, reason: string) => resetMfa(deps, by, id, reason),
    setBalance: (by: StaffCall, id: number, request: SetBalance) => setBalance(deps, by, { id, ...request }),
    resetAvatar: (by: StaffCall, id: number) => resetAvatar(deps, by, id),
  };
}

/**
 * Shuts a user out: no bets from the moment this commits, no requests, no signing in, no API key. Throws 409 USER_ALREADY_BANNED, and
 * as lockManaged does.
 */
const ban = (
  { db, grants }: Pick<Deps, 'db' | 'grants'>,
  by: StaffCall,
  id: number,
  reason: string | undefined,
) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    await lockPlayers(tx, [id]);
    const { user } = await lockManaged(tx, by, { id });
    if (user.banned_at) throw userAdminErrors.USER_ALREADY_BANNED();
    const banned = await updateUser(tx, id, { banned_at: sql<Date>`now()`, ban_reason: reason ?? null });
    await setBanned(tx, id, true);
    await grants.endAll(tx, id, 'BANNED');
    const sessionsEnded = await revokeSessions(tx, id, 'BANNED');
    const keysRevoked = (await revokeKey(tx, id)) ? 1 : 0;
    await announceUserChange(tx, id);
    await emitEvent(tx, { event: 'user.blocks', userId: id, data: { block: 'BANNED', isActive: true } });
    const after = { isBanned: true, banReason: banned.ban_reason, sessionsEnded, keysRevoked };
    await recordAudit(tx, by, { before: { isBanned: false }, after, reason });
    return viewOf(banned, by.user);
  });

/**
 * Lets a user in again: they have to sign in, and their API keys stay revoked. Throws 409 USER_NOT_BANNED, and as lockManaged does.
 */
const unban = (db: Db, by: StaffCall, id: number, reason: string | undefined) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    await lockPlayers(tx, [id]);
    const { user } = await lockManaged(tx, by, { id });
    if (!user.banned_at) throw userAdminErrors.USER_NOT_BANNED();
    const freed = await updateUser(tx, id, { banned_at: null, ban_reason: null });
    // The account of a bot stays shut from play.
    await setBanned(tx, id, user.is_bot);
    // A sign-in that was in progress when the ban came may have left a session.
    await revokeSessions(tx, id, 'BANNED');
    await announceUserChange(tx, id);
    await emitEvent(tx, { event: 'user.blocks', userId: id, data: { block: 'BANNED', isActive: false } });
    const before = { isBanned: true, banReason: user.ban_reason };
    await recordAudit(tx, by, { before, after: { isBanned: false }, reason });
    return viewOf(freed, by.user);
  });

/**
 * Removes the second factors of somebody who has lost them, passkeys too, and their recovery codes; every session ends, and the owner gets a mail. Throws
 * 403 FORBIDDEN for staff unless a superadmin calls, 409 USER_WITHOUT_MFA, and as lockManaged does.
 */
const resetMfa = ({ db, mail }: Pick<Deps, 'db' | 'mail'>, by: StaffCall, id: number, reason: string) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    // Before the user's row, the order in which proving or changing a factor locks them; a refusal rolls it back.
    const isRemoved = await removeFactor(tx, id);
    const { user, actor } = await lockManaged(tx, by, { id });
    // Colleagues who could remove each other's factor could act as each other.
    if (user.is_staff && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
    if (!isRemoved) throw userAdminErrors.USER_WITHOUT_MFA();
    const sessionsEnded = await revokeSessions(tx, id, 'MFA_RESET');
    await notifyOwner(mail, tx, user, { change: 'reset' });
    const after = { mfaEnabled: false, sessionsEnded };
    await recordAudit(tx, by, { before: { mfaEnabled: true }, after, reason });
    return viewOf(user, by.user);
  });
