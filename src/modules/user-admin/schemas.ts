import { z } from 'zod';
import { Amount, CurrencyId, PageNumber, SortOrder, take } from '../../http/schemas.ts';
import { UserNote } from '../user-notes/schemas.ts';
import { UserAdminStats } from '../user-stats/schemas.ts';
import { HttpsLink, UserDto, Username } from '../users/schemas.ts';
import { Balance } from '../wallet/schemas.ts';

/** Largest id that there can be. */
export const UserId = z.number().int().min(1).max(2_147_483_647);

// The example belongs to nobody: whoever tries it out hits no account of others.
export const UserPath = z.object({ id: UserId.meta({ example: 2_000_000_000 }) });

const Level = z.number().int().min(0).max(32_767);
const Time = z.iso.datetime();
/** Text that PostgreSQL can store: a filter may arrive as JSON within JSON. */
export const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'has a NUL or half a character');

/** Texts are compared whole and whatever their case; times include their bounds. */
export const UserFilter = z
  .strictObject({
    id: UserId.optional(),
    username: text(64).optional(),
    email: text(254).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'needs to be a code of two letters such as "DE"')
      .optional(),
    ipAddress: text(45)
      .meta({ description: 'An address of one of his sessions or of his sign-up.' })
      .optional(),
    minVipLevel: Level.optional(),
    maxVipLevel: Level.optional(),
    kycLevel: Level.optional(),
    emailVerified: z.boolean().optional(),
    mfaEnabled: z.boolean().optional(),
    isStaff: z.boolean().optional(),
    isTest: z.boolean().optional(),
    isStreamer: z.boolean().optional(),
    isYoutuber: z.boolean().optional(),
    isPrivate: z.boolean().optional(),
    isSelfExcluded: z.boolean().optional(),
    affiliateCode: text(64).optional(),
    registeredFrom: Time.optional(),
    registeredTo: Time.optional(),
    lastLoginFrom: Time.optional(),
    lastLoginTo: Time.optional(),
  })
  .meta({ id: 'UserFilterDto' });

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
  where: z
    .string()
    .max(4000)
    .transform((json, context) => readFilter(json, context))
    .meta({ description: 'UserFilterDto as JSON text.', example: '{"kycLevel":1}' })
    .optional(),
});

function readFilter(json: string, context: z.core.$RefinementCtx): z.output<typeof UserFilter> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
  const filter = UserFilter.safeParse(value);
  if (filter.success) return filter.data;
  for (const issue of filter.error.issues) {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
    const message = issue.code === 'unrecognized_keys' ? 'is not a field of this filter' : issue.message;
    context.addIssue({ code: 'custom', path, message });
  }
  return z.NEVER;
}

export const UserListRow = z
  .object({
    ...UserDto.shape,
    isBanned: z.boolean(),
    banReason: z.string().nullable(),
    roles: z.array(z.string()).optional(),
    notes: z.array(UserNote).optional(),
    balances: z.array(Balance).optional(),
    statsUsd: UserAdminStats.optional(),
  })
  .meta({ id: 'UserListRow' });

export const UserUpdate = z
  .strictObject({
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
  })
  .meta({ id: 'UserUpdateByAdmin' });

export const UserBan = z
  .strictObject({ banReason: z.string().min(1).max(500).optional() })
  .meta({ id: 'UserBanDto' });

export const BalanceTarget = z.strictObject({ balance: Amount, currencyId: CurrencyId });

export const Avatar = z.string().meta({ description: 'The new avatar; empty when there is none.' });
