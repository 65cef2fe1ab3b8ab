import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { siteConfigErrors } from '../../../base/site-config/service.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { findUserByEmail } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { AuthDeps } from '../deps.ts';
import { sendVerificationLink } from '../email/links.ts';
import { AuthSessionTokens, authErrors, isHashable, SignUp } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import type { Device, SessionTokens } from '../sessions/sessions.ts';
import { type Accepted, completeSignIn, type MfaChallenge, openSession } from './complete.ts';
import { openAccount, register } from './open-account.ts';

const SignIn = z.strictObject({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1024).refine(isHashable, 'needs to be at most 1024 bytes'),
});

const SignInResult = z.object({
  ...AuthSessionTokens.partial().shape,
  token: z.string().optional(),
  requireMfa: z.boolean().optional(),
  provider: z.string().optional(),
  state: z.string().optional(),
  mfaMethods: z
    .array(z.enum(['TOTP', 'PASSKEY', 'RECOVERY']))
    .optional()
    .meta({
      description:
        'Ways to complete the sign-in: a code from the authenticator app, a passkey or a recovery code.',
    }),
});

export const signInWithPassword = operation({
  method: 'POST',
  path: '/auth/sign-in',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  summary: 'Sign in',
  captcha: true,
  body: SignIn,
  response: SignInResult,
  errors: [
    authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
    authErrors.AUTH_INVALID_CAPTCHA,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.RATE_LIMITED,
    authErrors.AUTH_INVALID_CREDENTIALS,
    authErrors.AUTH_MFA_REQUIRED,
    gateErrors.USER_BANNED,
  ],
  handler: async (deps: AuthDeps, context) =>
    withCookies(context, await signIn(deps, context.body, deviceOf(context))),
});

async function signIn(
  deps: AuthDeps,
  { email, password }: z.output<typeof SignIn>,
  device: Device,
): Promise<SessionTokens | MfaChallenge> {
  const { db, countries, passwords, signInLimits } = deps;
  countries.assertAllowed(device.ip);
  const user = await findUserByEmail(db, email);
  const attempt = { email, user, device };
  await signInLimits.count(attempt);
  const matches = await passwords.verify(password, user?.password_hash).catch(async (error: unknown) => {
    await signInLimits.uncount(attempt);
    throw error;
  });
  if (!user || !matches || user.is_bot) {
    await signInLimits.failed(attempt);
    throw authErrors.AUTH_INVALID_CREDENTIALS();
  }
  return completeSignIn(deps, await renewHash(deps, { user, device }, password), 'password');
}

/**
 * Hashes the password with the current secret during a DATA_SECRET rotation. The device stays known, although its cookie depends on the
 * hash.
 */
async function renewHash(
  { db, passwords, knownDevices }: AuthDeps,
  { user, device }: Accepted,
  password: string,
): Promise<Accepted> {
  const stored = user.password_hash;
  if (stored === null || !(await passwords.isEarlier(password, stored))) return { user, device };
  const password_hash = await passwords.hash(password);
  const renewed = await db
    .updateTable('users')
    .set({ password_hash })
    .where('id', '=', user.id)
    .where('password_hash', '=', stored)
    .executeTakeFirst();
  if (renewed.numUpdatedRows === 0n) return { user, device };
  const owner = { ...user, password_hash };
  const isKnown = knownDevices.find(device.knownAs, user) !== undefined;
  const knownAs = isKnown ? knownDevices.remember(device.knownAs, owner) : device.knownAs;
  return { user: owner, device: { ...device, knownAs } };
}

export const signUpWithPassword = operation({
  method: 'POST',
  path: '/auth/sign-up',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  summary: 'Open an account',
  captcha: true,
  body: SignUp,
  status: 200,
  response: AuthSessionTokens,
  errors: [
    authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
    authErrors.AUTH_INVALID_CAPTCHA,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.RATE_LIMITED,
    siteConfigErrors.REGISTRATION_CLOSED,
    userErrors.AUTH_USER_EXISTS,
    userErrors.USERNAME_RESERVED,
    userErrors.PASSWORD_BREACHED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { db, countries, passwords, passwordPolicy } = deps;
    const device = deviceOf(context);
    countries.assertAllowed(device.ip);
    const { password, ...newcomer } = context.body;
    await passwordPolicy(password, newcomer, 'password');
    const tokens = await openAccount(deps, { email: newcomer.email, device }, async () => {
      const passwordHash = await passwords.hash(password);
      return transaction(db, async (tx) => {
        const user = await register(deps, tx, { ...newcomer, passwordHash }, { type: 'EMAIL', device });
        await sendVerificationLink(deps, tx, user);
        return openSession(deps, tx, { user, device }, { provider: 'password' });
      });
    });
    return withCookies(context, tokens);
  },
});
