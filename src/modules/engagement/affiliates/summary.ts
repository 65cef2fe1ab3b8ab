import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { findUserByUsername, getUser, type Sight, toUserDto } from '../../base/users/service.ts';
import { type Account, accountsOf, type Level, minClaimOf } from './accounts.ts';
import { codesOf, findOwner } from './codes.ts';
import { affiliateErrors } from './errors.ts';
import { refusalOfClaim } from './rules.ts';
import type {
  AffiliateExtended,
  AffiliateLevel,
  AffiliateOverview,
  AffiliateSummary,
  OneAffiliate,
  Streamer,
} from './schemas.ts';

export type ReadDeps = { db: Db; siteConfig: SiteConfig; clock: Clock };
type Which = z.output<typeof OneAffiliate>['where'];

/** What one affiliate is and has earned. */
export const createSummaries = (deps: ReadDeps) => ({
  levels: (): z.input<typeof AffiliateLevel>[] => deps.siteConfig.get('AFFILIATES').levels.map(toLevel),
  summary: (userId: number) => summaryOf(deps, userId),
  overview: (userId: number) => overviewOf(deps, userId),
});

/** The same of whom staff names, by one field. They throw 404 USER_NOT_FOUND, AFFILIATE_CODE_NOT_FOUND. */
export function createFinds(deps: ReadDeps) {
  const { db } = deps;
  return {
    findOne: async (where: Which) => summaryOf(deps, await userOf(db, where)),
    findStats: async (where: Which) => overviewOf(deps, await userOf(db, where)),
    async findExtended(where: Which, sight: Sight): Promise<z.input<typeof AffiliateExtended>> {
      const userId = await userOf(db, where);
      const [account, user] = [await accountOf(deps, userId), await getUser(db, userId)];
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
        user: toUserDto(user, sight),
      };
    },

    /** Throws 404 USER_NOT_FOUND for whoever is no streamer, too. */
    async streamer(userId: number): Promise<z.input<typeof Streamer>> {
      if (!(await getUser(db, userId)).is_streamer) throw userErrors.USER_NOT_FOUND({ userId });
      const { current } = await accountOf(deps, userId);
      return { level: toLevel(current), codes: (await codesOf(db, [userId])).get(userId) ?? [] };
    },
  };
}

async function accountOf(deps: ReadDeps, userId: number): Promise<Account> {
  const account = (await readAccounts(deps, [userId])).get(userId);
  if (!account) throw userErrors.USER_NOT_FOUND({ userId });
  return account;
}

async function summaryOf(deps: ReadDeps, userId: number): Promise<z.input<typeof AffiliateSummary>> {
  const account = await accountOf(deps, userId);
  const { current, next, referralCount, claimableUsd } = account;
  const required = current.minReferralCountForClaim;
  const minClaimUsd = minClaimOf(deps.siteConfig.get('AFFILIATES'));
  return {
    usersWageredUsdAmount: formatUnits(account.wageredUsd),
    referralCount,
    activeReferrals: account.activeReferrals,
    canClaim: !refusalOfClaim({ claimableUsd, minClaimUsd, referralCount, required }),
    currentLevel: toLevel(current),
    nextLevel: next && toLevel(next),
  };
}

async function overviewOf(deps: ReadDeps, userId: number): Promise<z.input<typeof AffiliateOverview>> {
  const account = await accountOf(deps, userId);
  return {
    totalClaimedUsdAmount: formatUnits(account.claimedUsd),
    claimableUsdAmount: formatUnits(account.claimableUsd),
    totalWageredUsdAmount: formatUnits(account.wageredUsd),
    referrals: account.referralCount,
  };
}

/** As they are now. */
export const readAccounts = ({ db, siteConfig, clock }: ReadDeps, userIds: readonly number[]) =>
  accountsOf(db, userIds, { settings: siteConfig.get('AFFILIATES'), now: new Date(clock.now()) });

export const toLevel = (level: Level): z.input<typeof AffiliateLevel> => ({
  id: level.id,
  name: level.name,
  commission: level.commissionPercent,
  minWageredUsdAmount: level.minWageredUsdAmount,
  minReferralCountForClaim: level.minReferralCountForClaim,
});

async function userOf(db: Db, { userId, username, code }: Which): Promise<number> {
  if (code !== undefined) {
    const owner = await findOwner(db, code);
    if (owner === undefined) throw affiliateErrors.AFFILIATE_CODE_NOT_FOUND({ id: code });
    return owner;
  }
  const found = username === undefined ? userId : (await findUserByUsername(db, username))?.id;
  if (found === undefined) throw userErrors.USER_NOT_FOUND();
  return found;
}
