/** Hours that began before the first readable posting can no longer be recomputed. */
const KEPT_FROM = `coalesce((select date_trunc('hour', created_at, 'UTC') + interval '1 hour' from ledger_entries
  where archived_below('ledger_lines') > 0 and id >= archived_below('ledger_lines') order by id limit 1), '-infinity')`;

/** Checks grants, the bonus money of bets, and the hourly sums of everything that the platform gives to players. */
export const checks = {
  N10: {
    'hourly reward totals do not match the ledger': `with given as (
        select date_trunc('hour', created_at, 'UTC') as hour, kind, user_id, currency_id, count(distinct entry_id) as count, sum(amount) as amount
        from ledger_lines
        where kind in ('promo.grant', 'promo.conversion', 'rakeback.claim', 'affiliate.claim', 'leaderboard.prize', 'challenge.reward',
          'challenge.rollback', 'crm.funds', 'admin.tip', 'admin.deduction') and 1 in (debit, credit) or kind = 'promo.conversion.back' group by 1, 2, 3, 4)
      select hour, kind, user_id, currency_id, m.count, g.count as count_of_ledger, m.amount, g.amount as amount_of_ledger
      from money_hours m full join given g using (hour, kind, user_id, currency_id)
      where (m.count, m.amount) is distinct from (g.count, g.amount) and hour >= ${KEPT_FROM}`,
    'a cash grant does not match exactly one ledger entry': `
      select g.id, g.user_id, g.granted_amount, l.lines, l.paid from promo_grants g
      join ledger_entries e on e.key = 'promo:' || g.id || ':start:1'
      left join lateral (select count(*) as lines, sum(amount) as paid from ledger_lines
        where entry_id = e.id and user_id = g.user_id and currency_id = g.currency_id and kind = 'promo.grant' and credit = 1) l on true
      where g.kind = 'CASH' and (l.lines <> 1 or l.paid <> g.granted_amount) and e.id >= archived_below('ledger_lines')
      union all
      select g.id, g.user_id, g.granted_amount, 0, null from promo_grants g where g.kind = 'CASH' and g.status = 'COMPLETED'
        and not exists (select from ledger_entries where key = 'promo:' || g.id || ':start:1')`,
    "a bet's bonus money does not match the ledger": `
      select coalesce(b.bet_id, l.entry_id) as bet_id, b.bonus_staked, l.staked, b.bonus_paid, l.paid from bonus_bets b
      full join (select entry_id, sum(case kind when 'bet.stake' then amount when 'bet.stake.rollback' then -amount else 0 end) as staked,
          sum(case kind when 'bet.payout' then amount when 'bet.payout.rollback' then -amount else 0 end) as paid
        from ledger_lines where kind in ('bet.stake', 'bet.payout', 'bet.stake.rollback', 'bet.payout.rollback') and 3 in (debit, credit)
          and not exists (select from ledger_entries e where e.id = entry_id) group by 1) l on l.entry_id = b.bet_id
      where coalesce(b.bet_id, l.entry_id) >= archived_below('ledger_lines')
        and ((coalesce(b.bonus_staked, 0), coalesce(b.bonus_paid, 0)) is distinct from (coalesce(l.staked, 0), coalesce(l.paid, 0))
          or b.bonus_lost > b.bonus_paid)`,
    "a grant's wagered amount is not the sum of its bets": `
      select g.id, g.user_id, g.wager_done, b.counted from promo_grants g
      left join (select grant_id, sum(counted)::int8 as counted from bonus_bets group by 1) b on b.grant_id = g.id
      where g.kind = 'BONUS' and g.wager_done <> coalesce(b.counted, 0)`,
    'a player with a grant is not marked as having one': `
      select p.user_id, g.id from players p join promo_grants g on g.user_id = p.user_id
      where not p.has_grant and (g.status = 'ACTIVE' or exists (select from bonus_bets b
        where b.user_id = g.user_id and b.grant_id = g.id and b.counted is null))`,
    "a player's bonus balance is not the sum of their grants": `
      select user_id, currency_id, w.bonus, g.held from (select * from wallets where bonus > 0) w
      full join (select user_id, currency_id, sum(bonus_balance) as held from promo_grants where bonus_balance > 0 group by 1, 2) g
        using (user_id, currency_id)
      where w.bonus is distinct from g.held`,
    'converted bonus money does not match the ledger': `
      select user_id, currency_id, g.converted, l.moved from (
        select user_id, currency_id, sum(converted) as converted from promo_grants
          where kind = 'BONUS' and converted > 0 group by 1, 2) g
      full join (select user_id, currency_id, sum(case kind when 'promo.conversion' then amount else -amount end) as moved from ledger_lines
        where kind in ('promo.conversion', 'promo.conversion.back') group by 1, 2) l using (user_id, currency_id)
      where coalesce(g.converted, 0) <> coalesce(l.moved, 0) and archived_below('ledger_lines') = 0`,
  },
};
