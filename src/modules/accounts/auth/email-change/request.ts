import { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { addJob } from '../../../../platform/queue.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { findUserByEmail, getUser, maskEmail } from '../../../base/users/service.ts';
import type { Emails } from '../account/email.ts';
import { assertOwner } from '../account/owner.ts';
import { assertTry, takeTry } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors } from '../errors.ts';
import type { Mfa } from '../mfa/service.ts';
import { issueLink } from '../one-time.ts';
import type { Passwords } from '../passwords.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import { emailChangeErrors } from './errors.ts';
import { type EmailChangeRow, findChange, findPendingOf, replaceChange } from './queries.ts';
import type { ChangeEmail, EmailChange } from './schemas.ts';

/** The name of the job that sends the links of one change. */
export const EMAIL_CHANGE = 'auth.email-change';

/** What the links carry: which change they belong to. */
export type EmailChangePayload = { email: string; changeId: string };

const HOUR = 3600;
const REQUESTS_PER_HOUR = 3;
const Job = z.object({ changeId: z.uuid() });

export type RequestDeps = AuthDeps & {
  passwords: Passwords;
  mfa: Pick<Mfa, 'prove'>;
  emails: Pick<Emails, 'alreadyRegistered'>;
  signInLimits: Pick<SignInLimits, 'nameOf'>;
};

/**
 * Asks for another address, which the account gets once both are proven; the new one alone where nobody has proven the present one. Whether
 * somebody has the new address already is not looked at while the caller waits: neither the answer nor its time tells. Throws 400 EMAIL_UNCHANGED,
 * 400 PASSWORD_TEMPORARY, 400 PASSWORD_INVALID, 403 SIGN_IN_AGAIN, 403 MFA_REQUIRED, 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export async function request(
  deps: RequestDeps,
  caller: SessionUser,
  { email, currentPassword, mfaCode }: z.output<typeof ChangeEmail>,
): Promise<z.input<typeof EmailChange>> {
  const { db, config, mfa } = deps;
  const { id: userId, sessionId } = caller;
  const user = await getUser(db, userId);
  await assertOwner(deps, caller, user, currentPassword);
  // Whoever made up the password would keep the account by an address of theirs.
  if (user.password_is_temporary) throw authErrors.PASSWORD_TEMPORARY();
  if (user.email?.toLowerCase() === email.toLowerCase()) throw emailChangeErrors.EMAIL_UNCHANGED();
  await assertTry(db, { key: `email-change:${userId}`, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR });
  return transaction(db, async (tx) => {
    await mfa.prove(tx, { userId, sessionId, code: mfaCode });
    // Of two concurrent requests the second waits here, and then replaces the change of the first.
    await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    const change = await replaceChange(tx, {
      userId,
      sessionId,
      newEmail: email,
      oldEmail: user.email_verified ? user.email : null,
      hours: config.EMAIL_CHANGE_HOURS,
    });
    await notify(tx, userId, 'security.email-change-requested', { address: maskEmail(email) });
    await addJob(tx, EMAIL_CHANGE, { changeId: change.id });
    return shownOf(change);
  });
}

/** The change that waits. */
export async function state({ db }: Pick<RequestDeps, 'db'>, userId: number) {
  const change = await findPendingOf(db, userId);
  return { change: change ? shownOf(change) : null };
}

/**
 * Runs the job of a change: sends the links to both addresses. To a new address that has an account goes a word about that instead, so that
 * nobody but its owner learns of it.
 */
export async function sendLinks(deps: RequestDeps, payload: unknown): Promise<void> {
  const { db, emails, signInLimits } = deps;
  const change = await findChange(db, Job.parse(payload).changeId);
  if (!change || change.changed_at) return;
  const owner = await findUserByEmail(db, change.new_email);
  if (owner) return emails.alreadyRegistered(change.new_email);
  const key = `email-change-to:${signInLimits.nameOf(change.new_email)}`;
  if ((await takeTry(db, [{ key, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR }])) > 0) return;
  await transaction(db, (tx) => sendBoth(deps, tx, change));
}

async function sendBoth({ config, mail }: RequestDeps, tx: Tx, change: EmailChangeRow): Promise<void> {
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
      payload: { changeId: change.id },
    });
  const link = await linkTo('EMAIL_CHANGE_NEW', newEmail);
  await mail.send(tx, { to: newEmail, language, template: 'email-change-new', data: { link, hours } });
  if (oldEmail === null) return;
  const data = { link: await linkTo('EMAIL_CHANGE_OLD', oldEmail), hours, address: maskEmail(newEmail) };
  await mail.send(tx, { to: oldEmail, language, template: 'email-change-old', data });
}

const shownOf = (change: EmailChangeRow): z.input<typeof EmailChange> => ({
  email: maskEmail(change.new_email),
  waitsFor: waitsFor(change),
  createdAt: iso(change.created_at),
  expiresAt: iso(change.expires_at),
});

/** Whose confirmation is missing. */
export const waitsFor = (change: EmailChangeRow): ('OLD' | 'NEW')[] => [
  ...(change.old_email !== null && change.old_proven_at === null ? (['OLD'] as const) : []),
  ...(change.new_proven_at === null ? (['NEW'] as const) : []),
];
