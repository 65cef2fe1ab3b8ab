import { defineModule } from '../../../http/module.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { getSkinDeposit, receiveSkinWebhook, startSkinDeposit } from './deposit.ts';
import { createSkins } from './service.ts';

export const skins = defineModule({
  name: 'skins',
  tags: { 'Payments (skin marketplace)': 'Deposits of items that players sell at a skin marketplace.' },
  checks: {
    N6: {
      'a skin deposit does not match the ledger': `
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
      "a skin deposit's status does not match its credit": `
        select id, user_id, status, credited_at, returned_at from skin_deposits where not case status
          when 'SUCCESS' then credited_at is not null and returned_at is null
          when 'HOLD_APPROVED' then returned_at is null
          when 'HOLD_RETURNED' then credited_at is null or returned_at is not null
          else credited_at is null end`,
    },
  },
  create: ({ payments }: { payments: PaymentDeps }) => ({ skins: createSkins(payments) }),
  operations: [startSkinDeposit, getSkinDeposit, receiveSkinWebhook],
});
