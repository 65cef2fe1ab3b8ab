import type { SessionUser } from '../../../../http/access.ts';
import type { UserRow } from '../../../base/users/service.ts';
import { assertTry, giveBack } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import { isJustOpened } from '../queries.ts';

/**
 * Throws unless the caller knows the current password or, having none, has just signed in through their identity provider: 400
 * PASSWORD_INVALID, 403 SIGN_IN_AGAIN, 429 RATE_LIMITED. All that asks for it shares its tries.
 */
export async function assertOwner(
  { db, config, passwords }: Pick<AuthDeps, 'db' | 'config'> & { passwords: Passwords },
  caller: SessionUser,
  user: UserRow,
  password: string,
): Promise<void> {
  const key = `change-password:${user.id}`;
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
  if (user.password_hash === null) {
    const isJust = await isJustOpened(db, caller.sessionId, config.MFA_PROOF_SECONDS);
    if (!isJust) throw authErrors.SIGN_IN_AGAIN();
  } else {
    const isRight = await passwords.verify(password, user.password_hash).catch(async (error: unknown) => {
      // The password was not compared: the try does not count.
      await giveBack(db, [key], 'one');
      throw error;
    });
    if (!isRight) throw authErrors.PASSWORD_INVALID();
  }
  await giveBack(db, [key], 'all');
}
