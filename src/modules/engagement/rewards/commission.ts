import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';

/** By referral and day, in this order; each column an array as text. `lastAts`: when the last of the bets was settled. */
type Commission = Record<'users' | 'days' | 'affiliates' | 'wagered' | 'ggr' | 'earned' | 'lastAts', string>;

/**
 * Adds what referrals have wagered and brought, or takes it back, on the day of each bet. Whether it is held is read from the rows of referrals
 * once they are locked. Rows are locked in the order of referrals, referral_days, affiliate_days, affiliates.
 */
export async function addCommission(tx: Tx, commission: Commission): Promise<void> {
  const { users, days, affiliates, wagered, ggr, earned, lastAts } = commission;
  const changes = sql`
    unnest(${users}::int4[], ${days}::date[], ${affiliates}::int4[], ${wagered}::numeric[], ${ggr}::numeric[], ${earned}::numeric[],
      ${lastAts}::timestamptz[]) v(user_id, day, affiliate_user_id, wagered, ggr, earned, last_at)`;
  await sql`
    with sums as (
      select user_id, sum(wagered) as wagered, sum(ggr) as ggr, sum(earned) as earned, max(last_at) as last_at from ${changes} group by user_id),
    locked as materialized (
      select r.user_id from referrals r where r.user_id = any(${users}::int4[]) order by r.user_id for no key update)
    update referrals r set wagered_usd = r.wagered_usd + s.wagered, ggr_usd = r.ggr_usd + s.ggr, earned_usd = r.earned_usd + s.earned,
      last_bet_at = nullif(greatest(r.last_bet_at, s.last_at), '-infinity')
    from sums s join locked using (user_id) where r.user_id = s.user_id`.execute(tx);
  await sql`
    insert into referral_days as d (user_id, day, affiliate_user_id, wagered_usd, ggr_usd, earned_usd)
    select user_id, day, affiliate_user_id, wagered, ggr, earned from ${changes} order by user_id, day
    on conflict (user_id, day) do update set wagered_usd = d.wagered_usd + excluded.wagered_usd, ggr_usd = d.ggr_usd + excluded.ggr_usd,
      earned_usd = d.earned_usd + excluded.earned_usd`.execute(tx);
  const byHold = sql`
    coalesce(sum(earned) filter (where not r.is_held), 0) as earned, coalesce(sum(earned) filter (where r.is_held), 0) as held
    from ${changes} join referrals r using (user_id)`;
  await sql`
    insert into affiliate_days as d (affiliate_user_id, day, earned_usd, held_usd)
    select v.affiliate_user_id, day, ${byHold} group by 1, 2 order by 1, 2
    on conflict (affiliate_user_id, day) do update set earned_usd = d.earned_usd + excluded.earned_usd,
      held_usd = d.held_usd + excluded.held_usd`.execute(tx);
  await sql`
    with sums as (
      select v.affiliate_user_id, sum(wagered) as wagered, sum(ggr) as ggr, ${byHold} group by 1),
    locked as materialized (
      select a.user_id from affiliates a where a.user_id = any(${affiliates}::int4[]) order by a.user_id for no key update)
    update affiliates a set wagered_usd = a.wagered_usd + s.wagered, ggr_usd = a.ggr_usd + s.ggr, earned_usd = a.earned_usd + s.earned,
      held_usd = a.held_usd + s.held
    from sums s join locked l on l.user_id = s.affiliate_user_id where a.user_id = s.affiliate_user_id`.execute(
    tx,
  );
}
