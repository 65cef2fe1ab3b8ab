import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { type Units, units } from '../../../platform/money.ts';
import type { ConfigOf } from '../../base/site-config/schemas.ts';
import { claimableOf, firstActiveDay, firstUnripeDay, standingOf } from './rules.ts';

export type Settings = ConfigOf<'AFFILIATES'>;
export type Level = Settings['levels'][number];

/** The level and sums of an affiliate, in dollars: zeros for a user who never had a code. */
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

/** What many users are as affiliates, by id; unknown users are missing. Costs a few rows each, however many referrals they have. */
export async function accountsOf(
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

/** The same of one affiliate whose sums nobody changes until the transaction ends. */
export async function lockAccount(
  tx: Tx,
  userId: number,
  by: { settings: Settings; now: Date },
): Promise<Account> {
  // A statement of its own: the next one sees what this one has waited for, in all tables alike.
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
