/** Checks that the credits, reversals and suspense amounts of deposits match the ledger. */
export const checks = {
  N6: {
    'a deposit does not match exactly one ledger entry, or an entry has no deposit': `
      select d.id, d.status, d.amount, l.entry_id, l.user_id, l.lines, l.paid from (
        select * from deposits where credit_key is not null or status in ('COMPLETED', 'ON_HOLD')
      ) d full join (
        select entry_id, user_id, currency_id, count(*) as lines, sum(amount) as paid
        from ledger_lines where kind = 'deposit' and debit = 108 and credit = 1 group by 1, 2, 3
      ) l on l.entry_id = d.entry_id and l.user_id = d.user_id and l.currency_id = d.currency_id
      where (d.id is null or l.entry_id is null or l.lines <> 1 or l.paid <> d.amount
        or d.status not in ('COMPLETED', 'ON_HOLD', 'REVERSED')) and coalesce(d.entry_id, l.entry_id, 9223372036854775807) >= (select archived_below('ledger_lines'))`,
    'a deposit was reversed but its credit was not, or vice versa': `
      select d.id, d.status, c.key, c.reversal_entry_id from deposits d join payment_credits c on c.key = d.credit_key
      where (d.status = 'REVERSED') <> (c.reversal_entry_id is not null)`,
    'the suspense account is not the sum of deposits under review': `
      select coalesce(d.currency_id, l.currency_id) as currency_id, d.suspended, l.balance
      from (select currency_id, sum(suspense_amount) as suspended from deposits where suspense_amount <> 0 group by 1) d
      full join (select currency_id, sum(change) as balance from (
          select currency_id, case when credit = 111 then amount else -amount end as change from ledger_lines
            where user_id = 0 and 111 in (debit, credit)
          union all select currency_id, change from ledger_openings join parts_away using (part) where user_id = 0 and account = 111
        ) moved group by 1) l on l.currency_id = d.currency_id
      where coalesce(d.suspended, 0) <> coalesce(l.balance, 0)`,
    "a deposit's suspense amount or return payout does not match its status": `
      select d.id, d.status, d.suspense_amount, r.reference, r.status as payout from deposits d
      left join lateral (select reference, status from deposit_returns where deposit_id = d.id order by attempt desc limit 1) r on true
      where d.status in ('UNDER_REVIEW', 'RETURNING', 'RETURNED', 'WRITTEN_OFF') or d.suspense_amount <> 0
      group by d.id, d.status, d.suspense_amount, r.reference, r.status
      having (d.suspense_amount <> 0 and d.status not in ('UNDER_REVIEW', 'RETURNING')) or d.suspense_amount < 0
        or (d.status = 'RETURNED' and r.status not in ('SENT', 'COMPLETED'))
        or (d.status = 'RETURNING' and r.status not in ('QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME'))`,
  },
};
