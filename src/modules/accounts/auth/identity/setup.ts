import type { z } from 'zod';
import { violatedConstraint } from '../../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import type { Emails } from '../account/email.ts';
import { assertTry } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { peekToken, takeToken } from '../one-time.ts';
import type { Device, SessionTokens } from '../sessions.ts';
import type { SignIns } from '../sign-in.ts';
import type { SignUps } from '../sign-up.ts';
import { identityErrors } from './errors.ts';
import type { Person } from './rules.ts';
import type { SetupUsername } from './schemas.ts';

export const SETUP_SECONDS = 600;

/** What the token of setup-username carries: a person known to a provider but not to us, and the browser they came back in. */
export type Newcomer = Person & { provider: string; browser: string };
type Request = { token: string; input: z.output<typeof SetupUsername>; device: Device; browser: string };

export type SetupDeps = AuthDeps & { signIns: SignIns; signUps: SignUps; emails: Emails };

/** How often somebody may learn that an e-mail or a username is taken: this form has no captcha. */
const TRIES = 10;
const TRIES_SECONDS = 3600;

/** Opens the account of somebody who has just signed in at a provider: one only, however many requests arrive concurrently. */
export function createSetup({ db, countries, signIns, signUps, emails }: SetupDeps) {
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
    const user = await signUps.register(tx, newUser, { type: person.provider, device });
    await connect(tx, user.id, person);
    if (!user.email_verified) await emails.sendLink(tx, user);
    return signIns.openSession(tx, user, device, { provider: person.provider });
  };

  return async (request: Request): Promise<SessionTokens> => {
    const { token, input, device } = request;
    countries.assertAllowed(device.ip);
    await assertInvited(db, token, request.browser);
    const newcomer = { email: input.email, device };
    return signUps.openAccount(newcomer, () => transaction(db, (tx) => open(tx, request)));
  };
}

/**
 * An invitation is only valid in the browser that came back from the provider: sent to somebody else it would open an account that its
 * sender can sign in to. Tries are counted by identity, so that a new token brings no new tries. Throws SETUP_TOKEN_INVALID or 429.
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
