/** Totals of postings on player accounts in detached partitions. */
const OPENINGS = `(select o.user_id, o.currency_id, o.account, o.change from ledger_openings o join parts_away p using (part) where o.account < 100)`;

/** Each posting as two rows, one for the debited and one for the credited account. */
const SIDES = `(
  select user_id, currency_id, id, debit as account, -amount as change, debit_after as after from ledger_lines where debit < 100
  union all
  select user_id, currency_id, id, credit, amount, credit_after from ledger_lines where credit < 100)`;

/** Up to this time, account hours are compared as one sum. The sum includes detached months and everything before the first hour. */
const ONE_UNTIL = `greatest((select min(hour) from account_hours), (select max(latest) from parts_away where list = 'ledger_lines'))`;

/** Checks that entries balance, and that wallets, claims and account hours are the sums of their postings. */
export const checks = {
  N1: {
    'an entry does not balance': `
      select entry_id, currency_id, sum(amount) from ledger_postings group by 1, 2 having sum(amount) <> 0`,
    'a posting has an unknown account or one with the wrong owner': `
      select l.id, l.user_id, l.debit, l.credit from ledger_lines l
      left join ledger_accounts d on d.code = l.debit left join ledger_accounts c on c.code = l.credit
      where d.code is null or c.code is null or l.amount <= 0 or (l.user_id = 0 and 'USER' in (d.owner, c.owner))`,
  },
  N2: {
    'a wallet is not the sum of its postings': `with openings as ${OPENINGS}
      select coalesce(w.user_id, s.user_id) as user_id, coalesce(w.currency_id, s.currency_id) as currency_id,
        w.cash, s.cash as cash_of_lines, w.vault, s.vault as vault_of_lines, w.bonus, s.bonus as bonus_of_lines,
        w.hold, s.hold as hold_of_lines
      from wallets w full join (
        select user_id, currency_id,
          coalesce(sum(change) filter (where account = 1), 0) as cash, coalesce(sum(change) filter (where account = 2), 0) as vault,
          coalesce(sum(change) filter (where account = 3), 0) as bonus, coalesce(sum(change) filter (where account = 4), 0) as hold
        from (select user_id, currency_id, account, change from ${SIDES} sides union all table openings) moved group by 1, 2) s on s.user_id = w.user_id and s.currency_id = w.currency_id
      where (coalesce(w.cash, 0), coalesce(w.vault, 0), coalesce(w.bonus, 0), coalesce(w.hold, 0))
        is distinct from (coalesce(s.cash, 0), coalesce(s.vault, 0), coalesce(s.bonus, 0), coalesce(s.hold, 0))`,
    'the balance after a posting does not follow from the previous balance': `
      with openings as (select user_id, currency_id, account, sum(change) as opening from ${OPENINGS} o group by 1, 2, 3)
      select user_id, currency_id, account, id, before, change, after from (
        select *, coalesce(lag(after) over (partition by user_id, currency_id, account order by id), opening, 0) as before
        from ${SIDES} sides left join openings using (user_id, currency_id, account)
      ) chain where before + change <> after`,
  },
  N3: {
    'a balance is negative': `
      select user_id, currency_id, cash, vault, bonus, hold from wallets where least(cash, vault, bonus, hold) < 0`,
  },
  N6: {
    "a player's claims do not match the ledger": `
      select coalesce(c.user_id, l.user_id) as user_id, coalesce(c.currency_id, l.currency_id) as currency_id, c.remaining, l.owed
      from (select user_id, currency_id, sum(remaining) as remaining from claims group by 1, 2) c
      full join (select user_id, currency_id, sum(owed) as owed from (
          select user_id, currency_id, case when debit = 110 then amount else -amount end as owed
            from ledger_lines where 110 in (debit, credit)
          union all select user_id, currency_id, -change from ledger_openings join parts_away using (part) where account = 110
        ) claimed group by 1, 2) l
        on l.user_id = c.user_id and l.currency_id = c.currency_id
      where coalesce(c.remaining, 0) <> coalesce(l.owed, 0)`,
  },
  N10: {
    "an account's hourly totals are not the sums of its postings": `
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
  },
};
