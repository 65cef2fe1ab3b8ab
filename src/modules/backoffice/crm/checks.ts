/**
 * Checks CRM credits. A cash credit must match one entry with the hash of its trigger, a promotion must match one grant, and vice versa.
 */
export const checks = {
  N10: {
    'a CRM cash credit does not match exactly one ledger entry': `
      select encode(c.hash, 'hex') as hash, coalesce(c.entry_id, m.entry_id) as entry_id, c.user_id, c.key, m.lines, m.user_id as paid_to
      from (select c.*, e.key from crm_credits c left join ledger_entries e on e.id = c.entry_id where c.entry_id is not null) c
      full join (
        select entry_id, count(*) as lines, min(user_id) as user_id, bool_and(debit = 103 and credit = 1) as is_right
        from ledger_lines where kind = 'crm.funds' group by 1) m using (entry_id)
      where c.hash is null or c.key is distinct from 'crm:' || encode(c.hash, 'hex')
        or entry_id >= archived_below('ledger_lines') and (m.lines, m.user_id, m.is_right) is distinct from (1, c.user_id, true)`,
    'CRM grants do not match CRM credits': `
      select g.id, g.user_id, g.source, encode(c.hash, 'hex') as hash, c.user_id as credited_to
      from (select * from crm_credits where grant_id is not null) c
      full join (select * from promo_grants where source = 'CRM') g on g.id = c.grant_id
      where (g.user_id, g.source_key) is distinct from (c.user_id, g.promo_id || ':crm:' || encode(c.hash, 'hex'))`,
  },
};
