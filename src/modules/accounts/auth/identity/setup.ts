import type { z } from 'zod';
import { violatedConstraint } from '../../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import type { Emails } from '../account/email.ts';
import { assertTry } from '../attempts.ts';
import type { SignInCompletion } from '../complete-sign-in.ts';
import { peekToken, takeToken } from '../one-time.ts';
import type { Device } from '../open-session.ts';
import type { Auth } from '../service.ts';
import type { SessionTokens } from '../token-signer.ts';
import { identityErrors } from './errors.ts';
import type { Person } from './rules.ts';
import type { SetupUsername } from './schemas.ts';

export const SETUP_SECONDS = 600;

/** What the token of setup-username carries: a person known to a provider but not to us, and the browser they came back in. */
export type Newcomer = Person & { provider: string; browser: string };
type Input = z.output<typeof SetupUsername>;
type Request = { token: string; input: Input; device: Device; browser: string };

export type SetupDeps = {
  db: Db;
  signInCompletion: SignInCompletion;
  auth: Pick<Auth, 'register' | 'assertAllowed' | 'assertFewTaken' | 'unlessTaken'>;
  emails: Pick<Emails, 'sendLink'>;
};

/** How often somebody may hear that an e-mail or a username is taken: no captcha stands before this form. */
const TRIES = 10;
const TRIES_SECONDS = 3600;

/** Opens the account of somebody who has just signed in at a provider: one, however often and at once it is asked for. */
export function createSetup({ db, signInCompletion, auth, emails }: SetupDeps) {
  const open = async (tx: Tx, { token, input, device }: Request): Promise<SessionTokens> => {
    const taken = await takeToken<Newcomer>(tx, 'SETUP_USERNAME', token);
    if (!taken) throw identityErrors.SETUP_TOKEN_INVALID();
    const person = taken.payload;
    const newUser = {
      ...input,
      language: input.language ?? person.language ?? undefined,
      passwordHash: null,
      // Exactly the address that the provider has verified: another spelling may be another mailbox.
      emailVerified: person.isEmailVerified && input.email === person.email,
      idpEmail: person.email,
      platformId: person.platformId,
    };
    const user = await auth.register(tx, newUser, { type: person.provider, device });
    await connect(tx, user.id, person);
    if (!user.email_verified) await emails.sendLink(tx, user);
    return signInCompletion.openSession(tx, user, device, { provider: person.provider });
  };

  return async (request: Request): Promise<SessionTokens> => {
    const { token, input, device } = request;
    auth.assertAllowed(device.ip);
    await assertInvited(db, token, request.browser);
    await auth.assertFewTaken(device);
    return auth.unlessTaken(() => transaction(db, (tx) => open(tx, request)), input.email, device);
  };
}

/**
 * An invitation is good in the browser that came back from the provider: sent to somebody else it would open an account that its
 * sender can enter. Tries are counted for the identity: a new token brings no new ones. Throws SETUP_TOKEN_INVALID or 429.
 */
async function assertInvited(db: Db, token: string, browser: string): Promise<void> {
  const known = await peekToken<Newcomer>(db, 'SETUP_USERNAME', token);
  if (known?.payload.browser !== browser) throw identityErrors.SETUP_TOKEN_INVALID();
  const { issuer, subject } = known.payload;
  const key = `setup:${issuer} ${subject}`;
  await assertTry(db, { key, tries: TRIES, windowSeconds: TRIES_SECONDS });
}

/** Throws 409 when another account has been opened for this identity in the meantime. */
async function connect(tx: Tx, userId: number, { issuer, subject, email }: Person): Promise<void> {
  try {
    await tx.insertInto('identities').values({ issuer, subject, user_id: userId, email }).execute();
  } catch (error) {
    if (violatedConstraint(error) === 'identities_pkey') throw identityErrors.IDENTITY_TAKEN();
    throw error;
  }
}
