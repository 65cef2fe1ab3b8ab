import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import { isSuspect, type Signal } from '../persons/rules.ts';
import { sharedSignals, signalsAmong } from '../persons/signals.ts';
import { dayOf, depositCommission } from './rules.ts';
import { lockCode } from './view.ts';

export type Affiliates = ReturnType<typeof createAffiliates>;

/** The functions that are called by sign-ups, payments and identity checks. */
export const createAffiliates = ({ siteConfig }: { siteConfig: Pick<SiteConfig, 'get'> }) => ({
  payments: createEarnings(siteConfig),
  attribute: (tx: Tx, user: Parameters<typeof attribute>[2]) => attribute(tx, siteConfig, user),
  /** Releases held earnings once the referral's identity is approved. */
  onApproved: async (tx: Tx, userId: number, tier: string) => {
    if (tier === 'IDENTITY') await releaseHeld(tx, userId);
  },
});

/** A new account, and the affiliate code used at sign-up. */
type Newcomer = { id: number; affiliate_code: string | null };

/**
 * Makes a new user the referral of the code's owner, in the transaction that opens the account. Users cannot become referrals later. A code
 * that is unknown, deleted or belongs to the new user is ignored.
 */
async function attribute(
  tx: Tx,
  siteConfig: Pick<SiteConfig, 'get'>,
  { id: userId, affiliate_code }: Newcomer,
): Promise<void> {
  if (affiliate_code === null || !siteConfig.get('AFFILIATES').isEnabled) return;
  const code = await lockCode(tx, affiliate_code);
  if (!code || code.user_id === userId) return;
  const { user_id: owner, key } = code;
  const { signals, isHeld } = await judgeReferral(tx, userId, owner);
  await tx
    .insertInto('referrals')
    .values({ user_id: userId, affiliate_user_id: owner, code_key: key, is_held: isHeld, signals })
    .execute();
  await tx
    .updateTable('affiliate_codes')
    .set({ users_count: sql`users_count + 1` })
    .where('key', '=', key)
    .execute();
  await tx
    .updateTable('affiliates')
    .set({ referral_count: sql`referral_count + 1` })
    .where('user_id', '=', owner)
    .execute();
}

/** A player's completed payment. */
type Payment = { userId: number; usdAmount: Units; at: Date };
/** The amounts to add to the sums; negative for a reversal. */
type Change = { deposits: 1 | -1 | 0; depositedUsd: Units; withdrawnUsd: Units; earnedUsd: Units };

/**
 * Adds referrals' payments to the sums, in the transaction that completes the payment. For a player without an affiliate, only one
 * statement runs. The player must be locked. No other player is locked here.
 */
const createEarnings = (siteConfig: Pick<SiteConfig, 'get'>) => ({
  /** Returns the commission on the deposit, so that a reversal can subtract it. */
  async deposited(tx: Tx, { userId, usdAmount, at }: Payment): Promise<Units> {
    const earnedUsd = await commissionOn(tx, siteConfig, { userId, usdAmount });
    const change = { deposits: 1, depositedUsd: usdAmount, withdrawnUsd: 0n, earnedUsd } as const;
    return (await add(tx, { userId, at }, change)) ? earnedUsd : 0n;
  },

  /** Subtracts a deposit from the day to which it was added. `earnedUsd`: the commission on the deposit. */
  async depositReversed(
    tx: Tx,
    { userId, usdAmount, at, earnedUsd }: Payment & { earnedUsd: Units },
  ): Promise<void> {
    const change = {
      deposits: -1,
      depositedUsd: -usdAmount,
      withdrawnUsd: 0n,
      earnedUsd: -earnedUsd,
    } as const;
    await add(tx, { userId, at }, change);
  },

  async withdrawn(tx: Tx, { userId, usdAmount, at }: Payment): Promise<void> {
    const change = { deposits: 0, depositedUsd: 0n, withdrawnUsd: usdAmount, earnedUsd: 0n } as const;
    await add(tx, { userId, at }, change);
  },
});

/** Returns the commission on a deposit. Deposits of staff and test users earn no commission. */
async function commissionOn(
  tx: Tx,
  siteConfig: Pick<SiteConfig, 'get'>,
  { userId, usdAmount }: Omit<Payment, 'at'>,
): Promise<Units> {
  const { isEnabled, depositCommissionPercent } = siteConfig.get('AFFILIATES');
  const commission = isEnabled ? depositCommission(usdAmount, depositCommissionPercent) : 0n;
  if (commission === 0n) return 0n;
  const { is_test, is_staff } = await getUser(tx, userId);
  return is_test || is_staff ? 0n : commission;
}

/**
 * Adds to the sums of the referral, the referral's day, the affiliate's day and the affiliate, in this order. Returns false if the player
 * has no affiliate.
 */
