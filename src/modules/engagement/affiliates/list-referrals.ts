import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, estimated, estimatedPage, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { listErrors } from '../../../platform/errors.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';
import { type Sight, shortUsers, sightOf, toShortPublicUser, usersById } from '../../base/users/service.ts';
import type { AffiliateDeps } from './accounts.ts';
import { activeReferrals, readReferrals, toReferral } from './referrals.ts';
import { ReferralFilter, referralFields, sorting, staffSorting } from './schemas.ts';
import { formatUsd } from './view.ts';

const AffiliateUserRow = object('AffiliateUserRow', {
  ...referralFields,
  user: ShortPublicUser,
  isActive: z.boolean(),
});

export const listOwnReferrals = operation({
  method: 'GET',
  path: '/affiliate/users',
  tag: 'Affiliate',
  access: 'auth',
  isHistory: true,
  summary: 'List your referrals',
  description: 'The first 10,000 rows can be read in any order.',
  query: z.strictObject(sorting),
  response: estimatedPage(AffiliateUserRow),
  handler: async (deps: AffiliateDeps, { user: { id: userId }, query }) => {
    const { rows, found } = await readReferrals(deps, { affiliateUserId: userId }, query);
    const isActive = activeReferrals(deps);
    const userIds = rows.map((row) => row.user_id);
    const users = await usersById(deps.db, userIds);
    const referrals = rows.map((row) => ({
      ...toReferral(row),
      user: toShortPublicUser(users.get(row.user_id)!, userId),
      isActive: isActive(row),
    }));
    return estimated(referrals, query, found);
  },
});

const FilteredList = z.strictObject({ ...staffSorting, where: ReferralFilter });
const List = z.strictObject({ ...staffSorting, where: ReferralFilter.optional() });
type List = z.output<typeof List>;

const staffFields = {
  ...referralFields,
  userId: UserId,
  user: ShortPrivateUser,
};

const AdminAffiliateUserRow = object('AdminAffiliateUserRow', {
  ...staffFields,
  affiliateUserId: UserId,
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  isActive: z.boolean(),
  lastBetAt: Timestamp.nullable(),
});

const StreamerReferralRow = object('StreamerReferralRow', {
  ...staffFields,
  streamerUserId: UserId,
  depositedUsdAmount: Decimal,
  withdrawnUsdAmount: Decimal,
  ggrUsdAmount: Decimal,
  lastBetAt: Timestamp.nullable(),
});

const listing = {
  method: 'POST',
  access: { permission: 'affiliate.read' },
  gate: 'none',
  status: 200,
  description:
    'The first 10,000 rows can be read in any order. `total` is exact up to 1,000, and for all referrals of one affiliate; otherwise it is an estimate.',
  errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE],
} as const;

export const listReferrals = operation({
  ...listing,
  path: '/admin/affiliate/users',
  tag: 'Admin Affiliate',
  summary: 'List referrals with filters and sorting',
  body: FilteredList,
  response: estimatedPage(AdminAffiliateUserRow),
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { rows, found } = await readRows(deps, body, { sight: sightOf(by.user) });
    const isActive = activeReferrals(deps);
    const referrals = rows.map(({ row, shared }) => ({
      ...shared,
      affiliateUserId: row.affiliate_user_id,
      isActive: isActive(row),
    }));
    return estimated(referrals, body, found);
  },
});

/** In the backoffice the filter is optional and the status is 201. */
export const listReferralsInBackoffice = { ...listReferrals, body: List, status: 201 as const };

export const listStreamerReferrals = operation({
  ...listing,
  path: '/admin/affiliate/streamer/referrals',
  tag: 'Admin Affiliate Streamer',
  summary: "List streamers' referrals with filters and sorting",
  body: List,
  response: estimatedPage(StreamerReferralRow),
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { rows, found } = await readRows(deps, body, { sight: sightOf(by.user), ofStreamers: true });
    const referrals = rows.map(({ row, shared }) => ({
      ...shared,
      streamerUserId: row.affiliate_user_id,
      ggrUsdAmount: formatUsd(row.ggr_usd),
    }));
    return estimated(referrals, body, found);
  },
});

async function readRows(
  deps: AffiliateDeps,
  { where = {}, ...request }: List,
  { sight, ofStreamers = false }: { sight: Sight; ofStreamers?: boolean },
) {
  const { rows, found } = await readReferrals(deps, where, { ...request, ofStreamers });
  const userIds = rows.map((row) => row.user_id);
  const users = await shortUsers(deps.db, userIds, sight);
  return {
    found,
    rows: rows.map((row) => ({
      row,
      shared: {
        ...toReferral(row),
        userId: row.user_id,
        user: users.get(row.user_id)!,
        depositedUsdAmount: formatUsd(row.deposited_usd),
        withdrawnUsdAmount: formatUsd(row.withdrawn_usd),
        lastBetAt: row.last_bet_at && iso(row.last_bet_at),
      },
    })),
  };
}
