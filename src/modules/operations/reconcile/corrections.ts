import { lastCorrection } from '../../games/bets/versions.ts';

const SIDES = ['amount', 'payout', 'usd_amount', 'usd_payout', 'undecided', 'at'];
const sideOf = (side: 'before' | 'after', of = 'c') =>
  `(${SIDES.map((name) => `${of}.${name}_${side}`).join(', ')})`;

/** Bets that were settled and then corrected (bet_corrections): each version follows from the previous one. */
export const CORRECTION_CHECKS = {
  'the chain of corrections of a bet is not whole': `
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
  'a bet is said to have been corrected and was not': `
    select id, user_id, status from bets b
    where is_corrected and not exists (select from bet_corrections c where c.bet_id = b.id)`,
};

const STAKED = `coalesce(sum(case kind when 'bet.stake' then amount when 'bet.stake.rollback' then -amount end), 0)`;
const PAID = `coalesce(sum(case kind when 'bet.payout' then amount when 'bet.payout.rollback' then -amount end), 0)`;

/**
 * Checks provider bets from an id on. Such a bet is a round: its postings are under its own id or under the ids of the round's
 * transactions. Their sum must equal the bet's current amounts. A reopened bet has only its stake left, a rolled-back bet nothing.
 */
export const providerBetChecks = (from: string) => ({
  "a bet on a provider's game does not come to what the ledger has moved for it": `
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
    where b.id >= ${from} and (e.amount, e.payout) is distinct from (coalesce(l.staked, 0), coalesce(l.paid, 0))`,
});
