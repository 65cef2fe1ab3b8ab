import type { z } from 'zod';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { type Account, getAccount, type Level, minClaimOf, type ReadDeps, readAccounts } from './accounts.ts';
import { keyOf, refusalOfClaim } from './rules.ts';
import {
  type AffiliateCode,
  type AffiliateLevel,
  type AffiliateOverview,
  type AffiliateSummary,
  affiliateErrors,
} from './schemas.ts';

export const formatUsd = (text: string): string => formatUnits(BigInt(text));

export const toLevel = (level: Level): z.input<typeof AffiliateLevel> => ({
  id: level.id,
  name: level.name,
  commission: level.commissionPercent,
  minWageredUsdAmount: level.minWageredUsdAmount,
  minReferralCountForClaim: level.minReferralCountForClaim,
});

export const levelsOf = ({ siteConfig }: Pick<ReadDeps, 'siteConfig'>): z.input<typeof AffiliateLevel>[] =>
  siteConfig.get('AFFILIATES').levels.map(toLevel);

export async function summaryOf(deps: ReadDeps, userId: number): Promise<z.input<typeof AffiliateSummary>> {
  const account = await getAccount(deps, userId);
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

export async function overviewOf(deps: ReadDeps, userId: number): Promise<z.input<typeof AffiliateOverview>> {
  const account = await getAccount(deps, userId);
  return {
    totalClaimedUsdAmount: formatUnits(account.claimedUsd),
    claimableUsdAmount: formatUnits(account.claimableUsd),
    totalWageredUsdAmount: formatUnits(account.wageredUsd),
    referrals: account.referralCount,
  };
}

/** Returns the rows that the lists of affiliates and of streamers share, each with its account, in the order of the ids. */
export async function affiliateRows(deps: ReadDeps, ids: readonly number[], sight: Sight) {
  const [accounts, codes, users] = [
    await readAccounts(deps, ids),
    await codesOf(deps.db, ids),
    await shortUsers(deps.db, ids, sight),
  ];
  return ids.map((id) => {
    const account = accounts.get(id)!;
    return { account, row: { ...toRow(account), user: users.get(id)!, codes: codes.get(id) ?? [] } };
  });
}

const toRow = (account: Account) => ({
  userId: account.userId,
  level: toLevel(account.current),
  referralCount: account.referralCount,
  activeReferrals: account.activeReferrals,
  usersWageredUsdAmount: formatUnits(account.wageredUsd),
  earnedUsdAmount: formatUnits(account.earnedUsd),
  claimableUsdAmount: formatUnits(account.claimableUsd),
});

type Code = z.input<typeof AffiliateCode>;

/**
 * Stores a code. Throws 409 AFFILIATES_DISABLED, AFFILIATE_CODES_FULL or AFFILIATE_CODE_TAKEN, or 400 VALIDATION_FAILED for a wrong length.
 */
export async function insertCode(
  tx: Tx,
  { siteConfig }: Pick<ReadDeps, 'siteConfig'>,
  { id, userId }: { id: string; userId: number },
): Promise<Code> {
  const { isEnabled, codeMinLength, codeMaxLength, maxCodesPerUser: most } = siteConfig.get('AFFILIATES');
  if (!isEnabled) throw affiliateErrors.AFFILIATES_DISABLED();
  if (id.length < codeMinLength || id.length > codeMaxLength)
    throw invalidField('id', `needs ${codeMinLength} to ${codeMaxLength} characters`);
  // The player is locked, so if two requests are concurrent, the second one also counts the code that the first one created.
  await lockPlayers(tx, [userId]);
  const own = (await codesOf(tx, [userId])).get(userId) ?? [];
  if (own.length >= most) throw affiliateErrors.AFFILIATE_CODES_FULL({ most });
  await tx
    .insertInto('affiliates')
    .values({ user_id: userId })
    .onConflict((oc) => oc.doNothing())
    .execute();
  // Deleted codes keep their rows, so they cannot be created again.
  const row = await tx
    .insertInto('affiliate_codes')
    .values({ key: keyOf(id)!, code: id, user_id: userId })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw affiliateErrors.AFFILIATE_CODE_TAKEN({ id });
  return { id: row.code, usersCount: row.users_count };
}

/** Returns users' active codes by user id, oldest first. */
export async function codesOf(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Code[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('affiliate_codes')
    .select(['user_id', 'code', 'users_count'])
    .where('user_id', 'in', userIds)
    .where('deleted_at', 'is', null)
    .orderBy('user_id')
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  const codes = new Map<number, Code[]>();
  for (const { user_id, code, users_count } of rows)
    codes.set(user_id, [...(codes.get(user_id) ?? []), { id: code, usersCount: users_count }]);
  return codes;
}

/** Locks an active code, so that sign-ups with the code and its deletion wait for each other. */
export async function lockCode(tx: Tx, code: string) {
  const key = keyOf(code);
  if (key === undefined) return undefined;
  return tx
    .selectFrom('affiliate_codes')
    .selectAll()
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}
