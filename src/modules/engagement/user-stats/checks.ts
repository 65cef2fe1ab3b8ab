import { DETACHED_UNTIL } from '../../games/bets/checks.ts';
import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { ownVersionsAt, versionsAt } from '../../games/bets/versions.ts';

/** Bets as they were at the position of a cursor. Later corrections are not included. */
const COUNTED = `${versionsAt('(select position from c)')} counted`;
/** The same bets, with amounts that include only the player's own money. */
const COUNTED_OWN = `${ownVersionsAt('(select position from c)')} counted`;
/** The consumer's cursor, as the common table expression `c`. */
const CURSOR = `with c as (select position, generation from cursors where name = 'user-stats')`;

const BIGGEST_WIN = `max(case when payout > amount then usd_payout else 0 end)`;
const BEST_MULTIPLIER = `max(case when amount = 0 then 0 else least(div(payout::numeric * 10000, amount), 9223372036854775807) end)::int8`;
/** The part of stakes that was returned without a win or a loss. */
const UNDECIDED = `sum(usd_amount - ${countedStakeUsdSql('usd_amount', 'amount', 'undecided')})`;
/** The totals of bets in detached partitions. */
const OPENINGS = `(select o.* from bet_openings o join parts_away p using (part))`;

/** The generation that `user-stats` is building. */
const GENERATION = `(select generation from cursors where name = 'user-stats')`;
const IS_REAL = 'user_id not in (select user_id from uncounted_users)';

/** Recomputes statistics of players from their bets up to the consumer's cursor, for the generation that the cursor belongs to. */
export const checks = {
  N8: {
    "a player's statistics are not the sums of their bets up to the cursor": `${CURSOR}
      select user_id, s.bets, b.bets as bets_made, s.wagered_usd, b.wagered_usd as wagered_by_bets, s.biggest_win_usd,
        b.biggest_win_usd as biggest_win_of_bets, s.best_multiplier_e4, b.best_multiplier_e4 as best_multiplier_of_bets
      from (select s.* from user_stats s, c where s.generation = c.generation) s
      full join (
        select user_id, sum(bets)::int8 as bets, sum(wins)::int8 as wins, sum(wagered_usd) as wagered_usd, sum(payout_usd) as payout_usd,
          sum(undecided_usd) as undecided_usd, max(biggest_win_usd) as biggest_win_usd, max(best_multiplier_e4) as best_multiplier_e4
        from (
          select user_id, count(*) as bets, count(*) filter (where payout > amount) as wins,
            sum(usd_amount) as wagered_usd, sum(usd_payout) as payout_usd, ${UNDECIDED} as undecided_usd, ${BIGGEST_WIN} as biggest_win_usd,
            ${BEST_MULTIPLIER} as best_multiplier_e4
          from ${COUNTED} group by user_id
          union all
          select user_id, bets, wins, wagered_usd, payout_usd, undecided_usd, biggest_win_usd, best_multiplier_e4 from ${OPENINGS} o
        ) parts group by user_id
      ) b using (user_id)
      where (s.bets, s.wins, s.wagered_usd, s.payout_usd, s.undecided_usd, s.biggest_win_usd, s.best_multiplier_e4)
        is distinct from (b.bets, b.wins, b.wagered_usd, b.payout_usd, b.undecided_usd, b.biggest_win_usd, b.best_multiplier_e4)`,
    "a player's bet count in a game does not match their bets up to the cursor": `${CURSOR}
      select user_id, game_id, s.bets, b.bets as bets_made
      from (select s.* from user_game_stats s, c where s.generation = c.generation) s
      full join (
        select user_id, game_id, sum(bets)::int8 as bets from (
          select user_id, game_id, count(*) as bets from ${COUNTED} group by 1, 2
          union all select user_id, game_id, bets from ${OPENINGS} o
        ) parts group by 1, 2
      ) b using (user_id, game_id)
      where s.bets is distinct from b.bets`,
    "a player's hourly totals in a game are not the sums of their bets up to the cursor": `${CURSOR}
      select game_id, hour, user_id, h.bets, b.bets as bets_made, h.staked_usd, b.staked_usd as staked_by_bets, h.paid_usd,
        b.paid_usd as paid_by_bets, h.own_staked_usd, b.own_staked_usd as own_staked_by_bets, h.own_paid_usd, b.own_paid_usd as own_paid_by_bets,
        h.last_at, b.last_at as last_of_bets
      from (select h.* from play_hours h, c where h.generation = c.generation) h
      full join (
        select game_id, date_trunc('hour', at, 'UTC') as hour, user_id, count(*) as bets,
          count(*) filter (where payout > amount) as wins, sum(usd_amount) as staked_usd, sum(usd_payout) as paid_usd,
          ${UNDECIDED} as undecided_usd, ${BIGGEST_WIN} as biggest_win_usd, ${BEST_MULTIPLIER} as best_multiplier_e4, max(at) as last_at,
          sum(own_usd_amount) as own_staked_usd, sum(own_usd_payout) as own_paid_usd, min(bet_position) as first_place,
          max(bet_position) as last_place
        from ${COUNTED_OWN} group by 1, 2, 3
      ) b using (game_id, hour, user_id)
      where hour > ${DETACHED_UNTIL} and ((h.bets, h.wins, h.staked_usd, h.paid_usd, h.own_staked_usd, h.own_paid_usd, h.undecided_usd, h.biggest_win_usd, h.best_multiplier_e4, h.last_at)
          is distinct from (b.bets, b.wins, b.staked_usd, b.paid_usd, b.own_staked_usd, b.own_paid_usd, b.undecided_usd, b.biggest_win_usd, b.best_multiplier_e4,
            b.last_at)
        or h.first_place > b.first_place or h.last_place < b.last_place)`,
  },
  N10: {
    "a game's hourly totals are not the sums of its players' hourly totals": `
      select hour, game_id, g.bets, p.bets as bets_of_players, g.own_staked_usd, p.own_staked_usd as staked_by_players, g.own_paid_usd,
        p.own_paid_usd as paid_to_players
      from (select * from game_hours where generation = ${GENERATION}) g
      full join (
        select hour, game_id, sum(bets) as bets, sum(own_staked_usd) as own_staked_usd, sum(own_paid_usd) as own_paid_usd from play_hours
        where generation = ${GENERATION} and ${IS_REAL} group by 1, 2) p using (hour, game_id)
      where (g.bets, g.own_staked_usd, g.own_paid_usd) is distinct from (p.bets, p.own_staked_usd, p.own_paid_usd)`,
  },
};
