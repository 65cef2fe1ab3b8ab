import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { revokeKey } from '../../accounts/api-keys/service.ts';
import { revokeSessions } from '../../accounts/auth/revoke-sessions.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor, lockSuperAdmins } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { announceUserChange, type UserRow } from '../../base/users/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { userAdminErrors } from './errors.ts';
import { lockUser, updateUser } from './queries.ts';
import { viewOf } from './view.ts';

/**
 * Shuts a user out: no bets from the moment this commits, no requests, no signing in, no API key. Throws 404 USER_NOT_FOUND,
 * 403 OWN_ACCOUNT and FORBIDDEN, 409 USER_ALREADY_BANNED, and as freshActor does.
 */
export const ban = (db: Db, by: StaffCall, id: number, reason: string | undefined) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    const user = await claim(tx, by, id);
    if (user.banned_at) throw userAdminErrors.USER_ALREADY_BANNED();
    const banned = await updateUser(tx, id, {
      banned_at: await transactionTime(tx),
      ban_reason: reason ?? null,
    });
    await setBanned(tx, id, true);
    const sessionsEnded = await revokeSessions(tx, id, 'BANNED');
    const keysRevoked = (await revokeKey(tx, id)) ? 1 : 0;
    await announceUserChange(tx, id);
    const after = { isBanned: true, banReason: banned.ban_reason, sessionsEnded, keysRevoked };
    await recordAudit(tx, by, { before: { isBanned: false }, after, reason });
    return viewOf(banned, by);
  });

/**
 * Lets a user in again: they sign in anew, and their API keys stay revoked. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT,
 * 409 USER_NOT_BANNED, and as freshActor does.
 */
export const unban = (db: Db, by: StaffCall, id: number, reason: string | undefined) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    const user = await claim(tx, by, id);
    if (!user.banned_at) throw userAdminErrors.USER_NOT_BANNED();
    const freed = await updateUser(tx, id, { banned_at: null, ban_reason: null });
    await setBanned(tx, id, false);
    // A sign-in that was under way when the ban came may have left one.
    await revokeSessions(tx, id, 'BANNED');
    await announceUserChange(tx, id);
    const before = { isBanned: true, banReason: user.ban_reason };
    await recordAudit(tx, by, { before, after: { isBanned: false }, reason });
    return viewOf(freed, by);
  });

/** Locks player and user, in this order, for somebody who may manage them. */
async function claim(tx: Tx, by: StaffCall, id: number): Promise<UserRow> {
  await lockPlayers(tx, [id]);
  const user = await lockUser(tx, id);
  assertMayManage(await freshActor(tx, by), user);
  return user;
}
