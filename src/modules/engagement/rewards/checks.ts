import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** Selects rewards that were not reversed, including those of detached months. */
const COUNTED = `(
  select user_id, currency_id, coalesce(affiliate_user_id, 0) as affiliate_user_id, own_usd, own_paid_usd, instant, daily, weekly, monthly,
    affiliate_usd from bet_rewards where reversed_place is null
  union all
  select user_id, currency_id, affiliate_user_id, own_usd, own_paid_usd, instant, daily, weekly, monthly, affiliate_usd
  from reward_openings join parts_away using (part))`;

/** The position of the reward consumer. */
const POSITION = `(select position from cursors where name = 'rewards')`;

/** The settled part of a stake in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** Checks the rewards of bets, and the sums of these rewards. */
export const checks = {
  N8: {
    "a player's wagered amount is not the sum of their rewards": `
      select user_id, p.wagered_usd, r.own_usd from vip_progress p
      full join (select user_id, sum(own_usd) as own_usd from ${COUNTED} counted group by 1) r using (user_id)
      where coalesce(p.wagered_usd, 0) <> coalesce(r.own_usd, 0)`,
    "a player's rakeback is not the sum of their rewards": `
      select user_id, currency_id, period, p.accrued, r.accrued as of_rewards
      from (select user_id, currency_id, period, sum(accrued) as accrued from rakeback_periods group by 1, 2, 3) p
      full join (
        select user_id, currency_id, period, sum(amount) as accrued from ${COUNTED} counted
        cross join lateral (values ('instant', instant), ('daily', daily), ('weekly', weekly), ('monthly', monthly)) v(period, amount)
        group by 1, 2, 3) r using (user_id, currency_id, period)
      where coalesce(p.accrued, 0) <> coalesce(r.accrued, 0)`,
    "a player's claimed rakeback does not match the paid rakeback": `
      select user_id, currency_id, p.claimed, h.amount as paid
      from (select user_id, currency_id, sum(claimed) as claimed from rakeback_periods group by 1, 2) p
      full join (select user_id, currency_id, sum(amount) as amount from money_hours where kind = 'rakeback.claim' group by 1, 2) h
        using (user_id, currency_id)
      where coalesce(p.claimed, 0) <> coalesce(h.amount, 0)`,
    "a referral's totals are not the sums of their rewards": `
      select user_id, f.wagered_usd, r.own_usd, f.ggr_usd, r.ggr_usd as ggr_of_rewards, f.earned_usd, r.earned_usd as earned_of_rewards
      from referrals f
      full join (
        select user_id, sum(own_usd) as own_usd, sum(own_usd - own_paid_usd) as ggr_usd, sum(affiliate_usd) as earned_usd
        from ${COUNTED} counted where affiliate_user_id > 0 group by 1) r using (user_id)
      where (coalesce(f.wagered_usd, 0), coalesce(f.ggr_usd, 0)) <> (coalesce(r.own_usd, 0), coalesce(r.ggr_usd, 0))
        or coalesce(f.earned_usd, 0) <> coalesce(r.earned_usd, 0)
          and not exists (select from payment_credits c where c.user_id = f.user_id and c.affiliate_usd > 0)`,
  },
  N10: {
    'a counted bet does not have exactly one reward, or another bet has a reward': `
      with first as (select min(place) as place from bet_rewards),
      bets_counted as (
        select id as bet_id, coalesce(settlement_id, id) as place, ${DECIDED} as usd_amount from bets where ${countsAt(POSITION)}
        union all
        select bet_id, null, ${DECIDED} from ${correctedAt(POSITION)} corrected),
      rewards as (
        select bet_id, count(*) as rewards, sum(own_usd) as own_usd from bet_rewards
        where reversed_place is null and bet_id >= archived_below('bets') group by 1)
      select bet_id, place, rewards, usd_amount, own_usd from rewards full join bets_counted using (bet_id)
      where (rewards is null and place >= (select place from first)) or usd_amount is null or rewards > 1 or own_usd > usd_amount`,
  },
};
