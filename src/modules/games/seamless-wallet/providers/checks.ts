import { READABLE_FROM } from '../../bets/checks.ts';
import { lastCorrection } from '../../bets/versions.ts';

const STAKED = `coalesce(sum(case kind when 'bet.stake' then amount when 'bet.stake.rollback' then -amount end), 0)`;
const PAID = `coalesce(sum(case kind when 'bet.payout' then amount when 'bet.payout.rollback' then -amount end), 0)`;

/** The current amounts of provider bets. */
const CURRENT = `(select b.id, b.status, case when b.is_corrected then coalesce(c.amount_after, case when b.status = 'CREATED' then c.amount_before end, 0)
    when b.status = 'ROLLBACK' then 0 else b.amount end as amount,
    case when b.is_corrected then coalesce(c.payout_after, 0) else b.payout end as payout
  from bets b left join lateral (
    select * from bet_corrections where b.is_corrected and bet_id = b.id order by id desc limit 1) c on true)`;

/** Kinds of postings that belong to a provider transaction but to no bet. */
const KINDS = `('provider.freespin', 'provider.promo', 'provider.jackpot', 'provider.adjustment')`;

/**
 * Checks the bookings of game providers. A bet on a provider game is a round. Its postings have the id of the bet or of a transaction of
 * the round. Their sum must equal the bet's current amounts: only the stake for a reopened bet, and zero for a rolled-back bet. Other
 * bookings must match the ledger.
 */
