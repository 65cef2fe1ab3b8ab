import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { event, events } from '../../base/events/schemas.ts';
import { Email, Language, Password, Username } from '../../base/users/schemas.ts';

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

/** Returns true if a password may be hashed. A character has up to four bytes, and more in the normalized form that is hashed. */
export const isHashable = (password: string) => Buffer.byteLength(password.normalize('NFKC')) <= 1024;

/** A password that the caller enters as the current one. */
export const PasswordGuess = z.string().max(128).refine(isHashable, 'needs to be at most 1024 bytes');

/** A code of the app or of a passkey, or a recovery code. Spaces and dashes are ignored: `123 456`, `ABCD-EFGH-JKMN-PQRS`. */
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