async function add(
  tx: Tx,
  { userId, at }: Omit<Payment, 'usdAmount'>,
  { deposits, depositedUsd, withdrawnUsd, earnedUsd }: Change,
): Promise<boolean> {
  const day = dayOf(at);
  const { rows } = await sql<{ owner: number; isHeld: boolean; deposits: number }>`
    update referrals set deposits = deposits + ${deposits}, deposited_usd = deposited_usd + ${depositedUsd},
      withdrawn_usd = withdrawn_usd + ${withdrawnUsd}, earned_usd = earned_usd + ${earnedUsd}
    where user_id = ${userId} returning affiliate_user_id as owner, is_held as "isHeld", deposits`.execute(
    tx,
  );
  const referral = rows[0];
  if (!referral) return false;
  const { owner, isHeld } = referral;
  await sql`
    insert into referral_days as d (user_id, day, affiliate_user_id, deposited_usd, withdrawn_usd, earned_usd)
    values (${userId}, ${day}, ${owner}, ${depositedUsd}, ${withdrawnUsd}, ${earnedUsd})
    on conflict (user_id, day) do update set deposited_usd = d.deposited_usd + excluded.deposited_usd,
      withdrawn_usd = d.withdrawn_usd + excluded.withdrawn_usd, earned_usd = d.earned_usd + excluded.earned_usd`.execute(
    tx,
  );
  const sums = isHeld ? { earned: 0n, held: earnedUsd } : { earned: earnedUsd, held: 0n };
  if (earnedUsd !== 0n)
    await sql`
      insert into affiliate_days as d (affiliate_user_id, day, earned_usd, held_usd) values (${owner}, ${day}, ${sums.earned}, ${sums.held})
      on conflict (affiliate_user_id, day) do update set earned_usd = d.earned_usd + excluded.earned_usd,
        held_usd = d.held_usd + excluded.held_usd`.execute(tx);
  await sql`
    update affiliates set depositor_count = depositor_count + ${depositorChange(deposits, referral.deposits)},
      deposited_usd = deposited_usd + ${depositedUsd}, withdrawn_usd = withdrawn_usd + ${withdrawnUsd},
      earned_usd = earned_usd + ${sums.earned}, held_usd = held_usd + ${sums.held}
    where user_id = ${owner}`.execute(tx);
  return true;
}

/** Returns 1 for a referral's first deposit, -1 if the referral's only deposit is reversed, and otherwise 0. */
function depositorChange(change: Change['deposits'], deposits: number): 1 | -1 | 0 {
  if (change === 1 && deposits === 1) return 1;
  return change === -1 && deposits === 0 ? -1 : 0;
}

/** Returns the signals that a new referral shares with the affiliate, and whether the earnings are held. */
async function judgeReferral(tx: Tx, userId: number, owner: number) {
  const signals = await sharedSignals(tx, userId, owner);
  return { signals: [...signals], isHeld: isSuspect(signals) };
}

/**
 * Checks an affiliate's referrals again before a claim. If a referral now shares a payout address, identity, mailbox or network with the
 * affiliate, the referral's past and future earnings are held.
 */
export async function holdSuspects(tx: Tx, owner: number): Promise<void> {
  await lockPlayers(tx, [owner]);
  const others = sql`select user_id from referrals where affiliate_user_id = ${owner} and not is_held`;
  const shared = await signalsAmong(tx, owner, others);
  for (const [userId, signals] of [...shared].sort(([a], [b]) => a - b))
    await judgeAgain(tx, userId, signals);
}

async function judgeAgain(tx: Tx, userId: number, found: ReadonlySet<Signal>): Promise<void> {
  const referral = await tx
    .selectFrom('referrals')
    .select(['signals', 'cleared_at'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const signals = new Set([...(referral.signals as Signal[]), ...found]);
  // If the referral's identity was approved as that of a different person, all other shared signals are ignored.
  const isCleared = referral.cleared_at !== null && !signals.has('IDENTITY');
  if (isCleared || !isSuspect(signals)) return;
  await hold(tx, userId, [...signals]);
}

/** Moves a referral's earnings to the held earnings, day by day. This is the opposite of `releaseHeld` and uses the same lock order. */
async function hold(tx: Tx, userId: number, signals: readonly Signal[]): Promise<void> {
  const { rows } = await sql<{ owner: number; earnedUsd: string }>`
    update referrals set is_held = true, signals = ${signals}::text[] where user_id = ${userId} and not is_held
    returning affiliate_user_id as owner, earned_usd as "earnedUsd"`.execute(tx);
  const referral = rows[0];
  if (referral) await moveEarnings(tx, { userId, ...referral, to: 'held' });
}

type Move = { userId: number; owner: number; earnedUsd: string; to: 'held' | 'earned' };

/** Moves a referral's earnings between the affiliate's held and earned amounts, by day and in total. */
async function moveEarnings(tx: Tx, { userId, owner, earnedUsd, to }: Move): Promise<void> {
  const sign = to === 'held' ? 1 : -1;
  await sql`
    with earned as materialized (
      select d.day, r.earned_usd from referral_days r join affiliate_days d on d.affiliate_user_id = ${owner} and d.day = r.day
      where r.user_id = ${userId} and r.earned_usd <> 0 order by d.day for update of d)
    update affiliate_days d set held_usd = d.held_usd + ${sign}::int4 * e.earned_usd, earned_usd = d.earned_usd - ${sign}::int4 * e.earned_usd
    from earned e where d.affiliate_user_id = ${owner} and d.day = e.day`.execute(tx);
  await sql`
    update affiliates set held_usd = held_usd + ${sign}::int4 * ${earnedUsd}::numeric,
      earned_usd = earned_usd - ${sign}::int4 * ${earnedUsd}::numeric
    where user_id = ${owner}`.execute(tx);
}

/**
 * Releases the earnings from a referral whose identity was approved. They are credited to the days on which they were earned, and later
 * earnings are not held. Does nothing if the affiliate has the same identity.
 */
async function releaseHeld(tx: Tx, userId: number): Promise<void> {
  const referral = await tx
    .selectFrom('referrals')
    .select(['affiliate_user_id', 'is_held'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!referral?.is_held) return;
  const shared = await signalsAmong(tx, userId, sql`select ${referral.affiliate_user_id}::int4`);
  if (shared.get(referral.affiliate_user_id)?.has('IDENTITY')) return;
  const { rows } = await sql<{ owner: number; earnedUsd: string }>`
    update referrals set is_held = false, cleared_at = now() where user_id = ${userId} and is_held
    returning affiliate_user_id as owner, earned_usd as "earnedUsd"`.execute(tx);
  if (rows[0]) await moveEarnings(tx, { userId, ...rows[0], to: 'earned' });
}
