import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** The position up to which the challenge consumer has read bets. */
const POSITION = `(select position from cursors where name = 'challenges')`;

/** The settled part of a stake in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** The bets that are valid at the position of the challenge consumer's cursor. */
const BETS = `(
  select bets.id as bet_id, user_id, game_id, amount, payout, ${DECIDED} as usd_amount, coalesce(undecided, 0) as undecided, bets.created_at as made_at from bets where ${countsAt(POSITION)}
  union all
  select v.bet_id, v.user_id, v.game_id, v.amount, v.payout,
    ${countedStakeUsdSql('v.usd_amount', 'v.amount', 'v.undecided')}, coalesce(v.undecided, 0), b.created_at
  from ${correctedAt(POSITION)} v join bets b on b.id = v.bet_id)`;

const IS_OPEN = `c.status <> 'FINISHED' and c.deleted_at is null`;
const MULTIPLIER = 'least(div(b.payout::numeric * 10000, nullif(b.amount, 0)), 9223372036854775807)';
/** Selects entries whose postings can still be read. */
const KEPT = `e.id >= archived_below('ledger_lines')`;

/** Checks the rewards of challenges and the bets that can win them. */
export const checks = {
  N10: {
    'a challenge reward does not match exactly one ledger entry': `
      select a.challenge_id, a.n, a.user_id, a.amount, l.lines, l.paid from challenge_awards a
      left join ledger_entries e on e.key = 'challenge:' || a.challenge_id || ':' || a.n
      left join lateral (select count(*) as lines, sum(amount) as paid from ledger_lines
        where entry_id = e.id and user_id = a.user_id and currency_id = a.currency_id and kind = 'challenge.reward' and credit = 1) l on true
      where e.id is null or (${KEPT} and (l.lines, l.paid) is distinct from (1, a.amount))`,
    'a reversed challenge reward does not match the ledger': `
      select a.challenge_id, a.n, a.user_id, a.taken, e.id as entry_id, l.taken as taken_by_ledger from challenge_awards a
      left join ledger_entries e on e.key = 'challenge:' || a.challenge_id || ':' || a.n || ':rollback'
      left join lateral (select sum(amount) as taken from ledger_lines
        where entry_id = e.id and user_id = a.user_id and currency_id = a.currency_id and kind = 'challenge.rollback' and debit = 1) l on true
      where (e.id is not null) is distinct from (coalesce(a.taken, 0) > 0)
        or (e.id is not null and ${KEPT} and l.taken is distinct from a.taken)`,
    'the ledger contains a challenge reward that was not awarded': `
      select l.entry_id, l.user_id, l.kind, l.amount from ledger_lines l join ledger_entries e on e.id = l.entry_id
      where l.kind in ('challenge.reward', 'challenge.rollback') and 1 in (l.debit, l.credit) and not exists (
        select from challenge_awards a where e.key in (
          'challenge:' || a.challenge_id || ':' || a.n, 'challenge:' || a.challenge_id || ':' || a.n || ':rollback'))`,
    'a challenge does not match its awards': `
      select c.id, c.status, c.winner_bet_id, c.awards, a.n, a.bet_id from challenges c
      left join challenge_awards a on a.challenge_id = c.id and a.rolled_back_at is null
      where (a.n is not null) is distinct from (c.status = 'FINISHED')
        or (a.n is not null and (a.bet_id, a.user_id, a.confirmed_by) is distinct from (c.winner_bet_id, c.winner_id, c.winner_confirmed_by))
        or c.awards <> (select count(*) from challenge_awards w where w.challenge_id = c.id)`,
    'a candidate bet of a challenge does not qualify, or has the wrong multiplier': `
      select k.challenge_id, k.bet_id, k.multiplier_e4, ${MULTIPLIER} as multiplier_of_bet from challenge_candidates k
      join challenges c on c.id = k.challenge_id and ${IS_OPEN}
      left join ${BETS} b on b.bet_id = k.bet_id
      where k.bet_id >= archived_below('bets') and (b.bet_id is null or k.multiplier_e4 is distinct from ${MULTIPLIER}
        or k.multiplier_e4 < c.min_multiplier_e4 or b.usd_amount < c.min_bet_usd or b.undecided >= b.amount or b.game_id <> c.game_id or b.user_id <> k.user_id)`,
    "a player's stored best bet in a challenge is not their best bet": `
      select t.challenge_id, t.user_id, t.bet_id, t.multiplier_e4, best.bet_id as best_bet_id, best.multiplier_e4 as best_multiplier
      from challenge_bests t join challenges c on c.id = t.challenge_id and ${IS_OPEN}
      left join lateral (
        select b.bet_id, ${MULTIPLIER} as multiplier_e4 from ${BETS} b
        where b.user_id = t.user_id and b.game_id = c.game_id and b.amount > 0 and b.payout > 0 and b.usd_amount >= c.min_bet_usd and b.undecided < b.amount
          and b.made_at > c.shown_at and (c.hidden_at is null or b.made_at < c.hidden_at) and not exists (select from challenge_awards a
            where a.challenge_id = c.id and b.made_at >= a.created_at and coalesce(b.made_at <= a.rolled_back_at, true))
          and not exists (select from bonus_bets x where x.bet_id = b.bet_id and x.bonus_staked + x.bonus_paid > 0)
        order by 2 desc, 1 limit 1) best on true
      where t.bet_id >= archived_below('bets') and (t.bet_id, t.multiplier_e4) is distinct from (best.bet_id, best.multiplier_e4)`,
  },
};
