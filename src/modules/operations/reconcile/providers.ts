/** The current amounts of provider bets. */
const CURRENT = `(select b.id, b.status, case when b.is_corrected then coalesce(c.amount_after, case when b.status = 'CREATED' then c.amount_before end, 0)
    when b.status = 'ROLLBACK' then 0 else b.amount end as amount,
    case when b.is_corrected then coalesce(c.payout_after, 0) else b.payout end as payout
  from bets b left join lateral (
    select * from bet_corrections where b.is_corrected and bet_id = b.id order by id desc limit 1) c on true)`;

/** Kinds of postings that belong to a provider transaction but to no bet. */
const KINDS = `('provider.freespin', 'provider.promo', 'provider.jackpot', 'provider.adjustment')`;

/** Checks the bookings of game providers. Bets must be the sums of their transactions, and other bookings must match the ledger. */
export const PROVIDER_CHECKS = {
  'a bet of a provider is not the sum of its transactions': `
    select r.id, r.bet_id, b.status, b.amount, b.payout, t.staked, t.won from provider_rounds r
    left join ${CURRENT} b on b.id = r.bet_id
    left join (
      select round_id, sum(amount) filter (where type = 'BET') as staked, sum(amount) filter (where type = 'WIN') as won
      from provider_transactions where status = 'DONE' group by 1
    ) t on t.round_id = r.id
    where (coalesce(b.amount, 0), coalesce(b.payout, 0)) is distinct from (coalesce(t.staked, 0), coalesce(t.won, 0))
      and coalesce(r.bet_id, 9223372036854775807) >= (select archived_below('bets'))`,
  'bonus money of a bet of a provider is not that of its transactions': `
    select r.id, r.bet_id, b.bonus_staked, t.staked, b.bonus_paid, t.paid from provider_rounds r
    left join bonus_bets b on b.bet_id = r.bet_id
    left join (
      select round_id, sum(bonus) filter (where type = 'BET') as staked, sum(bonus) filter (where type = 'WIN') as paid
      from provider_transactions where status = 'DONE' and bonus <> 0 group by 1
    ) t on t.round_id = r.id
    where (coalesce(b.bonus_staked, 0), coalesce(b.bonus_paid, 0), b.bet_id is not null) is distinct from
      (coalesce(t.staked, 0), coalesce(t.paid, 0), r.has_bonus)`,
  'the bets and wins of a round that stand are not those that it counts': `
    select r.id, r.stakes, r.wins, t.bets, t.won from provider_rounds r left join (
      select round_id, count(*) filter (where type in ('BET', 'FREE_BET')) as bets,
        count(*) filter (where type in ('WIN', 'FREE_WIN')) as won
      from provider_transactions where status = 'DONE' group by 1
    ) t on t.round_id = r.id
    where (r.stakes, r.wins) is distinct from (coalesce(t.bets, 0)::int4, coalesce(t.won, 0)::int4)`,
  'a transaction of a provider that is no part of a bet is not what the ledger says': `
    select coalesce(t.id, l.entry_id) as id, t.type, t.expected, l.moved from (
      select own.id, own.type, case when own.type = 'ROLLBACK' then -back.amount else own.amount end as expected
      from provider_transactions own left join provider_transactions back
        on own.type = 'ROLLBACK' and back.provider_id = own.provider_id and back.transaction_id = own.reference
        and back.type in ('FREE_SPIN_WIN', 'FREE_WIN', 'PROMO_WIN', 'JACKPOT')
      where own.status in ('DONE', 'UNDONE')
        and (own.type in ('FREE_SPIN_WIN', 'FREE_WIN', 'PROMO_WIN', 'JACKPOT', 'ADJUSTMENT') or back.id is not null)
    ) t full join (
      select entry_id, sum(case when credit < 100 or credit = 111 then amount else -amount end) as moved
      from ledger_lines where kind in ${KINDS} group by 1
    ) l on l.entry_id = t.id
    where coalesce(t.expected, 0) <> coalesce(l.moved, 0)
      and coalesce(l.entry_id, t.id) >= (select archived_below('ledger_lines'))`,
  'a transaction of a provider that was refused or never came has moved money': `
    select t.id, t.status from provider_transactions t
    where t.status in ('REFUSED', 'TOMBSTONE') and exists (
      select from ledger_lines l where l.entry_id = t.id and l.kind in ${KINDS})`,
};

/** Postings with lower ids are in detached partitions. */
const SUSPENSE_FROM = `(select archived_below('ledger_lines'))`;

/** Checks credits that did not fit into the player's account. Deposits in suspense are postings of the platform (user 0). */
export const SUSPENSE_CHECKS = {
  'a credit in suspense differs from its finding or its release': `
    select f.id as finding, f.status, l.id as line, l.amount, r.amount as released from (
      select id, status, subject, user_id, facts, case when kind = 'SUSPENSE' then subject::int8 end as line_id from provider_findings
    ) f
    left join ledger_lines l on l.id = f.line_id and l.credit = 111 and l.user_id = f.user_id
    left join ledger_entries e on e.key = 'suspense:' || f.subject
    left join ledger_lines r on r.entry_id = e.id and r.debit = 111 and r.user_id = f.user_id
    where f.line_id >= ${SUSPENSE_FROM} and (l.id is null or l.amount <> (f.facts->>'amount')::numeric * 100000000
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
