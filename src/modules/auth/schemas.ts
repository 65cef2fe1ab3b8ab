import { z } from 'zod';
import { Timestamp } from '../../http/schemas.ts';
import { Email, Password, Username } from '../users/schemas.ts';

const AuthSessionToken = z
  .object({ token: z.string(), expiresAt: Timestamp })
  .meta({ id: 'AuthSessionTokenDto' });

export const AuthSessionTokens = z
  .object({ accessToken: AuthSessionToken, refreshToken: AuthSessionToken, socketToken: AuthSessionToken })
  .meta({ id: 'AuthSessionTokens' });

export const SignUp = z.strictObject({
  username: Username,
  password: Password,
  email: Email,
  isEmailNotificationsEnabled: z.boolean().optional(),
  affiliateCode: z.string().min(1).max(64).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
    .optional(),
  referrer: z.string().max(500).optional(),
});

export const SignIn = z.strictObject({
  email: z.string().min(1).max(254),
  // Nothing longer is hashed; a character has up to four bytes.
  password: z
    .string()
    .min(1)
    .max(1024)
    .refine((password) => Buffer.byteLength(password) <= 1024, 'needs to be at most 1024 bytes'),
});

export const SignInResult = z.object({
  accessToken: AuthSessionToken.optional(),
  refreshToken: AuthSessionToken.optional(),
  socketToken: AuthSessionToken.optional(),
  token: z.string().optional(),
  requireMfa: z.boolean().optional(),
  provider: z.string().optional(),
  state: z.string().optional(),
});

export const RefreshHeaders = z.object({
  'refresh-token': z.string().min(1).max(512).optional().meta({ required: true }),
});
