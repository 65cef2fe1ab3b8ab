import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import { dayOf, depositCommission } from './rules.ts';

/** A payment of a player in US dollars, completed then. */
type Payment = { userId: number; usdAmount: Units; at: Date };
/** What happened, as it adds to sums; a reversal is negative. */
type Change = { deposits: 1 | -1 | 0; depositedUsd: Units; withdrawnUsd: Units; earnedUsd: Units };

/**
 * What payments of referrals add, in the transaction that completes them; players whom nobody referred cost one statement. The
 * player is locked; nothing locks a player afterwards.
 */
export const createEarnings = (siteConfig: SiteConfig) => ({
  /** Answers the commission that the deposit has brought: what a reversal takes back. */
  async deposited(tx: Tx, { userId, usdAmount, at }: Payment): Promise<Units> {
    const earnedUsd = await commissionOn(tx, siteConfig, { userId, usdAmount });
    const change = { deposits: 1, depositedUsd: usdAmount, withdrawnUsd: 0n, earnedUsd } as const;
    return (await add(tx, { userId, at }, change)) ? earnedUsd : 0n;
  },

  /** Takes a deposit back out of the day on which it counted; `earnedUsd`: the commission that it brought then. */
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

/** What staff and test users pay in is no business that anybody has brought. */
async function commissionOn(
  tx: Tx,
  siteConfig: SiteConfig,
  { userId, usdAmount }: Omit<Payment, 'at'>,
): Promise<Units> {
  const { isEnabled, depositCommissionPercent } = siteConfig.get('AFFILIATES');
  const commission = isEnabled ? depositCommission(usdAmount, depositCommissionPercent) : 0n;
  if (commission === 0n) return 0n;
  const { is_test, is_staff } = await getUser(tx, userId);
  return is_test || is_staff ? 0n : commission;
}

/** Adds to a referral, their day, and the day and the sums of their affiliate, in this order. Answers false for whom nobody referred. */
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
    update affiliates set depositor_count = depositor_count + ${depositorsBy(deposits, referral.deposits)},
      deposited_usd = deposited_usd + ${depositedUsd}, withdrawn_usd = withdrawn_usd + ${withdrawnUsd},
      earned_usd = earned_usd + ${sums.earned}, held_usd = held_usd + ${sums.held}
    where user_id = ${owner}`.execute(tx);
  return true;
}

/** Whether a referral has become one who has paid in (1), or is none any more (-1). */
function depositorsBy(change: Change['deposits'], deposits: number): 1 | -1 | 0 {
  if (change === 1 && deposits === 1) return 1;
  return change === -1 && deposits === 0 ? -1 : 0;
}

/**
 * What a referral's identity was approved for: earnings that were held back become their affiliate's, each on its day, and later ones are
 * not held. Once; for all others nothing happens.
 */
export async function releaseHeld(tx: Tx, userId: number): Promise<void> {
  const { rows } = await sql<{ owner: number; earnedUsd: string }>`
    update referrals set is_held = false where user_id = ${userId} and is_held
    returning affiliate_user_id as owner, earned_usd as "earnedUsd"`.execute(tx);
  const referral = rows[0];
  if (!referral) return;
  const { owner, earnedUsd } = referral;
  await sql`
    with earned as materialized (
      select d.day, r.earned_usd from referral_days r join affiliate_days d on d.affiliate_user_id = ${owner} and d.day = r.day
      where r.user_id = ${userId} and r.earned_usd <> 0 order by d.day for update of d)
    update affiliate_days d set held_usd = d.held_usd - e.earned_usd, earned_usd = d.earned_usd + e.earned_usd
    from earned e where d.affiliate_user_id = ${owner} and d.day = e.day`.execute(tx);
  await sql`
    update affiliates set held_usd = held_usd - ${earnedUsd}::numeric, earned_usd = earned_usd + ${earnedUsd}::numeric
    where user_id = ${owner}`.execute(tx);
}
