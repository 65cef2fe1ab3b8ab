import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { every } from '../../../platform/list/conditions.ts';
import { pageOfIds } from '../../../platform/list/ordered.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Sight, shortUsers, toShortPublicUser, usersById } from '../../base/users/service.ts';
import type { Account } from './accounts.ts';
import { codesOf } from './codes.ts';
import {
  affiliateList,
  OF_STREAMERS,
  type ReferralFilter,
  type ReferralRow,
  referralList,
  referralsOf,
} from './queries.ts';
import { firstActiveDay, keyOf } from './rules.ts';
import type {
  AdminAffiliateRow,
  AdminAffiliateUserRow,
  AffiliateClaim,
  AffiliateList,
  AffiliateUserRow,
  ClaimQuery,
  ReferralListOfAny,
  ReferralQuery,
  StreamerReferralRow,
} from './schemas.ts';
import { type ReadDeps, readAccounts, toLevel } from './summary.ts';

type Sorted = z.output<typeof ReferralQuery>;
type Wanted = z.output<typeof ReferralListOfAny>;

const stateOf = ({ siteConfig, clock }: ReadDeps) => ({
  settings: siteConfig.get('AFFILIATES'),
  now: new Date(clock.now()),
});

/** Ids and rows of a page of referrals. */
async function pageOf(deps: ReadDeps, where: ReferralFilter, request: Sorted, ofStreamers = false) {
  const { db } = deps;
  const list = referralList(where, request, stateOf(deps));
  const known = await knownOf(db, where, { ofStreamers, since: firstDay(deps) });
  const conditions = ofStreamers ? [...list.conditions, OF_STREAMERS] : list.conditions;
  const { ids, total } = await pageOfIds(db, { ...list, conditions, known }, request);
  return { rows: await referralsOf(db, ids), total };
}

function firstDay(deps: ReadDeps): string {
  const { settings, now } = stateOf(deps);
  return firstActiveDay(now, settings.activeDays);
}

const activeSince = (deps: ReadDeps) => new Date(`${firstDay(deps)}T00:00:00Z`);

/** An affiliate's own lists: no page costs more for the list being longer. */
export function createLists(deps: ReadDeps) {
  const { db } = deps;
  return {
    /** An affiliate's own referrals, as they see them. */
    async mine(userId: number, request: Sorted): Promise<Page<z.input<typeof AffiliateUserRow>>> {
      const { rows, total } = await pageOf(deps, { affiliateUserId: userId }, request);
      const since = activeSince(deps);
      const users = await usersById(
        db,
        rows.map((row) => row.user_id),
      );
      const shown = rows.map((row) => ({
        ...toReferral(row),
        user: toShortPublicUser(users.get(row.user_id)!, userId),
        isActive: isActiveSince(row, since),
      }));
      return paginated(shown, request, total);
    },

    async claims(
      userId: number,
      request: z.output<typeof ClaimQuery>,
    ): Promise<Page<z.input<typeof AffiliateClaim>>> {
      const bounds = [sql`affiliate_claims.user_id = ${userId}`];
      const { ids, total } = await pageOfIds(
        db,
        {
          table: 'affiliate_claims',
          id: 'n',
          key: request.sortBy === 'createdAt' ? 'n' : 'usd_amount',
          isDescending: request.sortOrder === 'desc',
          bounds,
          conditions: [],
        },
        request,
      );
      return paginated(await claimsOf(db, userId, ids), request, total);
    },
  };
}

/** The same for staff, of everybody. */
export function createStaffLists(deps: ReadDeps) {
  const { db } = deps;
  return {
    /** Referrals for staff. Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE. */
    async referrals(
      { where = {}, ...request }: Wanted,
      sight: Sight,
    ): Promise<Page<z.input<typeof AdminAffiliateUserRow>>> {
      const { rows, total } = await pageOf(deps, where, request);
      const since = activeSince(deps);
      const users = await usersOf(db, rows, sight);
      const shown = rows.map((row) => ({
        ...toPaying(row),
        user: users.get(row.user_id)!,
        affiliateUserId: row.affiliate_user_id,
        isActive: isActiveSince(row, since),
      }));
      return paginated(shown, request, total);
    },

    /** The same of streamers alone. */
    async streamerReferrals(
      { where = {}, ...request }: Wanted,
      sight: Sight,
    ): Promise<Page<z.input<typeof StreamerReferralRow>>> {
      const { rows, total } = await pageOf(deps, where, request, true);
      const users = await usersOf(db, rows, sight);
      const shown = rows.map((row) => ({
        ...toPaying(row),
        user: users.get(row.user_id)!,
        streamerUserId: row.affiliate_user_id,
        ggrUsdAmount: usd(row.ggr_usd),
      }));
      return paginated(shown, request, total);
    },

    /** Who has or had a code. Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE. */
    async affiliates(
      { where = {}, ...request }: z.output<typeof AffiliateList>,
      sight: Sight,
    ): Promise<Page<z.input<typeof AdminAffiliateRow>>> {
      const list = affiliateList(where, request, stateOf(deps).settings);
      const { ids, total } = await pageOfIds(db, list, request);
      return paginated(await affiliatesOf(deps, ids, sight), request, total);
    },
  };
}

