import { z } from 'zod';
import {
  Amount,
  Decimal,
  Moment,
  object,
  PageNumber,
  page,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, ShortPublicUser, UserDto, UserId } from '../../base/users/schemas.ts';

const Count = z.number().int();

export const AffiliateCode = object('AffiliateCode', {
  id: z.string().meta({ description: 'The code itself, as its owner writes it.', example: 'lucky-7' }),
  usersCount: Count.optional().meta({ description: 'How many signed up with it.' }),
});

export const AffiliateLevel = object('AffiliateLevel', {
  id: Count,
  name: z.string(),
  commission: z.string().meta({ description: 'Percent of the house edge.', example: '7.5' }),
  minWageredUsdAmount: Decimal,
  minReferralCountForClaim: Count,
});

export const AffiliateSummary = object('AffiliateSummary', {
  usersWageredUsdAmount: Decimal,
  referralCount: Count,
  activeReferrals: Count.meta({ description: 'Who bet today or within the days of the setting activeDays.' }),
  canClaim: z.boolean(),
  currentLevel: AffiliateLevel,
  nextLevel: AffiliateLevel.nullable(),
});

export const AffiliateOverview = object('AffiliateOverview', {
  totalClaimedUsdAmount: Decimal,
  claimableUsdAmount: Decimal,
  totalWageredUsdAmount: Decimal,
  referrals: Count,
});

const AffiliateReferralStats = object('AffiliateReferralStats', {
  total: Count,
  active: Count,
  wageredUsdAmount: Decimal,
  depositedUsdAmount: Decimal,
});

export const AffiliateExtended = object('AffiliateExtended', {
  earnedCommissions: Decimal,
  unclaimedCommissions: Decimal.meta({
    description: 'Earned and not claimed, held back or not yet ripe too.',
  }),
  userId: UserId,
  level: AffiliateLevel.nullable(),
  referrals: AffiliateReferralStats,
  user: UserDto,
});

export const AffiliateClaim = object('AffiliateClaim', {
  id: z.string().meta({ description: 'The entry of the ledger.' }),
  usdAmount: Decimal,
  currencyId: z.string(),
  amount: Decimal,
  createdAt: Timestamp,
});

const referral = {
  code: z.string().nullable(),
  wageredUsdAmount: Decimal,
  earnedUsdAmount: Decimal,
  createdAt: Timestamp,
};

export const AffiliateUserRow = object('AffiliateUserRow', {
  ...referral,
  user: ShortPublicUser,
  isActive: z.boolean(),
});

export const AdminAffiliateUserRow = object('AdminAffiliateUserRow', {
  ...referral,
  userId: UserId,
  user: ShortPrivateUser,
  affiliateUserId: UserId,
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  isActive: z.boolean(),
  lastBetAt: Timestamp.nullable(),
});

export const StreamerReferralRow = object('StreamerReferralRow', {
  ...referral,
  userId: UserId,
  user: ShortPrivateUser,
  streamerUserId: UserId,
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  ggrUsdAmount: Decimal,
  lastBetAt: Timestamp.nullable(),
});

const affiliate = {
  userId: UserId,
  user: ShortPrivateUser,
  level: AffiliateLevel.nullable(),
  codes: z.array(AffiliateCode),
  referralCount: Count,
  activeReferrals: Count,
  usersWageredUsdAmount: Decimal,
  earnedUsdAmount: Decimal,
  claimableUsdAmount: Decimal,
};

export const AdminAffiliateRow = object('AdminAffiliateRow', {
  ...affiliate,
  totalClaimedUsdAmount: Decimal,
});

export const StreamerRow = object('StreamerRow', {
  ...affiliate,
  ftdCount: Count.meta({ description: 'Referrals who have paid in.' }),
  depositedUsdAmount: Decimal,
  ggrUsdAmount: Decimal,
});

export const ExternalReferralRow = object('ExternalReferralRow', {
  wagered: Decimal,
  deposited: Decimal,
  id: UserId.optional().meta({ description: 'Absent for players who hide.' }),
  username: z.string(),
  avatar: z.string().optional(),
});

export const Streamer = z.object({ level: AffiliateLevel.nullable(), codes: z.array(AffiliateCode) });

export const SORTS = ['createdAt', 'wageredUsdAmount', 'earnedUsdAmount'] as const;

const list = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(20) };
const sorted = { sortBy: z.enum(SORTS).default('createdAt'), ...list };
const sortedForStaff = { ...sorted, take: take(100) };

export const ReferralQuery = z.strictObject(sorted);
export const ClaimQuery = z.strictObject({
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  ...list,
});

/** How long a code may be is a setting. */
const CodeId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'needs letters, digits, - and _')
  .meta({ example: 'lucky-7' });

export const NewCode = z.strictObject({ id: CodeId });
export const NewCodeOf = z.strictObject({ id: CodeId, userId: UserId });
export const CodeToDelete = z.strictObject({ id: CodeId.meta({ example: 'last-summer' }) });

const AffiliateFilter = strictObject('FindManyAffiliateWhere', {
  userId: UserId.optional(),
  username: text(64).optional(),
  email: text(254).optional(),
  code: CodeId.optional(),
  levelId: z.number().int().min(1).max(100).optional(),
  search: text(64).meta({ description: 'Part of the username, or the id.' }).optional(),
  minReferralCount: z.number().int().min(0).max(2_147_483_647).optional(),
  minUsersWageredUsdAmount: Amount.optional(),
});

const ReferralFilter = strictObject('FindManyAffiliateUsersWhere', {
  affiliateUserId: UserId.optional(),
  code: CodeId.optional(),
  search: text(64).meta({ description: 'Part of the username, or the id.' }).optional(),
  isActive: z.boolean().optional(),
  startDate: Moment.optional().meta({ description: 'Signed up then or later.' }),
  endDate: Moment.optional().meta({ description: 'Signed up then or before.' }),
});

export const AffiliateList = z.strictObject({ ...sortedForStaff, where: AffiliateFilter.optional() });
export const ReferralList = z.strictObject({ ...sortedForStaff, where: ReferralFilter });
export const ReferralListOfAny = z.strictObject({ ...sortedForStaff, where: ReferralFilter.optional() });
export const StreamerList = z.strictObject(sortedForStaff);

export const OneAffiliate = z.strictObject({
  where: z
    .strictObject({
      userId: UserId.optional(),
      username: text(64).optional(),
      code: CodeId.optional(),
    })
    .refine((where) => Object.values(where).filter((value) => value !== undefined).length === 1, {
      message: 'needs exactly one field',
    })
    .meta({ id: 'FindOneAffiliateWhere', example: { userId: 2_000_000_000 } }),
});

export const StreamerPath = z.object({ id: UserId });

export const ReportQuery = z.strictObject({
  codes: z.array(CodeId).min(1).max(100),
  startDate: Moment.optional().meta({ description: 'The report begins with this UTC day.' }),
  endDate: Moment.optional().meta({ description: 'It ends with this UTC day, which is included.' }),
});
export const ApiKeyHeaders = z.object({
  'x-api-key': z.string().meta({ description: "A partner's API key." }),
});

export const ClaimPage = page(AffiliateClaim);
export const ReferralPage = page(AffiliateUserRow);
export const AffiliatePage = page(AdminAffiliateRow);
export const AdminReferralPage = page(AdminAffiliateUserRow);
export const StreamerPage = page(StreamerRow);
export const StreamerReferralPage = page(StreamerReferralRow);
