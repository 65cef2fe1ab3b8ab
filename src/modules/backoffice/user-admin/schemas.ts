import { z } from 'zod';
import { strictObject, Time, text } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { UserId } from '../../base/users/schemas.ts';
import { Tag } from '../user-notes/schemas.ts';

export const userAdminErrors = errors({
  USER_ALREADY_BANNED: [409, 'This user is already banned.'],
  USER_NOT_BANNED: [409, 'This user is not banned.'],
  USER_WITHOUT_MFA: [409, 'This user has no second factor.'],
  STAFF_HAS_RIGHTS: [409, 'Remove the roles and permissions of this user first.'],
  ERASURE_REFUSED: [409, 'This account has open items. Settle everything in details.reasons first.'],
  ERASED_BY_NOBODY: [409, 'Pass the id of the responsible staff account with --by.'],
  PAGE_TOO_DEEP: [
    400,
    'Only the first and last pages of this list can be read. Narrow the filters or sort by id.',
  ],
});

// No account has the example id, so requests that use the example values of the API reference affect no one.
export const UserPath = z.object({ id: UserId.meta({ example: 2_000_000_000 }) });

const Level = z.number().int().min(0).max(32_767);
/** Text fields must match completely, ignoring letter case. Time bounds are inclusive. */
export const UserFilter = strictObject('UserFilterDto', {
  id: UserId.optional(),
  username: text(64).optional(),
  email: text(254).optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code such as "DE"')
    .optional(),
  ipAddress: text(45).meta({ description: 'The IP address of a session or of the sign-up.' }).optional(),
  minVipLevel: Level.optional(),
  maxVipLevel: Level.optional(),
  kycLevel: Level.optional(),
  emailVerified: z.boolean().optional(),
  mfaEnabled: z.boolean().optional(),
  isStaff: z.boolean().optional(),
  isTest: z.boolean().optional(),
  isBot: z.boolean().optional(),
  isStreamer: z.boolean().optional(),
  isYoutuber: z.boolean().optional(),
  isPrivate: z.boolean().optional(),
  isSelfExcluded: z.boolean().optional(),
  affiliateCode: text(64).optional(),
  tag: Tag.optional(),
  registeredFrom: Time.optional(),
  registeredTo: Time.optional(),
  lastLoginFrom: Time.optional(),
  lastLoginTo: Time.optional(),
});

export const SORTS = ['id', 'createdAt', 'lastLoginAt', 'username', 'email', 'vipLevel', 'kycLevel'] as const;
