/** Postings with lower ids are detached. */
const FROM = `(select archived_below('ledger_lines'))`;

/** Credits that a player's account could not hold. Deposits in suspense are platform postings (user 0). */
export const SUSPENSE_CHECKS = {
  'a credit in suspense differs from its finding or its release': `
    select f.id as finding, f.status, l.id as line, l.amount, r.amount as released from (
      select id, status, subject, user_id, facts, case when kind = 'SUSPENSE' then subject::int8 end as line_id from provider_findings
    ) f
    left join ledger_lines l on l.id = f.line_id and l.credit = 111 and l.user_id = f.user_id
    left join ledger_entries e on e.key = 'suspense:' || f.subject
    left join ledger_lines r on r.entry_id = e.id and r.debit = 111 and r.user_id = f.user_id
    where f.line_id >= ${FROM} and (l.id is null or l.amount <> (f.facts->>'amount')::numeric * 100000000
      or (f.status = 'OPEN') <> (e.id is null) or (e.id is not null and r.amount is distinct from l.amount))`,
  'the suspense account of a player is not the sum of the open findings': `
    select coalesce(f.user_id, l.user_id) as user_id, coalesce(f.currency_id, l.currency_id) as currency_id, f.held, l.balance
    from (select user_id, facts->>'currencyId' as currency_id, sum((facts->>'amount')::numeric * 100000000) as held
      from provider_findings where kind = 'SUSPENSE' and status = 'OPEN' group by 1, 2) f
    full join (select user_id, currency_id, sum(change) as balance from (
        select user_id, currency_id, case when credit = 111 then amount else -amount end as change from ledger_lines
          where user_id > 0 and 111 in (debit, credit)
        union all select user_id, currency_id, change from ledger_openings join parts_away using (part) where user_id > 0 and account = 111
      ) moved group by 1, 2) l on l.user_id = f.user_id and l.currency_id = f.currency_id
    where coalesce(f.held, 0) <> coalesce(l.balance, 0)`,
} as const;
