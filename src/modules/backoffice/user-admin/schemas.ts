import { z } from 'zod';
import { strictObject, Time, text } from '../../../http/schemas.ts';
import { UserId } from '../../base/users/schemas.ts';

// No account has the example id, so requests with the example values in the API reference affect no one.
export const UserPath = z.object({ id: UserId.meta({ example: 2_000_000_000 }) });

const Level = z.number().int().min(0).max(32_767);
/** Text fields must match completely; letter case is ignored. Time bounds are inclusive. */
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
  registeredFrom: Time.optional(),
  registeredTo: Time.optional(),
  lastLoginFrom: Time.optional(),
  lastLoginTo: Time.optional(),
});

export const SORTS = ['id', 'createdAt', 'lastLoginAt', 'username', 'email', 'vipLevel', 'kycLevel'] as const;
