/** Below this id, bets and entries are not checked posting by posting, because some of them are in detached partitions. */
export const READABLE_FROM = `(select greatest(archived_below('bets'), archived_below('ledger_lines')))`;

/** The time at which the last bet in a detached partition was settled. Sums up to this time can no longer be recomputed from bets. */
export const DETACHED_UNTIL = `(select coalesce(max(latest), '-infinity') from parts_away where list = 'bets')`;

const SIDES = ['amount', 'payout', 'usd_amount', 'usd_payout', 'undecided', 'at'];
const sideOf = (side: 'before' | 'after', of = 'c') =>
  `(${SIDES.map((name) => `${of}.${name}_${side}`).join(', ')})`;

/**
 * Checks rolled-back bets, dollar amounts, and bets that were corrected after they were settled (bet_corrections). Each version of a
 * corrected bet must follow from the previous one.
 */
export const checks = {
  N4: {
    'the returned stake or reversed payout of a rolled-back bet does not match the ledger': `
      select b.id, b.status, b.amount, b.payout, r.id as entry_id, r.key, r.returned, r.taken
      from (select * from bets where reversal_id is not null) b full join (
        select e.id, e.key, l.user_id, l.currency_id,
          coalesce(sum(l.amount) filter (where l.kind = 'bet.stake.rollback'), 0) as returned,
          coalesce(sum(l.amount) filter (where l.kind = 'bet.payout.rollback'), 0) as taken
        from ledger_entries e join ledger_lines l on l.entry_id = e.id where e.kind = 'bet.rollback' group by 1, 2, 3, 4
      ) r on r.id = b.reversal_id and r.user_id = b.user_id and r.currency_id = b.currency_id
      where coalesce(b.id, split_part(r.key, ':', 2)::int8) >= ${READABLE_FROM} and (b.id is null or r.id is null or b.status <> 'ROLLBACK' or r.key <> 'bet:' || b.id || ':rollback'
        or r.returned <> b.amount or r.taken <> b.payout)`,
    // Older bets have no bet_usd. Their stake in US dollars is the requested USD amount, which the replay verifies.
    "a bet's dollar amounts do not follow from its stake, payout and rate": `
      select id, status, currency_id, usd_rate, amount, usd_amount, payout, usd_payout from bets where bet_usd is not null
      and (usd_amount, usd_payout) is distinct from (div(amount::numeric * usd_rate, 1000000000000), div(payout::numeric * usd_rate, 1000000000000))`,
    "a bet's corrections do not form a complete chain": `
      select c.id, c.bet_id, c.user_id, c.previous, b.status, b.is_corrected from (
        select *, lag(id) over w as previous, lead(id) over w as next,
          ${SIDES.map((name) => `lag(${name}_after) over w as ${name}_kept`).join(', ')}
        from bet_corrections window w as (partition by bet_id order by id)) c
      left join bets b on b.id = c.bet_id
      where case when c.previous is null
          then b.id is not null and ${sideOf('before')} is distinct from (b.amount, b.payout, b.usd_amount, b.usd_payout, b.undecided, coalesce(b.settled_at, b.created_at))
          else ${sideOf('before')} is distinct from (${SIDES.map((name) => `c.${name}_kept`).join(', ')}) end
        or case when b.id is null then c.bet_id >= (select archived_below('bets'))
          else (b.user_id, b.game_id, b.currency_id, coalesce(b.settlement_id, b.id)) <> (c.user_id, c.game_id, c.currency_id, c.bet_position)
            or c.id <= c.bet_position or not b.is_corrected or b.reversal_id is not null
            or (c.next is null and (c.amount_after is null) <> (b.status <> 'SETTLED')) end`,
    'a bet is marked as corrected but has no correction': `
      select id, user_id, status from bets b
      where is_corrected and not exists (select from bet_corrections c where c.bet_id = b.id)`,
  },
  N8: {
    'a cursor is beyond the last assigned id': `
      select name, position, last_value from cursors, ledger_ids where follows = 'bets' and position >= last_value + 1024`,
  },
};
