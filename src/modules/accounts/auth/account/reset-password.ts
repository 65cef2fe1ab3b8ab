import { z } from 'zod';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { addJob } from '../../../../platform/queue.ts';
import { findUserByEmail, getUser, isShut } from '../../../base/users/service.ts';
import { takeTry } from '../attempts.ts';
import { lockFactor } from '../mfa/queries.ts';
import { issueLink, type LinkPayload, lockAddressee, peekToken, takeToken } from '../one-time.ts';
import type { Device } from '../sessions.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import { assertNotTemporary, type PasswordDeps, replacePassword } from './change-password.ts';
import type { ResetPassword } from './schemas.ts';
import { isUnproven, takeOver } from './take-over.ts';

/** The name of the job that answers one request. */
export const FORGOT_PASSWORD = 'auth.forgot-password';

const REQUESTS_PER_HOUR = 3;
const Job = z.object({ sealed: z.base64() });

type Deps = PasswordDeps & {
  signInLimits: SignInLimits;
  /** Has the welcome promotion looked for that fits a player now. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
};
export type PasswordResets = ReturnType<typeof createPasswordResets>;

/** A new password for somebody who has forgotten theirs: the request, the mail with the link, and the link. */
export function createPasswordResets(deps: Deps) {
  const { db, config, mail, signInLimits } = deps;
  const encryption = createEncryption(config.DATA_SECRET, 'forgot password');
  return {
    /**
     * Queues a request; three an hour and address, further ones are dropped silently. Nothing is looked up while the caller waits, so
     * that the response and its time are the same for a known address and an unknown one.
     */
    async request(email: string): Promise<{ result: boolean }> {
      const key = `forgot-password:${signInLimits.nameOf(email)}`;
      const wait = await takeTry(db, [{ key, tries: REQUESTS_PER_HOUR, windowSeconds: 3600 }]);
      if (wait === 0) {
        const sealed = encryption.seal(Buffer.from(email)).toString('base64');
        await transaction(db, (tx) => addJob(tx, FORGOT_PASSWORD, { sealed }));
      }
      return { result: true };
    },

    /**
     * Runs the job of a request: sends the link, the only one that works from now on. Not where the account has no password and its
     * address is unproven: the mailbox may belong to a stranger.
     */
    async sendLink(payload: unknown): Promise<void> {
      const email = encryption.open(Buffer.from(Job.parse(payload).sealed, 'base64')).toString();
      const user = await findUserByEmail(db, email);
      if (!user?.email || isShut(user) || (user.password_hash === null && !user.email_verified)) return;
      const { id: userId, email: to, language } = user;
      const minutes = config.RESET_PASSWORD_MINUTES;
      await transaction(db, async (tx) => {
        const link = await issueLink(tx, {
          purpose: 'RESET_PASSWORD',
          userId,
          email: to,
          lifeSeconds: minutes * 60,
          page: `${config.SITE_URL}/reset-password`,
        });
        await mail.send(tx, { to, language, template: 'reset-password', data: { link, minutes } });
      });
    },

    reset: (input: z.output<typeof ResetPassword>, device: Device) => resetPassword(deps, input, device),
  };
}

/**
 * Sets a new password with the token of a mail and ends every session. It signs nobody in, and a second factor stays in force unless
 * a stranger may have enabled it (takeOver). Returns false for a token that is used, expired, replaced by a newer one or unknown.
 */
async function resetPassword(
  deps: Deps,
  { token, newPassword }: z.output<typeof ResetPassword>,
  device: Device,
): Promise<{ result: boolean }> {
  const { db, passwords, signInLimits } = deps;
  const link = await peekToken<LinkPayload>(db, 'RESET_PASSWORD', token);
  if (!link?.userId) return { result: false };
  const { userId } = link;
  const user = await getUser(db, userId);
  await deps.passwordPolicy(newPassword, user, 'newPassword');
  await assertNotTemporary(deps, user, newPassword);
  const hash = await passwords.hash(newPassword);
  return transaction(db, async (tx) => {
    // Before the user's row, the order in which enabling a factor locks them too.
    await lockFactor(tx, userId);
    const now = await lockAddressee(tx, link);
    if (!now || isShut(now) || !(await takeToken(tx, 'RESET_PASSWORD', token))) return { result: false };
    if (isUnproven(now)) await takeOver(tx, now.id);
    if (!now.email_verified) await deps.queueWelcomeBonus(tx, now.id);
    await replacePassword(deps, tx, now, { hash, exceptSession: null });
    await signInLimits.forgive(tx, { email: link.payload.email, user: now, device });
    return { result: true };
  });
}
