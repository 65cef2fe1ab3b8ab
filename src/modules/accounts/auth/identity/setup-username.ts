import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { violatedConstraint } from '../../../../platform/database/errors.ts';
import { siteConfigErrors } from '../../../base/site-config/service.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { assertTry } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { sendVerificationLink } from '../email/links.ts';
import { consumeToken, readToken } from '../one-time-tokens.ts';
import { AuthSessionTokens, identityErrors, SignUp } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import type { Device, SessionTokens } from '../sessions/sessions.ts';
import { openSession } from '../sign-in/complete.ts';
import { openAccount, register } from '../sign-in/open-account.ts';
import { browserOf, CLEARED_STATE, type Newcomer, STATE_COOKIE } from './round-trips.ts';
import type { Person } from './rules.ts';

const SetupUsername = SignUp.pick({
  username: true,
  email: true,
  language: true,
  affiliateCode: true,
  referrer: true,
  clientSeed: true,
});
type SetupUsername = z.output<typeof SetupUsername>;

/** Limits how often a person can find out that an email address or username is taken, because this form has no captcha. */
const TRIES = 10;
const TRIES_SECONDS = 3600;

/** Opens at most one account for each identity, even for concurrent requests. */
export const setupUsername = operation({
  method: 'POST',
  path: '/auth/setup-username',
  tag: 'Authorization',
  access: 'anonymous',
  limit: 'auth',
  gate: 'none',
  summary: 'Open an account after signing in with an identity provider',
  description:
    'Requires proof that the same browser began the sign-in. The proof is either the cookie `idp_state` or the nonce that was ' +
    'sent at the start of the sign-in. Append the nonce to the token, separated by a dot.',
  query: z.strictObject({
    setupUsernameToken: z.string().regex(/^[^.]{1,128}(?:\.[^.]{0,128})?$/s),
  }),
  body: SetupUsername,
  response: AuthSessionTokens,
  errors: [
    identityErrors.SETUP_TOKEN_INVALID,
    identityErrors.IDENTITY_TAKEN,
    userErrors.AUTH_USER_EXISTS,
    userErrors.USERNAME_RESERVED,
    gateErrors.AUTH_GEO_BLOCKED,
    siteConfigErrors.REGISTRATION_CLOSED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { body: input, cookies, setCookie } = context;
    const device = deviceOf(context);
    const [token = '', nonce] = context.query.setupUsernameToken.split('.', 2);
    deps.countries.assertAllowed(device.ip);
    await assertInvited(deps.db, token, { browser: browserOf(cookies[STATE_COOKIE]), nonce });
    const tokens = await openAccount(deps, { email: input.email, device }, () =>
      transaction(deps.db, (tx) => open(deps, tx, { token, input, device })),
    );
    setCookie(CLEARED_STATE);
    return withCookies(context, tokens);
  },
});

async function open(
  deps: AuthDeps,
  tx: Tx,
  { token, input, device }: { token: string; input: SetupUsername; device: Device },
): Promise<SessionTokens> {
  const invitation = await consumeToken<Newcomer>(tx, 'SETUP_USERNAME', token);
  if (!invitation) throw identityErrors.SETUP_TOKEN_INVALID();
  const person = invitation.payload;
  const newUser = {
    ...input,
    language: input.language ?? person.language ?? undefined,
    passwordHash: null,
    // The address must be identical to the one that the provider has verified, because a different spelling may belong to a different
    // mailbox.
    emailVerified: person.isEmailVerified && input.email === person.email,
    idpEmail: person.email,
    platformId: person.platformId,
  };
  const user = await register(deps, tx, newUser, { type: person.provider, device });
  await connect(tx, user.id, person);
  if (!user.email_verified) await sendVerificationLink(deps, tx, user);
  return openSession(deps, tx, { user, device }, { provider: person.provider });
}

/**
 * Asserts that the setup token is used in the browser that returned from the provider. Otherwise someone could pass the token to another
 * person, who would then open an account that the sender can sign in to. The browser is recognized by the cookie or, if a page on another
 * site cannot send the cookie, by the nonce. Attempts are counted per identity, so a new token does not reset them. Throws
 * SETUP_TOKEN_INVALID or 429.
 */
async function assertInvited(
  db: Db,
  token: string,
  { browser, nonce }: { browser: string; nonce: string | undefined },
): Promise<void> {
  const invitation = await readToken<Newcomer>(db, 'SETUP_USERNAME', token);
  if (!invitation) throw identityErrors.SETUP_TOKEN_INVALID();
  const { payload } = invitation;
  const isByNonce = nonce !== undefined && payload.nonce === browserOf(nonce);
  if (payload.browser !== browser && !isByNonce) throw identityErrors.SETUP_TOKEN_INVALID();
  const key = `setup:${payload.issuer} ${payload.subject}`;
  await assertTry(db, { key, tries: TRIES, windowSeconds: TRIES_SECONDS });
}

/** Throws 409 if another account has been opened for this identity in the meantime. */
async function connect(tx: Tx, userId: number, { issuer, subject, email }: Person): Promise<void> {
  try {
    await tx.insertInto('identities').values({ issuer, subject, user_id: userId, email }).execute();
  } catch (error) {
    if (violatedConstraint(error) === 'identities_pkey') throw identityErrors.IDENTITY_TAKEN();
    throw error;
  }
}
