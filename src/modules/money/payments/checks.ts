/** SQL that tests whether the postings of an entry can still be read. */
const isKept = (id: string) =>
  `coalesce(${id}, 9223372036854775807) >= (select archived_below('ledger_lines'))`;

/** The amounts that ledger entries have moved for each withdrawal. The key of these entries is withdrawal:<id>:<leg>:<attempt>. */
const LEGS = `(
  select split_part(e.key, ':', 2) as id,
    max(l.user_id) as user_id, min(l.user_id) as least_user_id, max(l.currency_id) as currency_id,
    coalesce(sum(l.amount) filter (where l.debit = 1 and l.credit = 4), 0) as held,
    coalesce(sum(l.amount) filter (where l.debit = 4 and l.credit = 1), 0) as released,
    coalesce(sum(case when l.credit = 108 then l.amount when l.debit = 108 then -l.amount end), 0) as sent,
    coalesce(sum(case when l.credit = 102 then l.amount when l.debit = 102 then -l.amount end), 0) as fees
  from ledger_entries e join ledger_lines l on l.entry_id = e.id
  where e.key like 'withdrawal:%' group by 1)`;

const HELD = `('WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME')`;

/** Checks that deposits, withdrawals and credits match the ledger, and the sums that the dashboards read. */
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
    "a withdrawal's postings do not match its status": `
      select coalesce(w.id::text, l.id) as id, w.status, w.amount, w.fee, l.held, l.released, l.sent, l.fees
      from withdrawals w full join ${LEGS} l on l.id = w.id::text
      where (w.id is null or l.id is null or l.user_id <> w.user_id or l.least_user_id <> w.user_id
        or l.currency_id <> w.currency_id
        or (l.held - l.released, l.sent, l.fees) is distinct from (case
          when w.status in ${HELD} then (w.amount::numeric, 0::numeric, 0::numeric)
          when w.status in ('SENT', 'COMPLETED') then (w.amount::numeric, (w.amount - w.fee)::numeric, w.fee::numeric)
          else (0::numeric, 0::numeric, 0::numeric) end))
        and not exists (select from ledger_entries e where e.id < (select archived_below('ledger_lines'))
          and e.key collate "C" >= 'withdrawal:' || coalesce(w.id::text, l.id) || ':'
          and e.key collate "C" < 'withdrawal:' || coalesce(w.id::text, l.id) || ';')`,
    "a player's held balance is not the sum of their open withdrawals": `
      select coalesce(b.user_id, w.user_id) as user_id, coalesce(b.currency_id, w.currency_id) as currency_id, b.hold, w.open
      from (select user_id, currency_id, hold from wallets where hold <> 0) b
      full join (select user_id, currency_id, sum(amount) as open from withdrawals where status in ${HELD} group by 1, 2) w
        on w.user_id = b.user_id and w.currency_id = b.currency_id
      where b.hold is distinct from w.open`,
    'the withdrawal counters do not match the number of withdrawals': `
      select coalesce(c.status, w.status) as status, c.counted, w.actual
      from (select status, sum(withdrawals) as counted from withdrawal_counts group by 1 having sum(withdrawals) <> 0) c
      full join (select status, count(*) as actual from withdrawals group by 1) w on w.status = c.status
      where c.counted is distinct from w.actual`,
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
