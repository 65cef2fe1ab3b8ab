import { defineModule } from '../../../http/module.ts';
import { createRewards, type RewardDeps, type Rewards } from './consumer.ts';

/** Selects rewards that were not reversed, including those of detached months. */
const COUNTED = `(
  select user_id, currency_id, coalesce(affiliate_user_id, 0) as affiliate_user_id, own_usd, own_paid_usd, instant, daily, weekly, monthly,
    affiliate_usd from bet_rewards where reversed_place is null
  union all
  select user_id, currency_id, affiliate_user_id, own_usd, own_paid_usd, instant, daily, weekly, monthly, affiliate_usd
  from reward_openings join parts_away using (part))`;

/** Queries that return rows only if the module's sums are inconsistent. */
export const checks = {
  'what a player has wagered is not the sum of their rewards': `
    select user_id, p.wagered_usd, r.own_usd from vip_progress p
    full join (select user_id, sum(own_usd) as own_usd from ${COUNTED} counted group by 1) r using (user_id)
    where coalesce(p.wagered_usd, 0) <> coalesce(r.own_usd, 0)`,
  'rakeback of a player is not the sum of their rewards': `
    select user_id, currency_id, period, p.accrued, r.accrued as of_rewards
    from (select user_id, currency_id, period, sum(accrued) as accrued from rakeback_periods group by 1, 2, 3) p
    full join (
      select user_id, currency_id, period, sum(amount) as accrued from ${COUNTED} counted
      cross join lateral (values ('instant', instant), ('daily', daily), ('weekly', weekly), ('monthly', monthly)) v(period, amount)
      group by 1, 2, 3) r using (user_id, currency_id, period)
    where coalesce(p.accrued, 0) <> coalesce(r.accrued, 0)`,
  'rakeback that was claimed is not what was paid': `
    select user_id, currency_id, p.claimed, h.amount as paid
    from (select user_id, currency_id, sum(claimed) as claimed from rakeback_periods group by 1, 2) p
    full join (select user_id, currency_id, sum(amount) as amount from money_hours where kind = 'rakeback.claim' group by 1, 2) h
      using (user_id, currency_id)
    where coalesce(p.claimed, 0) <> coalesce(h.amount, 0)`,
  'what a referral has wagered and brought is not the sum of their rewards': `
    select user_id, f.wagered_usd, r.own_usd, f.ggr_usd, r.ggr_usd as ggr_of_rewards, f.earned_usd, r.earned_usd as earned_of_rewards
    from referrals f
    full join (
      select user_id, sum(own_usd) as own_usd, sum(own_usd - own_paid_usd) as ggr_usd, sum(affiliate_usd) as earned_usd
      from ${COUNTED} counted where affiliate_user_id > 0 group by 1) r using (user_id)
    where (coalesce(f.wagered_usd, 0), coalesce(f.ggr_usd, 0)) <> (coalesce(r.own_usd, 0), coalesce(r.ggr_usd, 0))
      or coalesce(f.earned_usd, 0) <> coalesce(r.earned_usd, 0)
        and not exists (select from payment_credits c where c.user_id = f.user_id and c.affiliate_usd > 0)`,
};

export const rewards = defineModule({
  name: 'rewards',
  checks,
  create: (before: RewardDeps) => ({ rewards: createRewards(before) }),
  consumers: (services: { rewards: Rewards }) => [services.rewards],
});
