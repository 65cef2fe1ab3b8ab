import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { event, events } from '../../base/events/schemas.ts';
import { Email, Language, Password, Username } from '../../base/users/schemas.ts';

export const authErrors = errors({
  AUTH_RECAPTCHA_TOKEN_MISSING: [400, 'Solve the captcha and send its token in the header x-captcha-token.'],
  AUTH_INVALID_CAPTCHA: [400, 'The captcha was not accepted; solve it again.'],
  AUTH_INVALID_CREDENTIALS: [401, 'Email or password is wrong.'],
  AUTH_MFA_REQUIRED: [401, 'Complete the second factor first.'],
  REFRESH_CONFLICT: [409, 'This refresh token was exchanged a moment ago; use the newer one.'],
  SESSION_NOT_FOUND: [404, 'You have no such session.'],
  PASSWORD_INVALID: [400, 'The current password is wrong.'],
  PASSWORD_TEMPORARY: [400, 'This password was assigned by someone else; choose one that only you know.'],
  SIGN_IN_AGAIN: [
    403,
    'Confirm your password (POST /session/confirm) or sign in again: this requires a recent sign-in.',
  ],
});

export const mfaErrors = errors({
  MFA_ALREADY_ENABLED: [409, 'An authenticator app is already enabled. Disable or reset it first.'],
  MFA_NOT_ENABLED: [
    409,
    'No authenticator app is enabled. To remove a passkey, use DELETE /user/passkeys/{id}.',
  ],
  MFA_NOT_PENDING: [
    409,
    'This session has no authenticator key to confirm; call GET /user/generate-2fa first.',
  ],
});

export const passkeyErrors = errors({
  PASSKEY_CHALLENGE_INVALID: [
    400,
    'This challenge has expired, was already used, or belongs to another session. Request new options.',
  ],
  PASSKEY_INVALID: [
    400,
    'The passkey could not be verified; use one made for this site, with a PIN, fingerprint or face check.',
  ],
  PASSKEY_REFUSED: [401, 'This passkey does not work here; sign in another way.'],
  PASSKEY_NOT_FOUND: [404, 'You have no such passkey.'],
  PASSKEY_EXISTS: [409, 'This passkey is already registered.'],
  PASSKEY_LIMIT: [409, 'You have the maximum number of passkeys; remove one first.'],
  NO_PASSKEY: [409, 'You have no passkey; add one with POST /user/passkeys.'],
  LAST_FACTOR: [
    409,
    'Staff need a second factor, and this is your last one. Add a passkey or an authenticator app first.',
  ],
});

export const emailChangeErrors = errors({
  EMAIL_UNCHANGED: [400, 'Your account already has this email address.'],
  CONFIRM_SIGNED_IN: [403, 'Sign in to the account in this browser first, then follow the link again.'],
  EMAIL_CHANGE_NOT_FOUND: [404, 'You have no pending email change.'],
});

export const identityErrors = errors({
  IDP_STATE_INVALID: [400, 'This sign-in has expired or began in another browser; start again.'],
  IDP_REFUSED: [401, 'The provider did not confirm your identity; start again.'],
  IDP_CANCELLED: [401, 'The sign-in was cancelled at the provider.'],
  IDP_DISABLED: [404, 'This sign-in method is not available here.'],
  IDP_UNAVAILABLE: [503, 'The provider is not responding; try again later or sign in another way.'],
  SETUP_TOKEN_INVALID: [401, 'This sign-up has expired; sign in at the provider again.'],
  IDENTITY_TAKEN: [409, 'An account for this identity already exists; sign in at the provider again.'],
});

export const AuthSessionToken = object('AuthSessionTokenDto', { token: z.string(), expiresAt: Timestamp });

export const AuthSessionTokens = object('AuthSessionTokens', {
  accessToken: AuthSessionToken,
  refreshToken: AuthSessionToken,
  socketToken: AuthSessionToken,
});

export const SignUp = z.strictObject({
  username: Username,
  password: Password,
  email: Email,
  isEmailNotificationsEnabled: z.boolean().optional(),
  affiliateCode: z.string().min(1).max(64).optional(),
  language: Language.optional(),
  referrer: z.string().max(500).optional(),
  clientSeed: z
    .string()
    .regex(/^[\x20-\x7e]{1,64}$/, 'needs 1 to 64 printable characters')
    .optional()
    .meta({
      description:
        "The client seed of the first seed pair, generated on the player's device. If absent, the server generates it and marks the " +
        'pair as server-generated.',
    }),
});

/**
 * Returns true if a password is short enough to be hashed. A character has up to four bytes, and more in the normalized form that is
 * hashed.
 */
export const isHashable = (password: string) => Buffer.byteLength(password.normalize('NFKC')) <= 1024;

/** A password that the caller enters as the current one. */
export const PasswordGuess = z.string().max(128).refine(isHashable, 'needs to be at most 1024 bytes');

/**
 * A code from the app, a code issued for a passkey, or a recovery code. Spaces and dashes are ignored: `123 456`, `ABCD-EFGH-JKMN-PQRS`.
 */
export const MfaCode = z.string().min(1).max(64);

/** The token of a link in an email. */
export const LinkToken = z.string().min(1).max(128);

export const ResultResponse = object('ResultResponse', { result: z.boolean() });

export const authEvents = events({
  'session.revoked': event(
    'user',
    'A session of the player has ended. Its own sockets receive the event once, with the reason, and are closed. Other sockets of the player receive the session id.',
    z.strictObject({ sessionId: z.string().nullable(), reason: z.string() }),
  ),
  'user.registered': event(
    'internal',
    'An account was opened: with an email address, through an identity provider (`by` is its segment), or for development.',
    z.strictObject({ by: z.string(), country: z.string().nullable() }),
  ),
  'session.used': event(
    'internal',
    'A player has signed in or used a refresh token. There is at most one event per minute. Device and country are those of the sign-in.',
    z.strictObject({
      sessionId: z.string(),
      by: z.enum(['SIGN_IN', 'REFRESH']),
      signedInAt: z.iso.datetime(),
      usedAt: z.iso.datetime(),
      provider: z.string(),
      country: z.string().nullable(),
      device: z.string().nullable(),
      deviceType: z.string().nullable(),
      browser: z.string().nullable(),
      os: z.string().nullable(),
    }),
  ),
});
