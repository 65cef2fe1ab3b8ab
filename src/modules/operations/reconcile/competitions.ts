import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** The position up to which the leaderboard consumer has read bets. */
const LEADERBOARD_POSITION = `(select position from cursors where name = 'leaderboards')`;

/** The settled part of a stake in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** Checks the bets that leaderboards have counted and the prizes that leaderboards have paid. */
export const LEADERBOARD_CHECKS = {
  // The leaderboard's games and players may have changed since a bet was consumed. A missing bet is therefore reported only if the
  // leaderboard includes all games and has counted an earlier bet of the player.
  'a bet in an open leaderboard is not what the bet comes to, or one that counts is missing': `
    with runs as (
      select r.* from leaderboards r join cursors c on c.name = 'leaderboards' and c.generation = r.generation
      where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING')),
    versions as (
      select id as bet_id, user_id, amount, ${DECIDED} as usd_amount, coalesce(settled_at, created_at) as at, coalesce(settlement_id, id) as place
      from bets where ${countsAt(LEADERBOARD_POSITION)}
      union all
      select bet_id, user_id, amount, ${DECIDED}, at, bet_position from ${correctedAt(LEADERBOARD_POSITION)} corrected),
    own as (
      select r.id as leaderboard_id, v.user_id, v.place, v.bet_id, r.min_bet_usd,
        cardinality(r.categories) + cardinality(r.provider_ids) + cardinality(r.game_slugs) = 0 as is_any_game,
        case when b.bonus_staked is null then v.usd_amount
          else div(v.usd_amount::numeric * (v.amount - least(b.bonus_staked, v.amount)), greatest(v.amount, 1))::int8 end as usd
      from runs r join versions v on v.at >= r.start_date and v.at < r.end_date left join bonus_bets b using (bet_id)),
    counted as (select b.* from leaderboard_bets b join runs r on r.id = b.leaderboard_id)
    select leaderboard_id, user_id, bet_id, c.usd, o.usd as own_usd from counted c
    full join own o using (leaderboard_id, user_id, place, bet_id)
    where case when c.usd is not null then c.usd is distinct from o.usd and bet_id >= archived_below('bets')
      else o.usd > 0 and o.usd >= o.min_bet_usd and o.is_any_game
        and exists (select from users u where u.id = user_id and not u.is_staff and not u.is_test)
        and exists (select from leaderboard_bets e where e.leaderboard_id = o.leaderboard_id and e.user_id = o.user_id and e.place < o.place) end`,
  'a prize of a leaderboard has not exactly its entry, or an entry no prize': `
    select p.leaderboard_id, p.amount, l.entry_id, l.user_id, l.paid from leaderboard_prizes p
    full join (
      select entry_id, user_id, currency_id, count(*) as lines, sum(amount) as paid from ledger_lines
      where kind = 'leaderboard.prize' and debit = 106 and credit = 1 group by 1, 2, 3) l
      on l.entry_id = p.entry_id and l.user_id = p.user_id and l.currency_id = p.currency_id
    where (p.user_id is null or l.entry_id is null or l.lines <> 1 or l.paid <> p.amount)
      and coalesce(p.entry_id, l.entry_id) >= (select archived_below('ledger_lines'))`,
};

const CHALLENGE_POSITION = `(select position from cursors where name = 'challenges')`;

/** The bets that are valid at the position of the challenge consumer's cursor. */
const CHALLENGE_BETS = `(
  select bets.id as bet_id, user_id, game_id, amount, payout, ${DECIDED} as usd_amount, coalesce(undecided, 0) as undecided, bets.created_at as made_at from bets where ${countsAt(CHALLENGE_POSITION)}
  union all
  select v.bet_id, v.user_id, v.game_id, v.amount, v.payout,
    ${countedStakeUsdSql('v.usd_amount', 'v.amount', 'v.undecided')}, coalesce(v.undecided, 0), b.created_at
  from ${correctedAt(CHALLENGE_POSITION)} v join bets b on b.id = v.bet_id)`;

const IS_OPEN = `c.status <> 'FINISHED' and c.deleted_at is null`;
const MULTIPLIER = 'least(div(b.payout::numeric * 10000, nullif(b.amount, 0)), 9223372036854775807)';
/** Selects entries whose postings can still be read. */
const KEPT = `e.id >= archived_below('ledger_lines')`;

