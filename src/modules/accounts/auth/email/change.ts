import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, SuccessResponse, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import { addJob } from '../../../../platform/queue/queue.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { Email } from '../../../base/users/schemas.ts';
import { findUserByEmail, getUser, maskEmail } from '../../../base/users/service.ts';
import { assertTry, takeTries } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { authMessages } from '../messages.ts';
import { issueLink } from '../one-time-tokens.ts';
import { assertOwner } from '../password/replace.ts';
import { authErrors, emailChangeErrors, MfaCode, PasswordGuess } from '../schemas.ts';
import { prove } from '../second-factor/prove.ts';
import {
  deleteChange,
  type EmailChangePayload,
  type EmailChangeRow,
  endEmailChange,
  findChange,
  missingConfirmations,
  sendAlreadyRegistered,
} from './links.ts';

/** The task that sends the links for one email change. */
export const EMAIL_CHANGE = 'auth.email-change';

const HOUR = 3600;
const REQUESTS_PER_HOUR = 3;
const Task = z.object({ changeId: z.uuid() });

const own = { tag: 'User', path: '/user/email/change', access: 'auth' } as const;

const EmailChange = object('EmailChange', {
  email: z.string().meta({ description: 'The new address, masked.' }),
  waitsFor: z.array(z.enum(['OLD', 'NEW'])).meta({
    description: 'The addresses that have not confirmed the change yet: the old one, the new one or both.',
  }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

/** Does not look up the new address, so that neither the response nor its duration reveals whether the address has an account. */
export const requestEmailChange = operation({
  ...own,
  method: 'POST',
  gate: 'none',
  summary: 'Request a change of your email address',
  description:
    'Sends links to both addresses, or only to the new one if the old one is unverified. The address changes once every link has ' +
    'been confirmed with `POST /user/email/confirm`, in any order. The response does not reveal whether the new address already ' +
    'belongs to an account. A new request replaces the previous one. Setting a new password cancels the change.',
  body: strictObject('ChangeEmailRequest', {
    email: Email,
    currentPassword: PasswordGuess.meta({
      description: 'The current password. Send an empty string if the user has no password.',
    }),
    mfaCode: MfaCode.optional(),
  }),
  response: EmailChange,
  errors: [
    emailChangeErrors.EMAIL_UNCHANGED,
    authErrors.PASSWORD_INVALID,
    authErrors.PASSWORD_TEMPORARY,
    authErrors.SIGN_IN_AGAIN,
    commonErrors.MFA_REQUIRED,
    commonErrors.MFA_INVALID,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, { user: caller, body: { email, currentPassword, mfaCode } }) => {
    const { db, config } = deps;
    const { id: userId, sessionId } = caller;
    const user = await getUser(db, userId);
    await assertOwner(deps, caller, user, currentPassword);
    // Otherwise the person who assigned the temporary password could keep the account by changing its address.
    if (user.password_is_temporary) throw authErrors.PASSWORD_TEMPORARY();
    if (user.email?.toLowerCase() === email.toLowerCase()) throw emailChangeErrors.EMAIL_UNCHANGED();
    await assertTry(db, { key: `email-change:${userId}`, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR });
    return transaction(db, async (tx) => {
      await prove(deps, tx, { userId, sessionId, code: mfaCode });
      // The second of two concurrent requests waits here and then replaces the first request's change.
      await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
      const change = await replaceChange(tx, {
        userId,
        sessionId,
        newEmail: email,
        oldEmail: user.email_verified ? user.email : null,
        hours: config.EMAIL_CHANGE_HOURS,
      });
      await notify(tx, userId, authMessages['security.email-change-requested'], {
        address: maskEmail(email),
      });
      await addJob(tx, EMAIL_CHANGE, { changeId: change.id });
      return toEmailChange(change);
    });
  },
});

export const getEmailChange = operation({
  ...own,
  method: 'GET',
  summary: 'Get the pending change of your email address',
  response: object('EmailChangeState', { change: EmailChange.nullable() }),
  handler: async ({ db }: AuthDeps, { user }) => {
    const change = await db
      .selectFrom('email_changes')
      .selectAll()
      .where('user_id', '=', user.id)
      .where('changed_at', 'is', null)
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst();
    return { change: change ? toEmailChange(change) : null };
  },
});

export const cancelEmailChange = operation({
  ...own,
  method: 'DELETE',
  gate: 'none',
  summary: 'Cancel the pending change of your email address',
  response: SuccessResponse,
  errors: [emailChangeErrors.EMAIL_CHANGE_NOT_FOUND],
  handler: ({ db }: AuthDeps, { user }) =>
    transaction(db, async (tx) => {
      if (!(await endEmailChange(tx, user.id))) throw emailChangeErrors.EMAIL_CHANGE_NOT_FOUND();
      return { success: true };
    }),
});

/**
 * Runs the task: sends the links to both addresses. If the new address already has an account, only the owner of that account is notified,
 * so that no one else learns that the account exists.
 */
export async function sendEmailChangeLinks(deps: AuthDeps, payload: unknown): Promise<void> {
  const { db, signInLimits } = deps;
  const change = await findChange(db, Task.parse(payload).changeId);
  if (!change || change.changed_at) return;
  const owner = await findUserByEmail(db, change.new_email);
  if (owner) return sendAlreadyRegistered(deps, change.new_email);
  const key = `email-change-to:${signInLimits.nameOf(change.new_email)}`;
  if ((await takeTries(db, [{ key, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR }])) > 0) return;
  await transaction(db, (tx) => sendBoth(deps, tx, change));
}

async function sendBoth({ config, mail }: AuthDeps, tx: Tx, change: EmailChangeRow): Promise<void> {
  const { user_id: userId, new_email: newEmail, old_email: oldEmail } = change;
  const { language } = await getUser(tx, userId);
  const hours = config.EMAIL_CHANGE_HOURS;
  const linkTo = (purpose: 'EMAIL_CHANGE_OLD' | 'EMAIL_CHANGE_NEW', email: string) =>
    issueLink(tx, {
      purpose,
      userId,
      email,
      lifeSeconds: hours * HOUR,
      page: `${config.SITE_URL}/confirm-email`,
      payload: { changeId: change.id } satisfies Omit<EmailChangePayload, 'email'>,
    });
  const link = await linkTo('EMAIL_CHANGE_NEW', newEmail);
  await mail.send(tx, { to: newEmail, language, template: 'email-change-new', data: { link, hours } });
  if (oldEmail === null) return;
  const data = { link: await linkTo('EMAIL_CHANGE_OLD', oldEmail), hours, address: maskEmail(newEmail) };
  await mail.send(tx, { to: oldEmail, language, template: 'email-change-old', data });
}

const toEmailChange = (change: EmailChangeRow): z.input<typeof EmailChange> => ({
  email: maskEmail(change.new_email),
  waitsFor: missingConfirmations(change),
  createdAt: iso(change.created_at),
  expiresAt: iso(change.expires_at),
});

type NewChange = {
  userId: number;
  sessionId: string;
  newEmail: string;
  /** The current address; null if it is unverified. */
  oldEmail: string | null;
  hours: number;
};

/** Replaces the user's earlier change, if there is one. */
async function replaceChange(
  tx: Tx,
  { userId, sessionId, newEmail, oldEmail, hours }: NewChange,
): Promise<EmailChangeRow> {
  await deleteChange(tx, userId);
  return tx
    .insertInto('email_changes')
    .values({
      id: newId(),
      user_id: userId,
      session_id: sessionId,
      new_email: newEmail,
      old_email: oldEmail,
      expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
