import { z } from 'zod';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { httpsUrl } from '../../../platform/net/schemas.ts';
import { event, events } from '../events/schemas.ts';

export const userErrors = errors({
  AUTH_USER_EXISTS: [409, 'This email or username is taken.'],
  USERNAME_RESERVED: [409, 'This username is reserved. Choose another one.'],
  PASSWORD_BREACHED: [
    400,
    'This password appeared in a data breach. Choose another one, and change it wherever you use it.',
  ],
  USER_NOT_FOUND: [404, 'This user does not exist.'],
  STAFF_NAME_FIXED: [
    403,
    "Only a superadmin can change a staff member's username. Use PATCH /admin/user/{id}.",
  ],
  BOT_ACCOUNT: [409, 'This is a bot account. Bots cannot receive money, permissions or API keys.'],
  NOTHING_TO_CHANGE: [400, 'There is nothing to change. Send at least one field or an image.'],
  AVATAR_NOT_UPLOADED: [
    400,
    'Upload the avatar as multipart/form-data in the field `image`; URLs are not accepted.',
  ],
});

export const USERNAME_RULE = { minLength: 3, maxLength: 20, pattern: '^[A-Za-z0-9_]+$' } as const;
export const PASSWORD_RULE = { minLength: 8, maxLength: 128 } as const;
export const Username = z
  .string()
  .regex(/^[A-Za-z0-9_]{3,20}$/, 'needs 3 to 20 letters, digits or underscores')
  .refine((name) => name.toLowerCase() !== 'me', 'is reserved');
export const Email = z.email().max(254);
export const Password = z.string().min(PASSWORD_RULE.minLength).max(PASSWORD_RULE.maxLength);

/** A language tag as browsers send it: `en`, `pt-BR`, `es-419`, `zh-Hans-CN`. */
export const Language = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'needs a language such as `en` or `pt-BR`')
  .meta({ example: 'en' });
/** A public https URL without a password or port. The host is a domain name with a top-level domain, not an IP address. */
export const HttpsLink = httpsUrl(
  300,
  /^https:\/\/([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(\/[\w.~!$&'()*+,;=:@%/?#-]*)?$/,
);

export const UserId = z.number().int().min(1).max(2_147_483_647);

export const UserDto = object('UserDto', {
  exp: z
    .string()
    .meta({ description: 'VIP progress: the USD amount wagered that counts towards VIP levels.' }),
  permissions: z.array(z.string()),
  id: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  username: z.string(),
  isPrivate: z.boolean(),
  email: z.string(),
  emailVerified: z.boolean(),
  lastLoginAt: Timestamp.nullable(),
  avatar: z.string(),
  mfaSecret: z.string(),
  vipLevel: z.number(),
  platformId: z.string(),
  platformTradeLink: z.string(),
  idpEmail: z.string(),
  isStreamer: z.boolean(),
  isStreamerMode: z.boolean(),
  isStaff: z.boolean(),
  isYoutuber: z.boolean(),
});

export const SelfExclude = object('SelfExcludeDto', {
  isActive: z.boolean(),
  id: z.number().nullable(),
  userId: z.number(),
  expiresAt: Timestamp.nullable(),
  reason: z.string().nullable(),
  createdAt: Timestamp.nullable(),
  updatedAt: Timestamp.nullable(),
});

export const PublicUser = object('PublicUser', {
  id: z.number().int(),
  username: z.string().optional(),
  country: z.string().nullable(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  avatar: z.string().nullable(),
  language: z.string().nullable(),
  vipLevel: z.number(),
  balances: object('BalancesSummary', { usd: Decimal, vaultUsd: Decimal }),
  kycLevel: z.number(),
  mfaEnabled: z.boolean(),
  isPrivate: z.boolean(),
  isStreamer: z.boolean(),
  isStreamerMode: z.boolean(),
  isEmailNotificationsEnabled: z.boolean(),
  isStaff: z.boolean(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()).meta({
    description: "The permissions in effect now: those of the user's roles and those granted directly.",
  }),
  platformTradeLink: z.string().nullable(),
  selfExclusion: SelfExclude.nullable(),
  createdAt: Timestamp,
});

/** A user as returned by staff operations. */
export const ShortPrivateUser = object('ShortPrivateUser', {
  id: z.number().int(),
  username: z.string(),
  email: z.string().nullable(),
  avatar: z.string().nullable(),
  vipLevel: z.number(),
});

export const RiskLevel = z.enum(['NONE', 'LOW', 'MEDIUM', 'HIGH']);

/** A note that staff wrote about a user. */
export const UserNote = object('UserNote', {
  riskLevel: RiskLevel,
  id: z.number().int(),
  note: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: ShortPrivateUser,
  user: ShortPrivateUser,
});

export const ShortPublicUser = object('ShortPublicUser', {
  id: z.number().int().nullable(),
  username: z.string(),
  avatar: z.string().nullable(),
  vipLevel: z.number().nullable(),
  isPrivate: z.boolean(),
});

export const userEvents = events({
  'user.updated': event(
    'internal',
    'The owner or staff changed an account. Read the account to see the change.',
    z.strictObject({}),
  ),
  'user.consents': event('internal', "A player's marketing consents have changed.", z.strictObject({})),
  'user.blocks': event(
    'internal',
    'A ban or self-exclusion of a player has started or ended.',
    z.strictObject({ block: z.enum(['BANNED', 'EXCLUDED']), isActive: z.boolean() }),
  ),
});