/** Checks the rewards of challenges and the bets that can win them. */
export const CHALLENGE_CHECKS = {
  'a reward of a challenge has not exactly its entry in the ledger': `
    select a.challenge_id, a.n, a.user_id, a.amount, l.lines, l.paid from challenge_awards a
    left join ledger_entries e on e.key = 'challenge:' || a.challenge_id || ':' || a.n
    left join lateral (select count(*) as lines, sum(amount) as paid from ledger_lines
      where entry_id = e.id and user_id = a.user_id and currency_id = a.currency_id and kind = 'challenge.reward' and credit = 1) l on true
    where e.id is null or (${KEPT} and (l.lines, l.paid) is distinct from (1, a.amount))`,
  'what was taken back of a reward of a challenge is not what the ledger has moved': `
    select a.challenge_id, a.n, a.user_id, a.taken, e.id as entry_id, l.taken as taken_by_ledger from challenge_awards a
    left join ledger_entries e on e.key = 'challenge:' || a.challenge_id || ':' || a.n || ':rollback'
    left join lateral (select sum(amount) as taken from ledger_lines
      where entry_id = e.id and user_id = a.user_id and currency_id = a.currency_id and kind = 'challenge.rollback' and debit = 1) l on true
    where (e.id is not null) is distinct from (coalesce(a.taken, 0) > 0)
      or (e.id is not null and ${KEPT} and l.taken is distinct from a.taken)`,
  'the ledger has moved a reward of a challenge that was not awarded': `
    select l.entry_id, l.user_id, l.kind, l.amount from ledger_lines l join ledger_entries e on e.id = l.entry_id
    where l.kind in ('challenge.reward', 'challenge.rollback') and 1 in (l.debit, l.credit) and not exists (
      select from challenge_awards a where e.key in (
        'challenge:' || a.challenge_id || ':' || a.n, 'challenge:' || a.challenge_id || ':' || a.n || ':rollback'))`,
  'a challenge is not what its awards say': `
    select c.id, c.status, c.winner_bet_id, c.awards, a.n, a.bet_id from challenges c
    left join challenge_awards a on a.challenge_id = c.id and a.rolled_back_at is null
    where (a.n is not null) is distinct from (c.status = 'FINISHED')
      or (a.n is not null and (a.bet_id, a.user_id, a.confirmed_by) is distinct from (c.winner_bet_id, c.winner_id, c.winner_confirmed_by))
      or c.awards <> (select count(*) from challenge_awards w where w.challenge_id = c.id)`,
  'a bet that can win a challenge does not count, or not like that': `
    select k.challenge_id, k.bet_id, k.multiplier_e4, ${MULTIPLIER} as multiplier_of_bet from challenge_candidates k
    join challenges c on c.id = k.challenge_id and ${IS_OPEN}
    left join ${CHALLENGE_BETS} b on b.bet_id = k.bet_id
    where k.bet_id >= archived_below('bets') and (b.bet_id is null or k.multiplier_e4 is distinct from ${MULTIPLIER}
      or k.multiplier_e4 < c.min_multiplier_e4 or b.usd_amount < c.min_bet_usd or b.undecided >= b.amount or b.game_id <> c.game_id or b.user_id <> k.user_id)`,
  'the best bet of a player in a challenge is not their best': `
    select t.challenge_id, t.user_id, t.bet_id, t.multiplier_e4, best.bet_id as best_bet_id, best.multiplier_e4 as best_multiplier
    from challenge_bests t join challenges c on c.id = t.challenge_id and ${IS_OPEN}
    left join lateral (
      select b.bet_id, ${MULTIPLIER} as multiplier_e4 from ${CHALLENGE_BETS} b
      where b.user_id = t.user_id and b.game_id = c.game_id and b.amount > 0 and b.payout > 0 and b.usd_amount >= c.min_bet_usd and b.undecided < b.amount
        and b.made_at > c.shown_at and (c.hidden_at is null or b.made_at < c.hidden_at) and not exists (select from challenge_awards a
          where a.challenge_id = c.id and b.made_at >= a.created_at and coalesce(b.made_at <= a.rolled_back_at, true))
        and not exists (select from bonus_bets x where x.bet_id = b.bet_id and x.bonus_staked + x.bonus_paid > 0)
      order by 2 desc, 1 limit 1) best on true
    where t.bet_id >= archived_below('bets') and (t.bet_id, t.multiplier_e4) is distinct from (best.bet_id, best.multiplier_e4)`,
};
