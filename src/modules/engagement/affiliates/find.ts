import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, text } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { UserDto, UserId, userErrors } from '../../base/users/schemas.ts';
import { findUserByUsername, getUser, sightOf, toUserDto, vipProgressOf } from '../../base/users/service.ts';
import { type AffiliateDeps, getAccount } from './accounts.ts';
import { keyOf } from './rules.ts';
import {
  AffiliateLevel,
  AffiliateOverview,
  AffiliateSummary,
  affiliateErrors,
  CodeId,
  Count,
} from './schemas.ts';
import { overviewOf, summaryOf, toLevel } from './view.ts';

const OneAffiliate = z.strictObject({
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

const AffiliateReferralStats = object('AffiliateReferralStats', {
  total: Count,
  active: Count,
  wageredUsdAmount: Decimal,
  depositedUsdAmount: Decimal,
});

const AffiliateExtended = object('AffiliateExtended', {
  earnedCommissions: Decimal,
  unclaimedCommissions: Decimal.meta({
    description: 'Earned but not claimed, including held and not yet claimable amounts.',
  }),
  userId: UserId,
  level: AffiliateLevel.nullable(),
  referrals: AffiliateReferralStats,
  user: UserDto,
});

const finding = {
  method: 'POST',
  tag: 'Admin Affiliate',
  access: { permission: 'affiliate.read' },
  gate: 'none',
  description:
    'The request must contain exactly one field that identifies the affiliate. Deleted codes are accepted too.',
  body: OneAffiliate,
  errors: [userErrors.USER_NOT_FOUND, affiliateErrors.AFFILIATE_CODE_NOT_FOUND],
} as const;

export const findAffiliate = operation({
  ...finding,
  path: '/admin/affiliate/find-one',
  summary: "Get an affiliate's level and referrals",
  response: AffiliateSummary,
  handler: async (deps: AffiliateDeps, { body }) => summaryOf(deps, await userIdOf(deps.db, body.where)),
});

export const findAffiliateStats = operation({
  ...finding,
  path: '/admin/affiliate/find-one-stats',
  summary: "Get an affiliate's claimed and claimable commission",
  response: AffiliateOverview,
  handler: async (deps: AffiliateDeps, { body }) => overviewOf(deps, await userIdOf(deps.db, body.where)),
});

export const findAffiliateExtended = operation({
  ...finding,
  path: '/admin/affiliate/find-one-extended',
  summary: 'Get an affiliate with their account and total commission',
  response: AffiliateExtended,
  handler: async (deps: AffiliateDeps, { by, body }) => {
    const { db } = deps;
    const userId = await userIdOf(db, body.where);
    const [account, user] = [await getAccount(deps, userId), await getUser(db, userId)];
    return {
      earnedCommissions: formatUnits(account.earnedUsd + account.heldUsd),
      unclaimedCommissions: formatUnits(account.earnedUsd + account.heldUsd - account.claimedUsd),
      userId,
      level: toLevel(account.current),
      referrals: {
        total: account.referralCount,
        active: account.activeReferrals,
        wageredUsdAmount: formatUnits(account.wageredUsd),
        depositedUsdAmount: formatUnits(account.depositedUsd),
      },
      user: toUserDto(user, sightOf(by.user), (await vipProgressOf(db, [userId]))(userId)),
    };
  },
});

async function userIdOf(
  db: Db,
  { userId, username, code }: z.output<typeof OneAffiliate>['where'],
): Promise<number> {
  if (code !== undefined) {
    const owner = await findOwner(db, code);
    if (owner === undefined) throw affiliateErrors.AFFILIATE_CODE_NOT_FOUND({ id: code });
    return owner;
  }
  const found = username === undefined ? userId : (await findUserByUsername(db, username))?.id;
  if (found === undefined) throw userErrors.USER_NOT_FOUND();
  return found;
}

/** Returns the owner of a code, even if the code is deleted. */
async function findOwner(db: Db, code: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('affiliate_codes')
    .select('user_id')
    .where('key', '=', keyOf(code) ?? '')
    .executeTakeFirst();
  return row?.user_id;
}
