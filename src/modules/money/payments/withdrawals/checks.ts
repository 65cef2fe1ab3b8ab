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
export const checks = {
  N6: {
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
};