/** `since`: the day from which on a bet makes a referral active. */
type Counted = { ofStreamers: boolean; since: string };

/** How many referrals there are, where a count is kept of just these. */
async function knownOf(
  db: Db,
  where: ReferralFilter,
  { ofStreamers, since }: Counted,
): Promise<number | undefined> {
  const { affiliateUserId, isActive, code, ...others } = where;
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  const ofSome = [
    ...(affiliateUserId === undefined ? [] : [sql`a.user_id = ${affiliateUserId}`]),
    ...(ofStreamers ? [sql`a.user_id in (select id from users where is_streamer)`] : []),
  ];
  if (code === undefined) return ofSome.length === 0 ? undefined : countOf(db, ofSome, { isActive, since });
  return ofSome.length > 0 || isActive !== undefined ? undefined : usersOfCode(db, code);
}

async function countOf(
  db: Db,
  ofSome: RawBuilder<unknown>[],
  { isActive, since }: { isActive: boolean | undefined; since: string },
): Promise<number> {
  const all = sql`(select coalesce(sum(referral_count), 0) from chosen)`;
  const active = sql`(select coalesce(sum(referrals), 0) from referral_activity
    where affiliate_user_id = any(array(select user_id from chosen)) and day >= ${since}::date)`;
  const wanted = isActive ? active : sql`${all} - ${active}`;
  const { rows } = await sql<{ known: number }>`
    with chosen as materialized (select user_id, referral_count from affiliates a where ${every(ofSome)})
    select (${isActive === undefined ? all : wanted})::int as known`.execute(db);
  return rows[0]!.known;
}

async function usersOfCode(db: Db, code: string): Promise<number> {
  const { rows } = await sql<{ known: number }>`
    select users_count as known from affiliate_codes where key = ${keyOf(code)!}`.execute(db);
  return rows[0]?.known ?? 0;
}

export const usd = (text: string): string => formatUnits(BigInt(text));

const isActiveSince = ({ last_bet_at }: ReferralRow, since: Date) =>
  last_bet_at !== null && last_bet_at >= since;

const toReferral = (row: ReferralRow & { code: string | null }) => ({
  code: row.code,
  wageredUsdAmount: usd(row.wagered_usd),
  earnedUsdAmount: usd(row.earned_usd),
  createdAt: iso(row.created_at),
});

const toPaying = (row: ReferralRow & { code: string | null }) => ({
  ...toReferral(row),
  userId: row.user_id,
  depositedUsdAmount: usd(row.deposited_usd),
  withdrawnUsdAmount: usd(row.withdrawn_usd),
  lastBetAt: row.last_bet_at && iso(row.last_bet_at),
});

const usersOf = (db: Db, rows: readonly { user_id: number }[], sight: Sight) =>
  shortUsers(
    db,
    rows.map((row) => row.user_id),
    sight,
  );

/** What lists of affiliates and of streamers have in common. */
export const toAffiliate = (account: Account) => ({
  userId: account.userId,
  level: toLevel(account.current),
  referralCount: account.referralCount,
  activeReferrals: account.activeReferrals,
  usersWageredUsdAmount: formatUnits(account.wageredUsd),
  earnedUsdAmount: formatUnits(account.earnedUsd),
  claimableUsdAmount: formatUnits(account.claimableUsd),
});

/** The same with the user and the codes. */
export async function describe(deps: ReadDeps, ids: readonly number[], sight: Sight) {
  const [accounts, codes, users] = [
    await readAccounts(deps, ids),
    await codesOf(deps.db, ids),
    await shortUsers(deps.db, ids, sight),
  ];
  return ids.map((id) => ({
    account: accounts.get(id)!,
    codes: codes.get(id) ?? [],
    user: users.get(id)!,
  }));
}

async function affiliatesOf(deps: ReadDeps, ids: readonly number[], sight: Sight) {
  return (await describe(deps, ids, sight)).map(({ account, codes, user }) => ({
    ...toAffiliate(account),
    user,
    codes,
    totalClaimedUsdAmount: formatUnits(account.claimedUsd),
  }));
}

async function claimsOf(db: Db, userId: number, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('affiliate_claims')
    .selectAll()
    .where('user_id', '=', userId)
    .where('n', 'in', ids)
    .execute();
  const byN = new Map(rows.map((row) => [row.n, row]));
  return ids.map((n) => {
    const row = byN.get(n)!;
    return {
      id: String(row.entry_id),
      usdAmount: formatUnits(row.usd_amount),
      currencyId: row.currency_id,
      amount: formatUnits(row.amount),
      createdAt: iso(row.created_at),
    };
  });
}
