import { lastCorrection } from '../../games/bets/versions.ts';

/** Checks the postings and rounds of bets on house games whose ids are at or above the given id. */
export const houseBetChecks = (from: string) => ({
  'a bet has not exactly its stake and at most its payout in the ledger': `
    select b.id, b.status, b.amount, b.payout, l.stakes, l.staked, l.payouts, l.paid, l.returned from bets b full join (
      select entry_id, user_id, currency_id,
        count(*) filter (where kind = 'bet.stake') as stakes, count(*) filter (where kind = 'bet.stake' and debit = 3) as bonus_stakes,
        coalesce(sum(amount) filter (where kind = 'bet.stake'), 0) as staked,
        count(*) filter (where kind = 'bet.payout') as payouts, count(*) filter (where kind = 'bet.payout' and credit = 3) as bonus_payouts,
        coalesce(sum(amount) filter (where kind = 'bet.payout'), 0) as paid,
        coalesce(sum(amount) filter (where kind = 'bet.stake.rollback'), 0) as returned
      from ledger_lines where (kind in ('bet.stake', 'bet.payout')
        or (kind = 'bet.stake.rollback' and not exists (select from ledger_entries e where e.id = entry_id)))
        and not exists (select from provider_transactions t where t.id = entry_id) group by 1, 2, 3
    ) l on l.entry_id = b.id and l.user_id = b.user_id and l.currency_id = b.currency_id
    left join games g on g.id = b.game_id
    where coalesce(b.id, l.entry_id) >= ${from} and coalesce(g.type, 'HOUSE_GAME') = 'HOUSE_GAME' and (b.id is null or l.entry_id is null or (b.settlement_id is null and b.status = 'SETTLED' and (l.stakes = 0 or l.stakes - l.bonus_stakes > 1 or l.bonus_stakes > 1))
      or l.staked <> b.amount or l.payouts - l.bonus_payouts > 1 or l.bonus_payouts > 1 or l.paid <> b.payout
      or l.returned <> case when b.status = 'ROLLBACK' and b.reversal_id is null then b.amount else 0 end)`,
  'a settled bet that was rolled back has not exactly its stake returned and its payout taken': `
    select b.id, b.status, b.amount, b.payout, r.id as entry_id, r.key, r.returned, r.taken
    from (select * from bets where reversal_id is not null) b full join (
      select e.id, e.key, l.user_id, l.currency_id,
        coalesce(sum(l.amount) filter (where l.kind = 'bet.stake.rollback'), 0) as returned,
        coalesce(sum(l.amount) filter (where l.kind = 'bet.payout.rollback'), 0) as taken
      from ledger_entries e join ledger_lines l on l.entry_id = e.id where e.kind = 'bet.rollback' group by 1, 2, 3, 4
    ) r on r.id = b.reversal_id and r.user_id = b.user_id and r.currency_id = b.currency_id
    where coalesce(b.id, split_part(r.key, ':', 2)::int8) >= ${from} and (b.id is null or r.id is null or b.status <> 'ROLLBACK' or r.key <> 'bet:' || b.id || ':rollback'
      or r.returned <> b.amount or r.taken <> b.payout)`,
  // Older bets have no bet_usd. Their stake in US dollars is the requested USD amount, which the replay verifies.
  'a bet does not count as the dollars that its stake and its payout were worth': `
    select id, status, currency_id, usd_rate, amount, usd_amount, payout, usd_payout from bets where bet_usd is not null
    and (usd_amount, usd_payout) is distinct from (div(amount::numeric * usd_rate, 1000000000000), div(payout::numeric * usd_rate, 1000000000000))`,
  'a round is open without a bet, or a bet of a round without its round': `
    select b.id, b.user_id, b.status, r.bet_id, r.user_id as user_of_round from (
      select b.* from bets b join games g on g.id = b.game_id
      where b.status in ('CREATED', 'ERROR') and g.slug in ('mines', 'monkey-run', 'blackjack')) b
    full join rounds r on r.bet_id = b.id and r.user_id = b.user_id and r.game_id = b.game_id
    where b.id is null or r.bet_id is null`,
});

const SIDES = ['amount', 'payout', 'usd_amount', 'usd_payout', 'undecided', 'at'];
const sideOf = (side: 'before' | 'after', of = 'c') =>
  `(${SIDES.map((name) => `${of}.${name}_${side}`).join(', ')})`;

/** Checks bets that were corrected after they were settled (bet_corrections). Each version must follow from the previous one. */
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
 * Checks provider bets whose ids are at or above the given id. Such a bet is a round. Its postings have the id of the bet or of a
 * transaction of the round. Their sum must equal the bet's current amounts: only the stake for a reopened bet, and zero for a rolled-back
 * bet.
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

/** Tables with a row for every user who has signed in, played, paid or received rewards. */
const TAKING_PART = [
  ...['sessions', 'bets', 'wallets', 'ledger_lines', 'deposits', 'withdrawals', 'user_stats'],
  ...['leaderboard_scores', 'challenge_bests', 'vip_progress', 'rakeback_periods', 'tip_days'],
  ...['promo_grants', 'affiliates', 'referrals'],
];

/** Tables of bets and of their effects, with the name of the column that contains the bet's id. */
const OF_BETS: readonly (readonly [table: string, column: string])[] = [
  ['bets', 'id'],
  ['ledger_entries', 'id'],
  ['ledger_lines', 'id'],
  ['ledger_lines', 'entry_id'],
  ['events', 'id'],
  ['bet_rewards', 'bet_id'],
  ['bonus_bets', 'bet_id'],
  ['leaderboard_bets', 'bet_id'],
  ['challenge_candidates', 'bet_id'],
];

/** Checks that bots and simulated bets have no effect on real data. */
export const BOT_CHECKS = {
  'a bot has taken part in something': TAKING_PART.map(
    (table) => `
      select u.id as user_id, '${table}' as what from users u where u.is_bot
        and exists (select from ${table} t where t.user_id = u.id)`,
  ).join(' union all '),
  'a bot is not shut from play': `
    select p.user_id from players p join users u on u.id = p.user_id where u.is_bot and not p.is_banned`,
  'scenery is among bets or what follows from them': OF_BETS.map(
    ([table, column]) => `
      select s.id, '${table}' as what from simulated_bets s where exists (select from ${table} t where t.${column} = s.id)`,
  ).join(' union all '),
};
