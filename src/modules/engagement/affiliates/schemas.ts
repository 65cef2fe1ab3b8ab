import { z } from 'zod';
import {
  Decimal,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Time,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';

export const affiliateErrors = errors({
  AFFILIATE_CODE_NOT_FOUND: [404, 'This affiliate code does not exist.'],
  AFFILIATE_CODE_TAKEN: [409, 'This code is taken or was used before. Choose another one.'],
  AFFILIATE_CODES_FULL: [409, 'This account has the maximum number of codes; see `details.most`.'],
  AFFILIATE_NOTHING_TO_CLAIM: [409, 'The claimable commission is below the minimum claim.'],
  AFFILIATE_CLAIM_LOCKED: [409, 'You need more referrals to claim; see `details.required`.'],
  AFFILIATES_DISABLED: [409, 'The affiliate program accepts no new codes at the moment.'],
  REPORT_TOO_LONG: [400, 'The report covers too many rows. Request fewer codes or fewer days.'],
});

export const Count = z.number().int();

/** The id of a code. The permitted length is a setting. */
export const CodeId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'needs letters, digits, - and _')
  .meta({ example: 'lucky-7' });

export const AffiliateCode = object('AffiliateCode', {
  id: z.string().meta({ description: "The code in its owner's spelling.", example: 'lucky-7' }),
  usersCount: Count.optional().meta({ description: 'The number of players who signed up with this code.' }),
});

export const AffiliateLevel = object('AffiliateLevel', {
  id: Count,
  name: z.string(),
  commission: z.string().meta({ description: 'Percentage of the house edge.', example: '7.5' }),
  minWageredUsdAmount: Decimal,
  minReferralCountForClaim: Count,
});

export const AffiliateSummary = object('AffiliateSummary', {
  usersWageredUsdAmount: Decimal,
  referralCount: Count,
  activeReferrals: Count.meta({
    description: 'Referrals who placed a bet today or within the last `activeDays` days (a setting).',
  }),
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

export const AffiliateClaim = object('AffiliateClaim', {
  id: z.string().meta({ description: 'The id of the ledger entry.' }),
  usdAmount: Decimal,
  currencyId: z.string(),
  amount: Decimal,
  createdAt: Timestamp,
});

export const referralFields = {
  code: z.string().nullable(),
  wageredUsdAmount: Decimal,
  earnedUsdAmount: Decimal,
  createdAt: Timestamp,
};

export const affiliateFields = {
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

export const SORTS = ['createdAt', 'wageredUsdAmount', 'earnedUsdAmount'] as const;

export const paging = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(20) };
export const sorting = { sortBy: z.enum(SORTS).default('createdAt'), ...paging };
export const staffSorting = { ...sorting, take: take(100) };

export const ReferralFilter = strictObject('FindManyAffiliateUsersWhere', {
  affiliateUserId: UserId.optional(),
  code: CodeId.optional(),
  search: text(64).meta({ description: 'Part of the username, or the id.' }).optional(),
  isActive: z.boolean().optional(),
  startDate: Time.optional().meta({ description: 'Earliest sign-up time.' }),
  endDate: Time.optional().meta({ description: 'Latest sign-up time.' }),
});
export type ReferralFilter = z.output<typeof ReferralFilter>;
