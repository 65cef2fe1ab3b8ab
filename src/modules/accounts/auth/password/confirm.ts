import { sql } from 'kysely';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors, PasswordGuess } from '../schemas.ts';
import { assertOwner } from './replace.ts';

export const confirmSession = operation({
  method: 'POST',
  path: '/session/confirm',
  tag: 'Session',
  access: 'auth',
  gate: 'none',
  limit: 'auth',
  status: 200,
  summary: 'Confirm the password of this session',
  description:
    'Until `expiresAt`, this session counts as one that was just started, so that operations that returned `SIGN_IN_AGAIN` work. It ' +
    'does not replace a second factor. A user without a password has to sign in again.',
  body: strictObject('ConfirmSessionRequest', { password: PasswordGuess }),
  response: object('SessionConfirmed', { expiresAt: Timestamp }),
  errors: [authErrors.PASSWORD_INVALID, authErrors.SIGN_IN_AGAIN, commonErrors.RATE_LIMITED],
  handler: async (deps: AuthDeps, { user: caller, body }) => {
    const user = await getUser(deps.db, caller.id);
    // Otherwise the thief of a session that was just started could prolong this state without knowing anything.
    if (user.password_hash === null) throw authErrors.SIGN_IN_AGAIN();
    await assertOwner(deps, caller, user, body.password);
    const confirmedAt = await markConfirmed(deps, caller.sessionId);
    return { expiresAt: iso(new Date(confirmedAt.getTime() + deps.config.MFA_PROOF_SECONDS * 1000)) };
  },
});

/** Throws 401 UNAUTHORIZED if the session has ended while the password was compared. */
async function markConfirmed({ db, sessions: { ends } }: AuthDeps, sessionId: string): Promise<Date> {
  const session = await db
    .updateTable('sessions')
    .from('users')
    .set({ confirmed_at: sql<Date>`now()` })
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('sessions.id', '=', sessionId)
    .where(ends.isLive)
    .returning('confirmed_at as confirmedAt')
    .executeTakeFirst();
  if (!session) throw commonErrors.UNAUTHORIZED();
  return session.confirmedAt!;
}
