/** Balances that staff has set: what moved is what one person did, or two have agreed to. */
export const ADJUSTMENT_CHECKS = {
  'what staff has adjusted is not what the ledger says': `
    select a.id, a.user_id, a.currency_id, a.cash_before, a.cash_after, a.entry_id, l.moved
    from adjustments a left join (
      select entry_id, user_id, currency_id, sum(case when credit = 1 then amount else -amount end) as moved
      from ledger_lines where kind = 'admin.adjustment' group by 1, 2, 3
    ) l on l.entry_id = a.entry_id and l.user_id = a.user_id and l.currency_id = a.currency_id
    where a.entry_id >= (select archived_below('ledger_lines')) and l.moved is distinct from a.cash_after - a.cash_before`,
};
