/** SQL that tests whether the postings of an entry can still be read. Uses the first id in `ids` that is not null. */
const isKept = (ids: string) =>
  `coalesce(${ids}, 9223372036854775807) >= (select archived_below('ledger_lines'))`;

/** Checks that the credits, reversals, claims and suspense amounts of deposits match the ledger. */
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

/** Checks that the states of withdrawals match the ledger. */
export const WITHDRAWAL_CHECKS = {
  'a withdrawal has not exactly the legs of its state': `
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
  'what a player holds is not the sum of their open withdrawals': `
    select coalesce(b.user_id, w.user_id) as user_id, coalesce(b.currency_id, w.currency_id) as currency_id, b.hold, w.open
    from (select user_id, currency_id, hold from wallets where hold <> 0) b
    full join (select user_id, currency_id, sum(amount) as open from withdrawals where status in ${HELD} group by 1, 2) w
      on w.user_id = b.user_id and w.currency_id = b.currency_id
    where b.hold is distinct from w.open`,
  'the counters of withdrawals are not how many there are': `
    select coalesce(c.status, w.status) as status, c.counted, w.actual
    from (select status, sum(withdrawals) as counted from withdrawal_counts group by 1 having sum(withdrawals) <> 0) c
    full join (select status, count(*) as actual from withdrawals group by 1) w on w.status = c.status
    where c.counted is distinct from w.actual`,
};

/** Checks that the amounts of skin deposits match the ledger. */
export const SKIN_CHECKS = {
  'a deposit by skins does not say what the ledger has moved for it': `
    select coalesce(d.id, l.id) as id, d.status, d.credited, l.credited as credited_in_ledger, d.returned,
      l.returned as returned_in_ledger
    from (
      select id::text, user_id, currency_id, status, credited_amount as credited,
        case when returned_at is null then 0 else credited_amount end as returned
      from skin_deposits where credited_at is not null) d
    full join (
      select split_part(e.key, ':', 2) as id, l.user_id, l.currency_id,
        coalesce(sum(l.amount) filter (where l.kind = 'skins.deposit'), 0) as credited,
        coalesce(sum(l.amount) filter (where l.kind = 'skins.deposit.reversal'), 0) as returned
      from ledger_lines l join ledger_entries e on e.id = l.entry_id
      where l.kind in ('skins.deposit', 'skins.deposit.reversal') group by 1, 2, 3
    ) l on l.id = d.id and l.user_id = d.user_id and l.currency_id = d.currency_id
    where (coalesce(d.credited, 0) <> coalesce(l.credited, 0) or coalesce(d.returned, 0) <> coalesce(l.returned, 0))
      and not exists (select from ledger_entries e
        where e.id < (select archived_below('ledger_lines')) and split_part(e.key, ':', 2) = coalesce(d.id, l.id))`,
  'the status of a deposit by skins does not agree with its money': `
    select id, user_id, status, credited_at, returned_at from skin_deposits where not case status
      when 'SUCCESS' then credited_at is not null and returned_at is null
      when 'HOLD_APPROVED' then returned_at is null
      when 'HOLD_RETURNED' then credited_at is null or returned_at is not null
      else credited_at is null end`,
};

/** Checks balances that staff have set. The ledger must match the changes that one person made or two people approved. */
export const ADJUSTMENT_CHECKS = {
  'what staff has adjusted is not what the ledger says': `
    select v.id, v.input, v.entry_id, l.moved
    from staff_values v left join (
      select entry_id, user_id, currency_id, sum(case when credit = 1 then amount else -amount end) as moved
      from ledger_lines where kind = 'admin.adjustment' group by 1, 2, 3
    ) l on l.entry_id = v.entry_id and l.user_id = (v.input->>'userId')::int4 and l.currency_id = v.input->>'currencyId'
    where v.operation = 'balance' and v.entry_id >= (select archived_below('ledger_lines'))
      and l.moved is distinct from ((v.input->>'after')::numeric - (v.input->>'before')::numeric) * 100000000`,
};
