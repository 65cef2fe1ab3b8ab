import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { strictObject } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { revokeKey } from '../../accounts/api-keys/service.ts';
import { revokeSessions } from '../../accounts/auth/sessions/end.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { lockManaged, lockSuperAdmins } from '../../base/access/service.ts';
import { keepStaffManaged } from '../../base/access/staff-managers.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { UserDto, userErrors, userEvents } from '../../base/users/schemas.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { updateUser } from './queries.ts';
import { UserPath, userAdminErrors } from './schemas.ts';
import { type UserAdminDeps, viewOf } from './view.ts';

const UserBan = strictObject('UserBanDto', { banReason: z.string().min(1).max(500).optional() });

const shared = {
  method: 'PATCH',
  tag: 'Admin User',
  gate: 'none',
  params: UserPath,
  response: UserDto,
} as const;

export const banUser = operation({
  ...shared,
  path: '/admin/user/{id}/ban',
  access: { permission: 'user.ban' },
  summary: 'Ban a user and end their sessions and API keys',
  description: 'The user can no longer sign in or bet.',
  body: UserBan,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    userAdminErrors.USER_ALREADY_BANNED,
    accessErrors.LAST_STAFF_MANAGER,
  ],
  handler: ({ db, grants }: UserAdminDeps, { by, params: { id }, body: { banReason: reason } }) =>
    transaction(db, async (tx) => {
      await lockSuperAdmins(tx);
      await lockPlayers(tx, [id]);
      const { user } = await lockManaged(tx, by, { id });
      if (user.banned_at) throw userAdminErrors.USER_ALREADY_BANNED();
      const write = () => updateUser(tx, id, { banned_at: sql<Date>`now()`, ban_reason: reason ?? null });
      const banned = await (user.is_staff ? keepStaffManaged(tx, write) : write());
      await setBanned(tx, id, true);
      await grants.endAll(tx, id, 'BANNED');
      const sessionsEnded = await revokeSessions(tx, id, 'BANNED');
      const keysRevoked = (await revokeKey(tx, id)) ? 1 : 0;
      await announceUserChange(tx, id);
      await emitEvent(tx, {
        event: userEvents['user.blocks'],
        userId: id,
        data: { block: 'BANNED', isActive: true },
      });
      const after = { isBanned: true, banReason: banned.ban_reason, sessionsEnded, keysRevoked };
      await recordAudit(tx, by, { before: { isBanned: false }, after, reason });
      return viewOf(tx, banned, by.user);
    }),
});

const unbanning = {
  ...shared,
  path: '/admin/user/{id}/unban',
  access: 'superadmin',
  stepUp: true,
  summary: "Lift a user's ban",
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, userAdminErrors.USER_NOT_BANNED],
} as const;

export const unbanUser = operation({
  ...unbanning,
  description:
    'Sessions and API keys that the ban ended are not restored. The optional `banReason` explains the decision and is recorded in ' +
    'the audit log.',
  body: UserBan,
  handler: (deps: UserAdminDeps, { by, params, body }) => unban(deps, by, params.id, body?.banReason),
});

/** Only the backoffice serves this operation. */
export const unbanUserInBackoffice = operation({
  ...unbanning,
  description: 'Takes no body. Sessions and API keys that the ban ended are not restored.',
  handler: (deps: UserAdminDeps, { by, params }) => unban(deps, by, params.id, undefined),
});

const unban = ({ db }: UserAdminDeps, by: StaffCall, id: number, reason: string | undefined) =>
  transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    await lockPlayers(tx, [id]);
    const { user } = await lockManaged(tx, by, { id });
    if (!user.banned_at) throw userAdminErrors.USER_NOT_BANNED();
    const unbanned = await updateUser(tx, id, { banned_at: null, ban_reason: null });
    // Bot accounts may never play.
    await setBanned(tx, id, user.is_bot);
    // A sign-in that ran concurrently with the ban may have created a session.
    await revokeSessions(tx, id, 'BANNED');
    await announceUserChange(tx, id);
    await emitEvent(tx, {
      event: userEvents['user.blocks'],
      userId: id,
      data: { block: 'BANNED', isActive: false },
    });
    const before = { isBanned: true, banReason: user.ban_reason };
    await recordAudit(tx, by, { before, after: { isBanned: false }, reason });
    return viewOf(tx, unbanned, by.user);
  });
