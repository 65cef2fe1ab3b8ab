import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { type Units, units } from '../../../platform/money.ts';
import type { ConfigOf } from '../../base/site-config/schemas.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { searchFor } from '../../base/users/rules.ts';
import { userErrors } from '../../base/users/schemas.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { claimableOf, firstActiveDay, firstUnripeDay, standingOf } from './rules.ts';
import type { SORTS } from './schemas.ts';

/** The dependencies of read-only functions. */
export type ReadDeps = { db: Db; siteConfig: Pick<SiteConfig, 'get'>; databaseClock: Clock };

export type AffiliateDeps = ReadDeps & {
  gate: Pick<Gate, 'assertMay'>;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
};

export type Settings = ConfigOf<'AFFILIATES'>;
export type Level = Settings['levels'][number];

/** An affiliate's level, and sums in US dollars. The sums are zero for a user who has never had a code. */
export type Account = {
  userId: number;
  current: Level;
  next: Level | null;
  referralCount: number;
  activeReferrals: number;
  depositorCount: number;
  wageredUsd: Units;
  ggrUsd: Units;
  depositedUsd: Units;
  earnedUsd: Units;
  heldUsd: Units;
  claimedUsd: Units;
  claimableUsd: Units;
  claims: number;
};

type Row = {
  userId: number;
  floorId: number | null;
  referrals: number | null;
  active: bigint | null;
  depositors: number | null;
  wagered: string | null;
  ggr: string | null;
  deposited: string | null;
  earned: string | null;
  held: string | null;
  claimed: string | null;
  unripe: string | null;
  claims: number | null;
};

/** Returns accounts by user id. Unknown users are omitted. Reads only a few rows per user, regardless of the number of referrals. */
async function accountsOf(
  db: DbOrTx,
  userIds: readonly number[],
  { settings, now }: { settings: Settings; now: Date },
): Promise<Map<number, Account>> {
  const unripe = firstUnripeDay(now, settings.holdDays) ?? 'infinity';
  const active = firstActiveDay(now, settings.activeDays);
  const { rows } = await sql<Row>`
    select u.id as "userId", u.custom_min_affiliate_level as "floorId", a.referral_count as referrals,
      a.depositor_count as depositors, a.wagered_usd as wagered, a.ggr_usd as ggr, a.deposited_usd as deposited,
      a.earned_usd as earned, a.held_usd as held, a.claimed_usd as claimed, a.claims,
      (select sum(earned_usd) from affiliate_days where affiliate_user_id = u.id and day >= ${unripe}::date) as unripe,
      (select sum(referrals) from referral_activity where affiliate_user_id = u.id and day >= ${active}::date) as active
    from users u left join affiliates a on a.user_id = u.id where u.id = any(${userIds}::int4[])`.execute(db);
  return new Map(rows.map((row) => [row.userId, toAccount(row, settings)]));
}

/** Returns accounts by user id, computed with the current settings and time. Unknown users are omitted. */
export const readAccounts = ({ db, siteConfig, databaseClock }: ReadDeps, userIds: readonly number[]) =>
  accountsOf(db, userIds, {
    settings: siteConfig.get('AFFILIATES'),
    now: new Date(databaseClock.now()),
  });

/** Returns one account. Throws 404 USER_NOT_FOUND. */
export async function getAccount(deps: ReadDeps, userId: number): Promise<Account> {
  const account = (await readAccounts(deps, [userId])).get(userId);
  if (!account) throw userErrors.USER_NOT_FOUND({ userId });
  return account;
}

/** Locks an affiliate's row and returns the account. Its sums cannot change until the transaction ends. */
export async function lockAccount(
  tx: Tx,
  userId: number,
  by: { settings: Settings; now: Date },
): Promise<Account> {
  // The lock is taken in a separate statement, so that the next statement sees everything that was committed while this one waited.
  await sql`select 1 from affiliates where user_id = ${userId} for update`.execute(tx);
  return (await accountsOf(tx, [userId], by)).get(userId)!;
}

function toAccount(row: Row, { levels }: Settings): Account {
  const [wageredUsd, earnedUsd, claimedUsd, unripeUsd] = [
    sumOf(row.wagered),
    sumOf(row.earned),
    sumOf(row.claimed),
    sumOf(row.unripe),
  ];
  return {
    userId: row.userId,
    ...standingOf(levels, { wageredUsd, floorId: row.floorId }),
    referralCount: row.referrals ?? 0,
    activeReferrals: Number(row.active ?? 0),
    depositorCount: row.depositors ?? 0,
    wageredUsd,
    ggrUsd: sumOf(row.ggr),
    depositedUsd: sumOf(row.deposited),
    earnedUsd,
    heldUsd: sumOf(row.held),
    claimedUsd,
    claimableUsd: claimableOf({ earnedUsd, unripeUsd, claimedUsd }),
    claims: row.claims ?? 0,
  };
}

const sumOf = (text: string | null): Units => BigInt(text ?? 0);

export const minClaimOf = ({ minClaimUsd }: Settings): Units => units(minClaimUsd);

/** Returns the total in US dollars that all affiliates could claim now. Ignores minimums and the other conditions of a claim. */
export async function claimableCommission(
  db: DbOrTx,
  siteConfig: Pick<SiteConfig, 'get'>,
  now: Date,
): Promise<Units> {
  const unripe = firstUnripeDay(now, siteConfig.get('AFFILIATES').holdDays) ?? 'infinity';
  const { rows } = await sql<{ owed: string }>`
    with unripe as (
      select affiliate_user_id as user_id, sum(earned_usd) as usd from affiliate_days where day >= ${unripe}::date group by 1)
    select coalesce(sum(greatest(earned_usd - coalesce(usd, 0) - claimed_usd, 0)), 0)::text as owed
    from affiliates left join unripe using (user_id)`.execute(db);
  return BigInt(rows[0]!.owed);
}

type SortBy = (typeof SORTS)[number];
export type Order = { sortBy: SortBy; sortOrder: 'asc' | 'desc' };

export const SORT_COLUMNS = {
  createdAt: 'created_at',
  wageredUsdAmount: 'wagered_usd',
  earnedUsdAmount: 'earned_usd',
} as const satisfies Record<SortBy, string>;

/** Returns a condition on rows of `table`: the username contains the search string, or the string is the user's id. */
export function matches(table: 'referrals' | 'affiliates', text: string): RawBuilder<unknown> {
  const search = searchFor(text);
  if (!search) return sql`true`;
  const { pattern, isPrefix, id } = search;
  const name = isPrefix
    ? sql`coalesce(lower(u.username), '') collate "C" like lower(${pattern})`
    : sql`lower(u.username) like lower(${pattern})`;
  const condition = id === undefined ? name : sql`(${name} or u.id = ${id})`;
  return sql`${sql.ref(`${table}.user_id`)} in (select u.id from users u where ${condition})`;
}
