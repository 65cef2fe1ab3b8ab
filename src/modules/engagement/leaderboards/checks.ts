import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** The position up to which the leaderboard consumer has read bets. */
const POSITION = `(select position from cursors where name = 'leaderboards')`;

/** The settled part of a stake in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** SQL: selects runs whose scores belong to the cursor's generation or can no longer change. */
const CURRENT = `(select r.* from leaderboards r, cursors c where c.name = 'leaderboards' and not r.is_purged
  and (r.generation = c.generation or r.status not in ('SCHEDULED', 'ACTIVE', 'FINALIZING')))`;

/** Checks the bets that leaderboards have counted, their scores, and their prizes. */
export const checks = {
  N8: {
    'a leaderboard score is not the sum of the counted bets': `
      select leaderboard_id, user_id, s.score, b.usd, s.reached_place, b.place from (
        select s.* from leaderboard_scores s join ${CURRENT} r on r.id = s.leaderboard_id) s
      full join (
        select b.leaderboard_id, b.user_id, sum(b.usd) as usd, max(b.place) as place from leaderboard_bets b
        join ${CURRENT} r on r.id = b.leaderboard_id group by 1, 2) b using (leaderboard_id, user_id)
      where (s.score, s.reached_place) is distinct from (b.usd, b.place)`,
    "a leaderboard's participant count is not the number of its scores": `
      select r.id, r.participants, count(s.user_id) as scores from leaderboards r left join leaderboard_scores s on s.leaderboard_id = r.id
      group by r.id having r.participants <> count(s.user_id)`,
    'a leaderboard rank does not match its score': `
      select * from (
        select s.leaderboard_id, s.user_id, s.place, row_number() over (partition by s.leaderboard_id
          order by s.score desc, s.reached_place, s.user_id) as ordered
        from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id and r.status in ('AWAITING_PAYOUT', 'FINISHED')) placed
      where place is distinct from ordered`,
    "a leaderboard's status does not match its unpaid prizes": `
      select r.id, r.status, w.owed from leaderboards r
      cross join lateral (
        select count(*) as owed from leaderboard_scores s left join leaderboard_prizes p using (leaderboard_id, user_id)
        where s.leaderboard_id = r.id and s.prize_usd is not null and p.user_id is null) w
      where (r.status = 'AWAITING_PAYOUT') <> (w.owed > 0)`,
    'a leaderboard prize does not match its rank': `
      select p.leaderboard_id, p.user_id, p.place, s.place as placed, p.full_usd_amount, s.prize_usd from leaderboard_prizes p
      left join leaderboard_scores s using (leaderboard_id, user_id)
      where s.user_id is null or s.place <> p.place or s.prize_usd is null or p.full_usd_amount > s.prize_usd`,
  },
  N10: {
    // The leaderboard's games and players may have changed since a bet was consumed. A missing bet is therefore reported only if the
    // leaderboard includes all games and has counted an earlier bet of the player.
    'an open leaderboard counts a bet with the wrong amount, or does not count it': `
      with runs as (
        select r.* from leaderboards r join cursors c on c.name = 'leaderboards' and c.generation = r.generation
        where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING')),
      versions as (
        select id as bet_id, user_id, amount, ${DECIDED} as usd_amount, coalesce(settled_at, created_at) as at, coalesce(settlement_id, id) as place
        from bets where ${countsAt(POSITION)}
        union all
        select bet_id, user_id, amount, ${DECIDED}, at, bet_position from ${correctedAt(POSITION)} corrected),
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
    'a leaderboard prize does not match exactly one ledger entry, or an entry has no prize': `
      select p.leaderboard_id, p.amount, l.entry_id, l.user_id, l.paid from leaderboard_prizes p
      full join (
        select entry_id, user_id, currency_id, count(*) as lines, sum(amount) as paid from ledger_lines
        where kind = 'leaderboard.prize' and debit = 106 and credit = 1 group by 1, 2, 3) l
        on l.entry_id = p.entry_id and l.user_id = p.user_id and l.currency_id = p.currency_id
      where (p.user_id is null or l.entry_id is null or l.lines <> 1 or l.paid <> p.amount)
        and coalesce(p.entry_id, l.entry_id) >= (select archived_below('ledger_lines'))`,
  },
};
