const SUMS = `sum(wagered_usd) as wagered_usd, sum(ggr_usd) as ggr_usd, sum(deposited_usd) as deposited_usd,
  sum(withdrawn_usd) as withdrawn_usd`;

/** Checks that each total of affiliates and referrals is the sum of the level below it. */
export const checks = {
  N8: {
    "an affiliate code's user count is not the number of its referrals": `
      select key, c.users_count, coalesce(r.came, 0) as came from affiliate_codes c
      left join (select code_key, count(*) as came from referrals group by 1) r on r.code_key = c.key
      where c.users_count <> coalesce(r.came, 0)`,
    "a referral's code does not belong to their affiliate": `
      select r.user_id, r.affiliate_user_id, c.user_id as owner from referrals r join affiliate_codes c on c.key = r.code_key
      where c.user_id <> r.affiliate_user_id`,
    "a referral's totals are not the sums of their daily totals": `
      select user_id, r.wagered_usd, d.wagered_usd as of_days, r.earned_usd, d.earned_usd as earned_of_days from referrals r
      full join (select user_id, ${SUMS}, sum(earned_usd) as earned_usd from referral_days group by 1) d using (user_id)
      where (r.wagered_usd, r.ggr_usd, r.deposited_usd, r.withdrawn_usd, r.earned_usd) is distinct from
        (coalesce(d.wagered_usd, 0), coalesce(d.ggr_usd, 0), coalesce(d.deposited_usd, 0), coalesce(d.withdrawn_usd, 0), coalesce(d.earned_usd, 0))`,
    "an affiliate's totals are not the sums of their referrals' totals": `
      select a.user_id, a.referral_count, r.referrals, a.wagered_usd, r.wagered_usd as of_referrals from affiliates a
      left join (select affiliate_user_id, count(*) as referrals, count(*) filter (where deposits > 0) as depositors, ${SUMS}
        from referrals group by 1) r on r.affiliate_user_id = a.user_id
      where (a.referral_count, a.depositor_count, a.wagered_usd, a.ggr_usd, a.deposited_usd, a.withdrawn_usd) is distinct from
        (coalesce(r.referrals, 0), coalesce(r.depositors, 0), coalesce(r.wagered_usd, 0), coalesce(r.ggr_usd, 0), coalesce(r.deposited_usd, 0),
          coalesce(r.withdrawn_usd, 0))`,
    "an affiliate's commission is not the sum of their daily commission": `
      select a.user_id, a.earned_usd, d.earned_usd as of_days, a.held_usd, d.held_usd as held_of_days from affiliates a
      full join (select affiliate_user_id as user_id, sum(earned_usd) as earned_usd, sum(held_usd) as held_usd from affiliate_days group by 1) d
        using (user_id)
      where (a.earned_usd, a.held_usd) is distinct from (coalesce(d.earned_usd, 0), coalesce(d.held_usd, 0))`,
    "an affiliate's daily commission is not the sum of their referrals' commission": `
      select affiliate_user_id, day, d.earned_usd, d.held_usd, r.earned_usd as of_referrals, r.held_usd as held_of_referrals
      from (select * from affiliate_days where earned_usd <> 0 or held_usd <> 0) d
      full join (
        select d.affiliate_user_id, d.day, sum(d.earned_usd) filter (where not r.is_held) as earned_usd,
          sum(d.earned_usd) filter (where r.is_held) as held_usd
        from referral_days d join referrals r using (user_id) where d.earned_usd <> 0 group by 1, 2) r using (affiliate_user_id, day)
      where (coalesce(d.earned_usd, 0), coalesce(d.held_usd, 0)) is distinct from (coalesce(r.earned_usd, 0), coalesce(r.held_usd, 0))`,
    'the count of active referrals does not match their last bets': `
      select affiliate_user_id, day, a.referrals, r.referrals as bet from (select * from referral_activity where referrals <> 0) a
      full join (select affiliate_user_id, (last_bet_at at time zone 'UTC')::date as day, count(*) as referrals from referrals
        where last_bet_at is not null group by 1, 2) r using (affiliate_user_id, day)
      where a.referrals is distinct from r.referrals`,
    "an affiliate's claimed amount is not the sum of their claims": `
      select a.user_id, a.claims, c.claims as made, a.claimed_usd, c.usd_amount from affiliates a
      full join (select user_id, count(*) as claims, max(n) as last, sum(usd_amount) as usd_amount from affiliate_claims group by 1) c
        using (user_id)
      where (a.claims, a.claims, a.claimed_usd) is distinct from (coalesce(c.claims, 0), coalesce(c.last, 0), coalesce(c.usd_amount, 0))`,
    // Another check compares money_hours with the ledger.
    "an affiliate's claims do not match the ledger": `
      select user_id, currency_id, c.claims, m.claims as paid, c.amount, m.amount as amount_paid from
        (select user_id, currency_id, count(*) as claims, sum(amount) as amount, sum(usd_amount) as usd_amount from affiliate_claims group by 1, 2) c
      full join (select user_id, currency_id, sum(count) as claims, sum(amount) as amount, sum(usd_amount) as usd_amount from money_hours
        where kind = 'affiliate.claim' group by 1, 2) m using (user_id, currency_id)
      where (c.claims, c.amount, c.usd_amount) is distinct from (m.claims, m.amount, m.usd_amount)`,
  },
};
