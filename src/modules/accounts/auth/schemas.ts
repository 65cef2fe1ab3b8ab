import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
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
        'The client seed of the first seed pair, drawn on your device. If absent, the server draws it and marks the pair.',
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
