/** Tests whether an entry's postings are still readable. `ids` are alternatives; the first that exists is used. */
const isKept = (ids: string) =>
  `coalesce(${ids}, 9223372036854775807) >= (select archived_below('ledger_lines'))`;

/** Deposits: credits, reversals, claims and coins in suspense match the ledger. */
export const DEPOSIT_CHECKS = {
  'a deposit has not exactly its entry in the ledger, or an entry no deposit': `
    select d.id, d.status, d.amount, l.entry_id, l.user_id, l.lines, l.paid from (
      select * from deposits where credit_key is not null or status in ('COMPLETED', 'ON_HOLD')
    ) d full join (
      select entry_id, user_id, currency_id, count(*) as lines, sum(amount) as paid
      from ledger_lines where kind = 'deposit' and debit = 108 and credit = 1 group by 1, 2, 3
    ) l on l.entry_id = d.entry_id and l.user_id = d.user_id and l.currency_id = d.currency_id
    where (d.id is null or l.entry_id is null or l.lines <> 1 or l.paid <> d.amount
      or d.status not in ('COMPLETED', 'ON_HOLD', 'REVERSED')) and ${isKept('d.entry_id, l.entry_id')}`,
  'a credit has not exactly its amount in the ledger, or its reversal has not': `with l as (
      select entry_id, user_id, currency_id, kind, sum(amount) as moved from ledger_lines
      where kind in ('deposit', 'deposit.reversal', 'skins.deposit', 'skins.deposit.reversal') group by 1, 2, 3, 4)
    select c.key, c.amount, c.entry_id, i.moved as credited, c.reversal_entry_id, o.moved as taken from payment_credits c
    left join l i on (i.entry_id, i.user_id, i.currency_id, i.kind) = (c.entry_id, c.user_id, c.currency_id, c.kind)
    left join l o on (o.entry_id, o.user_id, o.currency_id, o.kind)
      = (c.reversal_entry_id, c.user_id, c.currency_id, c.kind || '.reversal')
    where (i.moved is distinct from c.amount and ${isKept('c.entry_id')})
      or (o.moved is distinct from case when c.reversal_entry_id is not null then c.amount end and ${isKept('c.reversal_entry_id')})`,
  'a deposit was reversed and its credit was not, or the other way round': `
    select d.id, d.status, c.key, c.reversal_entry_id from deposits d join payment_credits c on c.key = d.credit_key
    where (d.status = 'REVERSED') <> (c.reversal_entry_id is not null)`,
  'what a player owes is not what the ledger says': `
    select coalesce(c.user_id, l.user_id) as user_id, coalesce(c.currency_id, l.currency_id) as currency_id, c.remaining, l.owed
    from (select user_id, currency_id, sum(remaining) as remaining from claims group by 1, 2) c
    full join (select user_id, currency_id, sum(owed) as owed from (
        select user_id, currency_id, case when debit = 110 then amount else -amount end as owed
          from ledger_lines where 110 in (debit, credit)
        union all select user_id, currency_id, -change from ledger_openings join parts_away using (part) where account = 110
      ) claimed group by 1, 2) l
      on l.user_id = c.user_id and l.currency_id = c.currency_id
    where coalesce(c.remaining, 0) <> coalesce(l.owed, 0)`,
  'the suspense account is not the sum of deposits under review': `
    select coalesce(d.currency_id, l.currency_id) as currency_id, d.suspended, l.balance
    from (select currency_id, sum(suspense_amount) as suspended from deposits where suspense_amount <> 0 group by 1) d
    full join (select currency_id, sum(change) as balance from (
        select currency_id, case when credit = 111 then amount else -amount end as change from ledger_lines
          where user_id = 0 and 111 in (debit, credit)
        union all select currency_id, change from ledger_openings join parts_away using (part) where user_id = 0 and account = 111
      ) moved group by 1) l on l.currency_id = d.currency_id
    where coalesce(d.suspended, 0) <> coalesce(l.balance, 0)`,
  'a deposit has coins in suspense and is not under review, or was returned and its payout was not sent': `
    select d.id, d.status, d.suspense_amount, r.reference, r.status as payout from deposits d
    left join lateral (select reference, status from deposit_returns where deposit_id = d.id order by attempt desc limit 1) r on true
    where d.status in ('UNDER_REVIEW', 'RETURNING', 'RETURNED', 'WRITTEN_OFF') or d.suspense_amount <> 0
    group by d.id, d.status, d.suspense_amount, r.reference, r.status
    having (d.suspense_amount <> 0 and d.status not in ('UNDER_REVIEW', 'RETURNING')) or d.suspense_amount < 0
      or (d.status = 'RETURNED' and r.status not in ('SENT', 'COMPLETED'))
      or (d.status = 'RETURNING' and r.status not in ('QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME'))`,
};
