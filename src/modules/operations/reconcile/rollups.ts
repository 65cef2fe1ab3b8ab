/** The generation that `user-stats` is building. */
const GENERATION = `(select generation from cursors where name = 'user-stats')`;
const IS_REAL = 'user_id not in (select user_id from uncounted_users)';

/** Up to this time, account hours are compared as one sum. It covers everything before the first hour, and detached months. */
const ONE_UNTIL = `greatest((select min(hour) from account_hours), (select max(latest) from parts_away where list = 'ledger_lines'))`;

/** Checks the tables that dashboards read. */
export const ROLLUP_CHECKS = {
  'an hour of a game is not what its players come to': `
    select hour, game_id, g.bets, p.bets as bets_of_players, g.own_staked_usd, p.own_staked_usd as staked_by_players, g.own_paid_usd,
      p.own_paid_usd as paid_to_players
    from (select * from game_hours where generation = ${GENERATION}) g
    full join (
      select hour, game_id, sum(bets) as bets, sum(own_staked_usd) as own_staked_usd, sum(own_paid_usd) as own_paid_usd from play_hours
      where generation = ${GENERATION} and ${IS_REAL} group by 1, 2) p using (hour, game_id)
    where (g.bets, g.own_staked_usd, g.own_paid_usd) is distinct from (p.bets, p.own_staked_usd, p.own_paid_usd)`,
  'an hour of payments is not what payments come to': `
    select hour, direction, currency_id, network_id, user_id, h.count, p.count as count_of_payments, h.failed, p.failed as failed_of_payments,
      h.amount, p.amount as amount_of_payments, h.usd_amount, p.usd_amount as usd_of_payments
    from payment_hours h
    full join (
      select date_trunc('hour', at, 'UTC') as hour, direction, currency_id, network_id, user_id, count(*) filter (where not is_failed)::int as count,
        count(*) filter (where is_failed)::int as failed, sum(amount) as amount, sum(usd_amount) as usd_amount
      from counted_payments group by 1, 2, 3, 4, 5) p using (hour, direction, currency_id, network_id, user_id)
    where (h.count, h.failed, h.amount, h.usd_amount) is distinct from (p.count, p.failed, p.amount, p.usd_amount)`,
  'a first deposit is not the first one': `
    select user_id, f.credit_key, c.key, f.at, c.at as credited_at, f.amount, c.amount as credited from first_deposits f
    full join (
      select distinct on (user_id) user_id, key, credited_at as at, currency_id, amount, usd_amount from payment_credits
      where reversal_entry_id is null order by user_id, credited_at, entry_id) c using (user_id)
    where (f.credit_key, f.at, f.currency_id, f.amount, f.usd_amount) is distinct from (c.key, c.at, c.currency_id, c.amount, c.usd_amount)`,
  'an hour of an account is not what its postings have changed': `
    select hour, currency_id, account, h.change, p.change as change_of_postings
    from (
      select case when hour > ${ONE_UNTIL} then hour else '-infinity' end as hour, currency_id, account, sum(change) as change
      from account_hours group by 1, 2, 3) h
    full join (
      select case when hour > ${ONE_UNTIL} then hour else '-infinity' end as hour, currency_id, account, sum(change) as change from (
        select date_trunc('hour', created_at, 'UTC') as hour, currency_id, account, change from ledger_lines
        cross join lateral (values (debit, -amount), (credit, amount)) side(account, change)
        where id <= (select position from cursors where name = 'account-hours')
        union all
        select '-infinity', currency_id, account, change from ledger_openings join parts_away using (part) where list = 'ledger_lines'
      ) moved group by 1, 2, 3) p using (hour, currency_id, account)
    where coalesce(h.change, 0) <> coalesce(p.change, 0)`,
  'something is said to have been owed on a day that was not counted': `
    select day, kind, currency_id, amount from liability_days where day not in (select day from liability_counts)`,
};
