/** Checks balances that staff have set. The ledger must match the changes that one person made or two people approved. */
export const checks = {
  N6: {
    'an adjustment by staff does not match the ledger': `
      select v.id, v.input, v.entry_id, l.moved
      from staff_values v left join (
        select entry_id, user_id, currency_id, sum(case when credit = 1 then amount else -amount end) as moved
        from ledger_lines where kind = 'admin.adjustment' group by 1, 2, 3
      ) l on l.entry_id = v.entry_id and l.user_id = (v.input->>'userId')::int4 and l.currency_id = v.input->>'currencyId'
      where v.operation = 'balance' and v.entry_id >= (select archived_below('ledger_lines'))
        and l.moved is distinct from ((v.input->>'after')::numeric - (v.input->>'before')::numeric) * 100000000`,
  },
};
