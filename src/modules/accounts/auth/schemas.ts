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
});

/** Nothing longer is hashed. A character has up to four bytes, and more in the spelling that is hashed. */
const isHashable = (password: string) => Buffer.byteLength(password.normalize('NFKC')) <= 1024;

export const SignIn = z.strictObject({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1024).refine(isHashable, 'needs to be at most 1024 bytes'),
});

/** The current password as the caller states it: any text. */
export const PasswordGuess = z.string().max(128).refine(isHashable, 'needs to be at most 1024 bytes');

export const SignInResult = z.object({
  ...AuthSessionTokens.partial().shape,
  token: z.string().optional(),
  requireMfa: z.boolean().optional(),
  provider: z.string().optional(),
  state: z.string().optional(),
  mfaMethods: z
    .array(z.enum(['TOTP', 'PASSKEY', 'RECOVERY']))
    .optional()
    .meta({ description: 'What completes the sign-in: a code of the app, a passkey, a recovery code.' }),
});

export const RefreshHeaders = z.object({
  'refresh-token': z.string().min(1).max(512).optional().meta({ required: true }),
});

export const Session = object('SessionDto', {
  id: z.string(),
  current: z.boolean(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  ipAddress: z.string().nullable(),
  countryCode: z.string().nullable(),
  device: z.string().nullable(),
  browser: z.string().nullable(),
  os: z.string().nullable(),
});

export const SessionPath = z.strictObject({ id: z.string().min(1).max(64) });

export const RevokedSessions = z.object({ revoked: z.number().int() });
