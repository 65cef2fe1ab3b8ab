import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** The position of the reward consumer. */
const POSITION = `(select position from cursors where name = 'rewards')`;

/** The settled part of a stake in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** Hours that began before the first readable posting can no longer be recomputed. */
const KEPT_FROM = `coalesce((select date_trunc('hour', created_at, 'UTC') + interval '1 hour' from ledger_entries
  where archived_below('ledger_lines') > 0 and id >= archived_below('ledger_lines') order by id limit 1), '-infinity')`;

/** Checks all money that players received, except from bets and payments. */
export const REWARD_CHECKS = {
  'a bet that counts has not exactly its reward, or one that does not count has one': `
    with first as (select min(place) as place from bet_rewards),
    bets_counted as (
      select id as bet_id, coalesce(settlement_id, id) as place, ${DECIDED} as usd_amount from bets where ${countsAt(POSITION)}
      union all
      select bet_id, null, ${DECIDED} from ${correctedAt(POSITION)} corrected),
    rewards as (
      select bet_id, count(*) as rewards, sum(own_usd) as own_usd from bet_rewards
      where reversed_place is null and bet_id >= archived_below('bets') group by 1)
    select bet_id, place, rewards, usd_amount, own_usd from rewards full join bets_counted using (bet_id)
    where (rewards is null and place >= (select place from first)) or usd_amount is null or rewards > 1 or own_usd > usd_amount`,
  'an hour of what was given away is not what the ledger says': `with given as (
      select date_trunc('hour', created_at, 'UTC') as hour, kind, user_id, currency_id, count(distinct entry_id) as count, sum(amount) as amount
      from ledger_lines
      where kind in ('promo.grant', 'promo.conversion', 'rakeback.claim', 'affiliate.claim', 'leaderboard.prize', 'challenge.reward',
        'challenge.rollback', 'crm.funds', 'admin.tip', 'admin.deduction') and 1 in (debit, credit) or kind = 'promo.conversion.back' group by 1, 2, 3, 4)
    select hour, kind, user_id, currency_id, m.count, g.count as count_of_ledger, m.amount, g.amount as amount_of_ledger
    from money_hours m full join given g using (hour, kind, user_id, currency_id)
    where (m.count, m.amount) is distinct from (g.count, g.amount) and hour >= ${KEPT_FROM}`,
  'a grant of cash has not exactly its entry in the ledger': `
    select g.id, g.user_id, g.granted_amount, l.lines, l.paid from promo_grants g
    join ledger_entries e on e.key = 'promo:' || g.id || ':start:1'
    left join lateral (select count(*) as lines, sum(amount) as paid from ledger_lines
      where entry_id = e.id and user_id = g.user_id and currency_id = g.currency_id and kind = 'promo.grant' and credit = 1) l on true
    where g.kind = 'CASH' and (l.lines <> 1 or l.paid <> g.granted_amount) and e.id >= archived_below('ledger_lines')
    union all
    select g.id, g.user_id, g.granted_amount, 0, null from promo_grants g where g.kind = 'CASH' and g.status = 'COMPLETED'
      and not exists (select from ledger_entries where key = 'promo:' || g.id || ':start:1')`,
  'bonus money of a bet is not what the ledger has moved for it': `
    select coalesce(b.bet_id, l.entry_id) as bet_id, b.bonus_staked, l.staked, b.bonus_paid, l.paid from bonus_bets b
    full join (select entry_id, sum(case kind when 'bet.stake' then amount when 'bet.stake.rollback' then -amount else 0 end) as staked,
        sum(case kind when 'bet.payout' then amount when 'bet.payout.rollback' then -amount else 0 end) as paid
      from ledger_lines where kind in ('bet.stake', 'bet.payout', 'bet.stake.rollback', 'bet.payout.rollback') and 3 in (debit, credit)
        and not exists (select from ledger_entries e where e.id = entry_id) group by 1) l on l.entry_id = b.bet_id
    where coalesce(b.bet_id, l.entry_id) >= archived_below('ledger_lines')
      and ((coalesce(b.bonus_staked, 0), coalesce(b.bonus_paid, 0)) is distinct from (coalesce(l.staked, 0), coalesce(l.paid, 0))
        or b.bonus_lost > b.bonus_paid)`,
  'the turnover of a grant is not what its bets count': `
    select g.id, g.user_id, g.wager_done, b.counted from promo_grants g
    left join (select grant_id, sum(counted)::int8 as counted from bonus_bets group by 1) b on b.grant_id = g.id
    where g.kind = 'BONUS' and g.wager_done <> coalesce(b.counted, 0)`,
  'a player has a grant that their bets do not know of': `
    select p.user_id, g.id from players p join promo_grants g on g.user_id = p.user_id
    where not p.has_grant and (g.status = 'ACTIVE' or exists (select from bonus_bets b
      where b.user_id = g.user_id and b.grant_id = g.id and b.counted is null))`,
  'what the grants of a player hold is not their bonus money': `
    select user_id, currency_id, w.bonus, g.held from (select * from wallets where bonus > 0) w
    full join (select user_id, currency_id, sum(bonus_balance) as held from promo_grants where bonus_balance > 0 group by 1, 2) g
      using (user_id, currency_id)
    where w.bonus is distinct from g.held`,
  // Excludes rolled-back bets, because their effect on the grant was reversed.
  'a grant is not what became of it': `
    select g.id, g.user_id, g.status, g.granted_amount, g.converted, g.forfeited, g.bonus_balance, b.staked, b.paid, g.written_off
    from promo_grants g
    left join (select grant_id, sum(bonus_staked) as staked, sum(bonus_paid) as paid from bonus_bets
      left join bets on bets.id = bet_id where bets.status is distinct from 'ROLLBACK' group by 1) b on b.grant_id = g.id
    where g.kind = 'BONUS' and g.activated_at is not null
      and not exists (select from bonus_bets where grant_id = g.id and bet_id < archived_below('bets'))
      and g.granted_amount <> g.converted + g.forfeited + g.bonus_balance + coalesce(b.staked, 0) - coalesce(b.paid, 0) - g.written_off`,
  'what grants have converted is not what the ledger says': `
    select user_id, currency_id, g.converted, l.moved from (
      select user_id, currency_id, sum(converted) as converted from promo_grants
        where kind = 'BONUS' and converted > 0 group by 1, 2) g
    full join (select user_id, currency_id, sum(case kind when 'promo.conversion' then amount else -amount end) as moved from ledger_lines
      where kind in ('promo.conversion', 'promo.conversion.back') group by 1, 2) l using (user_id, currency_id)
    where coalesce(g.converted, 0) <> coalesce(l.moved, 0) and archived_below('ledger_lines') = 0`,
};

