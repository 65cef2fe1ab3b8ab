/** SQL that tests whether the postings of an entry can still be read. */
const isKept = (id: string) =>
  `coalesce(${id}, 9223372036854775807) >= (select archived_below('ledger_lines'))`;

/** Checks credits of deposits, and the sums that the dashboards read. */
export const checks = {
  N6: {
    'a credit or its reversal does not match the ledger': `with l as (
        select entry_id, user_id, currency_id, kind, sum(amount) as moved from ledger_lines
        where kind in ('deposit', 'deposit.reversal', 'skins.deposit', 'skins.deposit.reversal') group by 1, 2, 3, 4)
      select c.key, c.amount, c.entry_id, i.moved as credited, c.reversal_entry_id, o.moved as taken from payment_credits c
      left join l i on (i.entry_id, i.user_id, i.currency_id, i.kind) = (c.entry_id, c.user_id, c.currency_id, c.kind)
      left join l o on (o.entry_id, o.user_id, o.currency_id, o.kind)
        = (c.reversal_entry_id, c.user_id, c.currency_id, c.kind || '.reversal')
      where (i.moved is distinct from c.amount and ${isKept('c.entry_id')})
        or (o.moved is distinct from case when c.reversal_entry_id is not null then c.amount end and ${isKept('c.reversal_entry_id')})`,
  },
  N10: {
    'hourly payment totals are not the sums of payments': `
      select hour, direction, currency_id, network_id, user_id, h.count, p.count as count_of_payments, h.failed, p.failed as failed_of_payments,
        h.amount, p.amount as amount_of_payments, h.usd_amount, p.usd_amount as usd_of_payments
      from payment_hours h
      full join (
        select date_trunc('hour', at, 'UTC') as hour, direction, currency_id, network_id, user_id, count(*) filter (where not is_failed)::int as count,
          count(*) filter (where is_failed)::int as failed, sum(amount) as amount, sum(usd_amount) as usd_amount
        from counted_payments group by 1, 2, 3, 4, 5) p using (hour, direction, currency_id, network_id, user_id)
      where (h.count, h.failed, h.amount, h.usd_amount) is distinct from (p.count, p.failed, p.amount, p.usd_amount)`,
    "a stored first deposit is not the player's first deposit": `
      select user_id, f.credit_key, c.key, f.at, c.at as credited_at, f.amount, c.amount as credited from first_deposits f
      full join (
        select distinct on (user_id) user_id, key, credited_at as at, currency_id, amount, usd_amount from payment_credits
        where reversal_entry_id is null order by user_id, credited_at, entry_id) c using (user_id)
      where (f.credit_key, f.at, f.currency_id, f.amount, f.usd_amount) is distinct from (c.key, c.at, c.currency_id, c.amount, c.usd_amount)`,
  },
};
