import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { strictObject } from '../../../../http/schemas.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { addJob } from '../../../../platform/queue/queue.ts';
import { createEncryption, dataSecret } from '../../../../platform/secrets/encryption.ts';
import { Password, userErrors } from '../../../base/users/schemas.ts';
import { findUserByEmail, getUser, isShut } from '../../../base/users/service.ts';
import { takeTries } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { isUnproven, takeOver } from '../email/ownership.ts';
import { consumeToken, issueLink, type LinkPayload, lockAddressee, readToken } from '../one-time-tokens.ts';
import { authErrors, LinkToken, ResultResponse } from '../schemas.ts';
import { lockFactor } from '../second-factor/queries.ts';
import { deviceOf } from '../sessions/cookies.ts';
import { assertNotTemporary, replacePassword } from './replace.ts';

/** The task that sends the reset link for one request. */
export const FORGOT_PASSWORD = 'auth.forgot-password';

const REQUESTS_PER_HOUR = 3;
const Task = z.object({ sealed: z.base64() });

const anonymous = { tag: 'User', access: 'anonymous', limit: 'auth', gate: 'none' } as const;

/** Encrypts the addresses in queued tasks. */
const encryptionOf = (config: Config) => createEncryption(dataSecret(config), 'forgot password');

/** Queries no accounts before it responds, so that neither the response nor its duration reveals whether the address has an account. */
export const requestPasswordReset = operation({
  ...anonymous,
  method: 'POST',
  path: '/user/forgot-password',
  summary: 'Request a password reset link',
  description: 'The response is the same for known and unknown addresses.',
  body: strictObject('ForgotPasswordRequestDto', { email: z.string().min(1).max(254) }),
  response: ResultResponse,
  handler: async ({ db, config, signInLimits }: AuthDeps, { body: { email } }) => {
    const key = `forgot-password:${signInLimits.nameOf(email)}`;
    const wait = await takeTries(db, [{ key, tries: REQUESTS_PER_HOUR, windowSeconds: 3600 }]);
    if (wait === 0) {
      const sealed = encryptionOf(config).seal(Buffer.from(email)).toString('base64');
      await transaction(db, (tx) => addJob(tx, FORGOT_PASSWORD, { sealed }));
    }
    return { result: true };
  },
});

/**
 * Runs the task: sends a link that replaces earlier ones. Does nothing if the account has no password and its address is unproven, because
 * the mailbox may belong to a stranger.
 */
export async function sendResetLink({ db, config, mail }: AuthDeps, payload: unknown): Promise<void> {
  const email = encryptionOf(config)
    .open(Buffer.from(Task.parse(payload).sealed, 'base64'))
    .toString();
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
}

export const resetPassword = operation({
  ...anonymous,
  method: 'PATCH',
  path: '/user/confirm-password-reset',
  summary: 'Set a new password with the token from the email',
  description:
    'Ends every session and does not start a new one. Returns false if the token is unknown, used, expired or replaced by a newer ' +
    'one. The second factor stays on. If the email address was not verified before, second factors, passkeys, linked identities ' +
    'and the API key are removed, because someone else may have set them up.',
  body: strictObject('ResetPasswordRequestDto', { token: LinkToken, newPassword: Password }),
  response: ResultResponse,
  errors: [userErrors.PASSWORD_BREACHED, authErrors.PASSWORD_TEMPORARY],
  handler: async (deps: AuthDeps, context) => {
    const { db, passwords, passwordPolicy, signInLimits } = deps;
    const { token, newPassword } = context.body;
    const link = await readToken<LinkPayload>(db, 'RESET_PASSWORD', token);
    if (!link?.userId) return { result: false };
    const { userId } = link;
    const user = await getUser(db, userId);
    await passwordPolicy(newPassword, user, 'newPassword');
    await assertNotTemporary(deps, user, newPassword);
    const hash = await passwords.hash(newPassword);
    return transaction(db, async (tx) => {
      // Locks the factor before the user's row, because enabling a factor locks them in this order.
      await lockFactor(tx, userId);
      const current = await lockAddressee(tx, link);
      if (!current || isShut(current) || !(await consumeToken(tx, 'RESET_PASSWORD', token)))
        return { result: false };
      if (isUnproven(current)) await takeOver(tx, current.id);
      if (!current.email_verified) await deps.queueWelcomeBonus(tx, current.id);
      await replacePassword(deps, tx, current, { hash, exceptSession: null });
      const attempt = { email: link.payload.email, user: current, device: deviceOf(context) };
      await signInLimits.forgive(tx, attempt);
      return { result: true };
    });
  },
});