/**
 * Checks tips between players, and tips and deductions by staff. Each must match exactly one entry, and each entry must match exactly one
 * of them.
 */
export const TIP_CHECKS = {
  'a tip has not exactly its entry in the ledger': `
    select t.id, coalesce(t.entry_id, m.entry_id) as entry_id, t.sender_id, t.recipient_id, t.currency_id, t.amount, m.lines, m.sent, m.received
    from (select t.*, e.id as entry_id from tips t left join ledger_entries e on e.key = 'tip:' || t.id) t
    full join (
      select entry_id, count(*) as lines, min(currency_id) as currency_id, max(currency_id) as other_currency_id,
        min(user_id) filter (where kind = 'tip.sent') as sender_id, min(user_id) filter (where kind = 'tip.received') as recipient_id,
        sum(amount) filter (where kind = 'tip.sent' and debit = 1 and credit = 107) as sent,
        sum(amount) filter (where kind = 'tip.received' and debit = 107 and credit = 1) as received
      from ledger_lines where kind in ('tip.sent', 'tip.received') group by 1) m on m.entry_id = t.entry_id
    where t.id is null or t.entry_id is null or t.entry_id >= archived_below('ledger_lines')
      and (m.lines, m.currency_id, m.other_currency_id, m.sender_id, m.recipient_id, m.sent, m.received) is distinct from
        (2, t.currency_id, t.currency_id, t.sender_id, t.recipient_id, t.amount, t.amount)`,
  'a tip or a deduction of staff has not exactly its entry in the ledger': `
    select t.id, t.kind, coalesce(t.entry_id, m.entry_id) as entry_id, t.recipient_id, t.currency_id, t.amount, m.lines, m.given, m.taken
    from (select t.*, e.id as entry_id, e.actor_id from admin_tips t left join ledger_entries e on e.key = 'admintip:' || t.id) t
    full join (
      select entry_id, count(*) as lines, min(user_id) as user_id, min(currency_id) as currency_id,
        coalesce(sum(amount) filter (where kind = 'admin.tip' and debit = 107 and credit = 1), 0) as given,
        coalesce(sum(amount) filter (where kind = 'admin.deduction' and debit = 1 and credit = 107), 0) as taken
      from ledger_lines where kind in ('admin.tip', 'admin.deduction') group by 1) m on m.entry_id = t.entry_id
    where t.id is null or t.entry_id is null or t.actor_id is distinct from t.sender_id
      or t.entry_id >= archived_below('ledger_lines') and (m.lines, m.user_id, m.currency_id, m.given, m.taken) is distinct from (1, t.recipient_id,
        t.currency_id, case t.kind when 'TIP' then t.amount else 0 end, case t.kind when 'DEDUCTION' then t.amount else 0 end)`,
};

/**
 * Checks CRM credits. A cash credit must match one entry with the hash of its trigger, a promotion must match one grant, and vice versa.
 */
export const CRM_CHECKS = {
  'cash that the CRM has credited has not exactly its entry in the ledger': `
    select encode(c.hash, 'hex') as hash, coalesce(c.entry_id, m.entry_id) as entry_id, c.user_id, c.key, m.lines, m.user_id as paid_to
    from (select c.*, e.key from crm_credits c left join ledger_entries e on e.id = c.entry_id where c.entry_id is not null) c
    full join (
      select entry_id, count(*) as lines, min(user_id) as user_id, bool_and(debit = 103 and credit = 1) as is_right
      from ledger_lines where kind = 'crm.funds' group by 1) m using (entry_id)
    where c.hash is null or c.key is distinct from 'crm:' || encode(c.hash, 'hex')
      or entry_id >= archived_below('ledger_lines') and (m.lines, m.user_id, m.is_right) is distinct from (1, c.user_id, true)`,
  'what the CRM has granted is not exactly what it has credited': `
    select g.id, g.user_id, g.source, encode(c.hash, 'hex') as hash, c.user_id as credited_to
    from (select * from crm_credits where grant_id is not null) c
    full join (select * from promo_grants where source = 'CRM') g on g.id = c.grant_id
    where (g.user_id, g.source_key) is distinct from (c.user_id, g.promo_id || ':crm:' || encode(c.hash, 'hex'))`,
};
