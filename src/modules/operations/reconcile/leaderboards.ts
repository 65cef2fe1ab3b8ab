import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { correctedAt, countsAt } from '../../games/bets/versions.ts';

/** The position up to which the leaderboard consumer has read bets. */
const POSITION = `(select position from cursors where name = 'leaderboards')`;

/** The settled part of a stake, in US dollars. */
const DECIDED = countedStakeUsdSql('usd_amount', 'amount', 'undecided');

/** Checks the bets that leaderboards count and the prizes that they have paid. */
export const LEADERBOARD_CHECKS = {
  // The games and players that count may have changed since. A missing bet is therefore only reported if the leaderboard includes all games
  // and the player has an earlier counted bet.
  'a bet in an open leaderboard is not what the bet comes to, or one that counts is missing': `
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
  'a prize of a leaderboard has not exactly its entry, or an entry no prize': `
    select p.leaderboard_id, p.amount, l.entry_id, l.user_id, l.paid from leaderboard_prizes p
    full join (
      select entry_id, user_id, currency_id, count(*) as lines, sum(amount) as paid from ledger_lines
      where kind = 'leaderboard.prize' and debit = 106 and credit = 1 group by 1, 2, 3) l
      on l.entry_id = p.entry_id and l.user_id = p.user_id and l.currency_id = p.currency_id
    where (p.user_id is null or l.entry_id is null or l.lines <> 1 or l.paid <> p.amount)
      and coalesce(p.entry_id, l.entry_id) >= (select archived_below('ledger_lines'))`,
};