export const checks = {
  N4: {
    'a provider bet does not match the ledger': `
      select b.id, b.status, e.amount, l.staked, e.payout, l.paid from bets b
      join games g on g.id = b.game_id and g.type <> 'HOUSE_GAME'
      left join lateral ${lastCorrection('b')} c on true
      cross join lateral (select
        case when b.status = 'ROLLBACK' then 0 else coalesce(c.amount_after, c.amount_before, b.amount) end as amount,
        case when b.status = 'ROLLBACK' or (c.id is not null and b.status <> 'SETTLED') then 0 else coalesce(c.payout_after, b.payout) end as payout) e
      left join (
        select bet_id, user_id, currency_id, ${STAKED} as staked, ${PAID} as paid
        from (
          select coalesce(r.bet_id, l.entry_id) as bet_id, l.user_id, l.currency_id, l.kind, l.amount from ledger_lines l
          left join provider_transactions t on t.id = l.entry_id left join provider_rounds r on r.id = t.round_id
          where l.kind in ('bet.stake', 'bet.payout', 'bet.stake.rollback', 'bet.payout.rollback')
        ) of_bet group by 1, 2, 3
      ) l on l.bet_id = b.id and l.user_id = b.user_id and l.currency_id = b.currency_id
      where b.id >= ${READABLE_FROM} and (e.amount, e.payout) is distinct from (coalesce(l.staked, 0), coalesce(l.paid, 0))`,
  },
  N5: {
    // The entry of a posting is a ledger entry, a bet or a provider transaction.
    'a posting has no entry, or an entry has no postings': `select h.id as head, h.key, l.entry_id from
        (select id, key from ledger_entries union all select id, null from bets union all
          select id, null from provider_transactions t where exists (select from ledger_lines where entry_id = t.id)) h
        full join (select distinct entry_id from ledger_lines) l on l.entry_id = h.id
      where (h.id is null or l.entry_id is null) and coalesce(h.id, l.entry_id) >= ${READABLE_FROM}`,
  },
  N6: {
    'a provider bet is not the sum of its transactions': `
      select r.id, r.bet_id, b.status, b.amount, b.payout, t.staked, t.won from provider_rounds r
      left join ${CURRENT} b on b.id = r.bet_id
      left join (
        select round_id, sum(amount) filter (where type = 'BET') as staked, sum(amount) filter (where type = 'WIN') as won
        from provider_transactions where status = 'DONE' group by 1
      ) t on t.round_id = r.id
      where (coalesce(b.amount, 0), coalesce(b.payout, 0)) is distinct from (coalesce(t.staked, 0), coalesce(t.won, 0))
        and coalesce(r.bet_id, 9223372036854775807) >= (select archived_below('bets'))`,
    "a provider bet's bonus money is not the sum of its transactions": `
      select r.id, r.bet_id, b.bonus_staked, t.staked, b.bonus_paid, t.paid from provider_rounds r
      left join bonus_bets b on b.bet_id = r.bet_id
      left join (
        select round_id, sum(bonus) filter (where type = 'BET') as staked, sum(bonus) filter (where type = 'WIN') as paid
        from provider_transactions where status = 'DONE' and bonus <> 0 group by 1
      ) t on t.round_id = r.id
      where (coalesce(b.bonus_staked, 0), coalesce(b.bonus_paid, 0), b.bet_id is not null) is distinct from
        (coalesce(t.staked, 0), coalesce(t.paid, 0), r.has_bonus)`,
    "a provider round's counts of stakes and wins do not match its transactions": `
      select r.id, r.stakes, r.wins, t.bets, t.won from provider_rounds r left join (
        select round_id, count(*) filter (where type in ('BET', 'FREE_BET')) as bets,
          count(*) filter (where type in ('WIN', 'FREE_WIN')) as won
        from provider_transactions where status = 'DONE' group by 1
      ) t on t.round_id = r.id
      where (r.stakes, r.wins) is distinct from (coalesce(t.bets, 0)::int4, coalesce(t.won, 0)::int4)`,
    'a provider transaction outside a bet does not match the ledger': `
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
    'a rejected provider transaction or a tombstone has moved money': `
      select t.id, t.status from provider_transactions t
      where t.status in ('REFUSED', 'TOMBSTONE') and exists (
        select from ledger_lines l where l.entry_id = t.id and l.kind in ${KINDS})`,
    // Credits that did not fit into the player's account. Deposits in suspense are postings of the platform (user 0).
    'a credit in suspense does not match its finding or its release': `
      select f.id as finding, f.status, l.id as line, l.amount, r.amount as released from (
        select id, status, subject, user_id, facts, case when kind = 'SUSPENSE' then subject::int8 end as line_id from provider_findings
      ) f
      left join ledger_lines l on l.id = f.line_id and l.credit = 111 and l.user_id = f.user_id
      left join ledger_entries e on e.key = 'suspense:' || f.subject
      left join ledger_lines r on r.entry_id = e.id and r.debit = 111 and r.user_id = f.user_id
      where f.line_id >= (select archived_below('ledger_lines')) and (l.id is null or l.amount <> (f.facts->>'amount')::numeric * 100000000
        or (f.status = 'OPEN') <> (e.id is null) or (e.id is not null and r.amount is distinct from l.amount))`,
    "a player's suspense account is not the sum of their open findings": `
      select coalesce(f.user_id, l.user_id) as user_id, coalesce(f.currency_id, l.currency_id) as currency_id, f.held, l.balance
      from (select user_id, facts->>'currencyId' as currency_id, sum((facts->>'amount')::numeric * 100000000) as held
        from provider_findings where kind = 'SUSPENSE' and status = 'OPEN' group by 1, 2) f
      full join (select user_id, currency_id, sum(change) as balance from (
          select user_id, currency_id, case when credit = 111 then amount else -amount end as change from ledger_lines
            where user_id > 0 and 111 in (debit, credit)
          union all select user_id, currency_id, change from ledger_openings join parts_away using (part) where user_id > 0 and account = 111
        ) moved group by 1, 2) l on l.user_id = f.user_id and l.currency_id = f.currency_id
      where coalesce(f.held, 0) <> coalesce(l.balance, 0)`,
  },
  N8: {
    'the winnings of free spins do not match their grant': `
      select g.id, g.user_id, g.converted, t.won from (select * from promo_grants where kind = 'FREE_SPINS') g
      left join free_rounds f on f.grant_id = g.id
      left join (
        select provider_id, free_rounds, sum(amount) as won from provider_transactions
        where type in ('FREE_WIN', 'FREE_SPIN_WIN') and status = 'DONE' and free_rounds is not null group by 1, 2
      ) t on t.provider_id = f.provider_id and t.free_rounds = f.reference
      where f.grant_id is null or g.converted <> coalesce(t.won, 0)`,
  },
};
