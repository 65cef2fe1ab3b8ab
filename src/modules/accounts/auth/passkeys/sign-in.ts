import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject } from '../../../../http/schemas.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { networkOf } from '../../../../platform/net/address.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { assertTry, giveBack } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { consumeToken } from '../one-time-tokens.ts';
import { AuthSessionTokens, authErrors, passkeyErrors } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import type { Device, SessionTokens } from '../sessions/sessions.ts';
import { findPendingSignIn, openSession } from '../sign-in/complete.ts';
import { AssertionOptions, issueChallenge, proofOptions, requestOptions } from './options.ts';
import { findByCredential, recordUse, type Verified, verifyPasskey } from './verify.ts';
import { AssertionResponse } from './webauthn.ts';

const signingIn = {
  method: 'POST',
  tag: 'Passkeys',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
} as const;

/**
 * The maximum number of failed sign-ins from one network within SIGN_IN_WINDOW_MINUTES. Signatures cannot be guessed, but verifying them is
 * expensive.
 */
const TRIES = 20;

export const getPasskeySignInOptions = operation({
  ...signingIn,
  path: '/user/passkeys/sign-in/options',
  summary: 'Start signing in with a passkey',
  description:
    'The response is the same for every user. The browser offers the passkeys that it has stored for this site. The options are ' +
    'valid for five minutes.',
  response: object('PasskeySignInOptions', {
    attempt: z.string().meta({ description: 'The id of this attempt. Send it together with the passkey.' }),
    options: AssertionOptions,
  }),
  errors: [commonErrors.RATE_LIMITED],
  handler: async ({ db, config }: AuthDeps) => {
    const attempt = randomBytes(32).toString('base64url');
    const challenge = await issueChallenge(db, config, {
      ceremony: 'PASSKEY_SIGN_IN',
      userId: null,
      holder: { token: attempt },
    });
    return { attempt, options: requestOptions(config, challenge) };
  },
});

/** Rejects a sign-in with the same error for every cause, so that the response does not reveal whether a passkey exists. */
export const signInWithPasskey = operation({
  ...signingIn,
  path: '/user/passkeys/sign-in',
  summary: 'Sign in with a passkey',
  description: 'The passkey verifies its user, so it counts as both factors.',
  captcha: true,
  body: strictObject('PasskeySignIn', {
    attempt: z.string().min(1).max(64),
    response: AssertionResponse,
  }),
  response: AuthSessionTokens,
  errors: [
    authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
    authErrors.AUTH_INVALID_CAPTCHA,
    gateErrors.AUTH_GEO_BLOCKED,
    passkeyErrors.PASSKEY_CHALLENGE_INVALID,
    passkeyErrors.PASSKEY_INVALID,
    passkeyErrors.PASSKEY_REFUSED,
    authErrors.AUTH_INVALID_CREDENTIALS,
    gateErrors.USER_BANNED,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { db, config, countries, metrics, log } = deps;
    const { attempt, response } = context.body;
    const device = deviceOf(context);
    countries.assertAllowed(device.ip);
    const key = `passkey-sign-in:${await placeOf(deps, response.id, device)}`;
    await assertTry(db, { key, tries: TRIES, windowSeconds: config.SIGN_IN_WINDOW_MINUTES * 60 });
    const holder = { token: attempt };
    const verified = await verifyPasskey(deps, { ceremony: 'PASSKEY_SIGN_IN', holder, response });
    const tokens = verified && (await open(deps, verified, { device, provider: 'passkey' }));
    if (!tokens) {
      metrics.signInFailures.inc({ reason: 'passkey' });
      log.named('auth').warn({ reason: 'passkey', network: networkOf(device.ip) }, 'sign-in failed');
      throw passkeyErrors.PASSKEY_REFUSED();
    }
    await giveBack(db, [key], 'one');
    return withCookies(context, tokens);
  },
});

/**
 * Returns the key under which attempts are counted. A device on which the owner has signed in before has a separate counter, so that other
 * people in its network cannot use up its attempts.
 */
async function placeOf(
  { db, knownDevices }: AuthDeps,
  credentialId: string,
  { ip, knownAs }: Device,
): Promise<string> {
  const passkey = await findByCredential(db, credentialId);
  const known = passkey && knownDevices.find(knownAs, await getUser(db, passkey.user_id));
  return known ? `device:${known}` : networkOf(ip);
}

const PendingSignIn = {
  token: z
    .string()
    .min(1)
    .max(128)
    .meta({ description: 'The temporary token from a sign-in response with `requireMfa`.' }),
  provider: z.string().max(64).optional(),
  state: z.string().max(512).optional(),
};

export const getSecondFactorOptions = operation({
  ...signingIn,
  path: '/user/passkeys/second-factor/options',
  summary: 'Start the passkey check that completes a sign-in',
  description: 'Requires the temporary token from a sign-in response with `requireMfa`.',
  body: strictObject('PasskeySecondFactorOptions', PendingSignIn),
  response: AssertionOptions,
  errors: [commonErrors.UNAUTHORIZED, passkeyErrors.NO_PASSKEY, commonErrors.RATE_LIMITED],
  handler: async (deps: AuthDeps, { body }) => {
    const { userId } = await findPendingSignIn(deps.db, body);
    return proofOptions(deps, { userId, holder: { token: body.token } });
  },
});

export const completeSignInWithPasskey = operation({
  ...signingIn,
  path: '/user/passkeys/second-factor',
  summary: 'Complete a sign-in with a passkey as the second factor',
  description: 'An alternative to `POST /auth/verify-2fa`. Each token allows ten attempts with a passkey.',
  body: strictObject('PasskeySecondFactor', { ...PendingSignIn, response: AssertionResponse }),
  response: AuthSessionTokens,
  errors: [
    commonErrors.UNAUTHORIZED,
    authErrors.AUTH_INVALID_CREDENTIALS,
    gateErrors.USER_BANNED,
    passkeyErrors.PASSKEY_CHALLENGE_INVALID,
    passkeyErrors.PASSKEY_INVALID,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, context) => {
    const { token, response } = context.body;
    const { userId, payload } = await findPendingSignIn(deps.db, context.body);
    const attempt = { userId, at: { token: hashToken(token), device: undefined }, kind: 'PASSKEY' } as const;
    await deps.factor.countTry(attempt);
    const verified = await verifyPasskey(deps, { ceremony: 'PASSKEY_PROVE', holder: { token }, response });
    const opening = { device: deviceOf(context), provider: payload.provider, token };
    const tokens = verified && (await open(deps, verified, opening));
    if (!tokens) throw passkeyErrors.PASSKEY_INVALID();
    await deps.factor.returnTry(attempt);
    return withCookies(context, tokens);
  },
});

type Opening = { device: Device; provider: string; token?: string };

/**
 * Opens the session and consumes the token of the first step. Returns undefined if the passkey was removed or was used by a copy of the
 * authenticator.
 */
const open = (
  deps: AuthDeps,
  verified: Verified,
  { device, provider, token }: Opening,
): Promise<SessionTokens | undefined> =>
  transaction(deps.db, async (tx) => {
    const user = await getUser(tx, verified.passkey.user_id);
    if (!(await recordUse(deps, tx, verified))) return undefined;
    if (token !== undefined && !(await consumeToken(tx, 'MFA', token))) throw commonErrors.UNAUTHORIZED();
    return openSession(deps, tx, { user, device }, { provider, mfaMethod: 'PASSKEY' });
  });
