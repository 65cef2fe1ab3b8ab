import { z } from 'zod';
import type { Config } from '../../../../platform/config.ts';
import { type Db, transaction } from '../../../../platform/db.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { addJob } from '../../../../platform/queue.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { findUserByEmail } from '../../../base/users/service.ts';
import { takeTry } from '../attempts.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import { newLink } from './links.ts';

/** The name of the job that answers one request. */
export const FORGOT_PASSWORD = 'auth.forgot-password';

const REQUESTS_PER_HOUR = 3;
const Job = z.object({ sealed: z.base64() });

type Deps = { db: Db; config: Config; mail: Mail; signInLimits: SignInLimits };

/**
 * Requests to reset a password. Nothing is looked up while the caller waits: the request is queued, so that the
 * answer and its time are the same for a known address and an unknown one.
 */
export function createForgotPassword({ db, config, mail, signInLimits }: Deps) {
  const encryption = createEncryption(config.DATA_SECRET, 'forgot password');
  return {
    /** Three an hour and address; the rest is dropped without a word. */
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
     * Sends the link, the only one that works from now on. Not to somebody without a password whose address nobody has
     * proven: whoever reads mail there may be a stranger.
     */
    async answer(payload: unknown): Promise<void> {
      const email = encryption.open(Buffer.from(Job.parse(payload).sealed, 'base64')).toString();
      const user = await findUserByEmail(db, email);
      if (!user?.email || user.banned_at || (user.password_hash === null && !user.email_verified)) return;
      const { id: userId, email: to, language } = user;
      const minutes = config.RESET_PASSWORD_MINUTES;
      const page = `${config.SITE_URL}/reset-password`;
      await transaction(db, async (tx) => {
        const lifeSeconds = minutes * 60;
        const link = await newLink(tx, {
          purpose: 'RESET_PASSWORD',
          userId,
          email: to,
          lifeSeconds,
          page,
        });
        await mail.send(tx, { to, language, template: 'reset-password', data: { link, minutes } });
      });
    },
  };
}
