import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  jsonText,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  take,
  text,
} from '../../../http/schemas.ts';
import { HttpsLink, UserDto, UserId, UserNote, Username } from '../../base/users/schemas.ts';
import { UserAdminStats } from '../../engagement/user-stats/schemas.ts';
import { Balance } from '../../money/wallet/schemas.ts';

// The example belongs to nobody: whoever tries it out hits no account of others.
export const UserPath = z.object({ id: UserId.meta({ example: 2_000_000_000 }) });

const Level = z.number().int().min(0).max(32_767);
const Time = z.iso.datetime();
/** Texts are compared whole and whatever their case; times include their bounds. */
export const UserFilter = strictObject('UserFilterDto', {
  id: UserId.optional(),
  username: text(64).optional(),
  email: text(254).optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'needs to be a code of two letters such as "DE"')
    .optional(),
  ipAddress: text(45)
    .meta({ description: 'An address of one of their sessions or of their sign-up.' })
    .optional(),
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

const list = {
  sortBy: z.enum(SORTS),
  sortOrder: SortOrder,
  withPermissions: z.boolean(),
  withRoles: z.boolean(),
  withNotes: z.boolean(),
  withBalance: z.boolean(),
  withStatsUsd: z.boolean(),
  isBanned: z.boolean().optional(),
  role: text(64).optional(),
  search: text(64).meta({ description: 'Part of the username or e-mail address, or the id.' }).optional(),
  page: PageNumber,
  take: take(100),
};

export const UserList = z.strictObject({ ...list, where: UserFilter.optional() });

/** The same in a query: the filter is JSON text. */
export const UserListQuery = z.strictObject({
  ...list,
  where: jsonText(UserFilter)
    .meta({ description: 'UserFilterDto as JSON text.', example: '{"kycLevel":1}' })
    .optional(),
});

export const UserListRow = object('UserListRow', {
  ...UserDto.shape,
  isBanned: z.boolean(),
  banReason: z.string().nullable(),
  roles: z.array(z.string()).optional(),
  notes: z.array(UserNote).optional(),
  balances: z.array(Balance).optional(),
  statsUsd: UserAdminStats.optional(),
});

export const UserUpdate = strictObject('UserUpdateByAdmin', {
  username: Username.optional(),
  isStaff: z.boolean().optional(),
  isYoutuber: z.boolean().optional(),
  isTest: z.boolean().optional(),
  isStreamer: z.boolean().optional(),
  canUseChat: z.boolean().optional(),
  isPrivate: z.boolean().optional(),
  isStreamerMode: z.boolean().optional(),
  isEmailNotificationsEnabled: z.boolean().optional(),
  customMinAffiliateLevel: z.number().int().min(0).max(1000).nullable().optional(),
  platformTradeLink: HttpsLink.nullable().optional(),
});

export const UserBan = strictObject('UserBanDto', { banReason: z.string().min(1).max(500).optional() });

export const MfaReset = strictObject('MfaResetDto', { reason: z.string().trim().min(1).max(500) });

export const BalanceTarget = z.strictObject({
  balance: Amount,
  currencyId: CurrencyId,
  reason: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Why: the audit keeps it. Needed where a second person is.' }),
});

export const Avatar = z.string().meta({ description: 'The new avatar; empty when there is none.' });
