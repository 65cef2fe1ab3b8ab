import { countedStakeUsdSql } from '../../games/bets/rules.ts';
import { countsAt, ownVersionsAt, versionsAt } from '../../games/bets/versions.ts';

/** Bets as they were at the position of a cursor. Later corrections are not included. */
const COUNTED = `${versionsAt('(select position from c)')} counted`;
/** The same bets, with amounts that include only the player's own money. */
const COUNTED_OWN = `${ownVersionsAt('(select position from c)')} counted`;
const cursor = (name: string) =>
  `with c as (select position, generation from cursors where name = '${name}')`;

const BIGGEST_WIN = `max(case when payout > amount then usd_payout else 0 end)`;
const BEST_MULTIPLIER = `max(case when amount = 0 then 0 else least(div(payout::numeric * 10000, amount), 9223372036854775807) end)::int8`;
/** The part of stakes that was returned without a win or a loss. */
const UNDECIDED = `sum(usd_amount - ${countedStakeUsdSql('usd_amount', 'amount', 'undecided')})`;
/** The totals of bets in detached partitions. */
const OPENINGS = `(select o.* from bet_openings o join parts_away p using (part))`;
/** The time at which the last bet in a detached partition was settled. Hours and days up to this time can no longer be recomputed. */
const UNTIL = `(select coalesce(max(latest), '-infinity') from parts_away where list = 'bets')`;

/**
 * Recomputes all data derived from bets, up to the cursor and for the generation that the cursor belongs to. Modules add their own checks
 * (`checks` in their module.ts).
 */
export const DERIVED_CHECKS = {
  'statistics of a player are not the sum of their bets up to the cursor': `${cursor('user-stats')}
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
  'bets of a player in a game are not those up to the cursor': `${cursor('user-stats')}
    select user_id, game_id, s.bets, b.bets as bets_made
    from (select s.* from user_game_stats s, c where s.generation = c.generation) s
    full join (
      select user_id, game_id, sum(bets)::int8 as bets from (
        select user_id, game_id, count(*) as bets from ${COUNTED} group by 1, 2
        union all select user_id, game_id, bets from ${OPENINGS} o
      ) parts group by 1, 2
    ) b using (user_id, game_id)
    where s.bets is distinct from b.bets`,
  "an hour of a player's in a game is not what their bets up to the cursor come to": `${cursor('user-stats')}
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
    where hour > ${UNTIL} and ((h.bets, h.wins, h.staked_usd, h.paid_usd, h.own_staked_usd, h.own_paid_usd, h.undecided_usd, h.biggest_win_usd, h.best_multiplier_e4, h.last_at)
        is distinct from (b.bets, b.wins, b.staked_usd, b.paid_usd, b.own_staked_usd, b.own_paid_usd, b.undecided_usd, b.biggest_win_usd, b.best_multiplier_e4,
          b.last_at)
      or h.first_place > b.first_place or h.last_place < b.last_place)`,
  'returns of a game are not the sum of its bets up to the cursor': `${cursor('game-returns')}
    select game_id, hour, r.bets, b.bets as bets_made, r.staked, b.staked as staked_by_bets, r.paid, b.paid as paid_by_bets
    from (
      select game_id, hour, g.bets + apart_bets as bets, staked_usd + apart_staked_usd as staked, paid_usd + apart_paid_usd as paid
      from game_returns g, c where g.generation = c.generation
    ) r
    full join (
      select game_id, date_trunc('hour', at, 'UTC') as hour, count(*) as bets, sum(usd_amount) as staked, sum(usd_payout) as paid
      from ${COUNTED} group by 1, 2
    ) b using (game_id, hour)
    where (r.bets, r.staked, r.paid) is distinct from (b.bets, b.staked, b.paid) and hour > ${UNTIL}`,
  'positions of a game are not as many as its bets drew up to the cursor': `${cursor('game-returns')}
    select game_id, day, counted, drawn
    from (
      select game_id, day, (select sum(n) from unnest(counts) n) as counted
      from game_positions g, c where g.generation = c.generation
    ) p
    full join (
      select game_id, date_trunc('day', coalesce(settled_at, bets.created_at), 'UTC') as day,
        sum(case slug when 'keno' then 10 when 'blackjack' then 4 else 1 end) as drawn
      from bets join games on games.id = game_id, c
      where slug in ('roulette', 'keno', 'blackjack') and seed_pair_id is not null and ${countsAt('c.position')} group by 1, 2
    ) b using (game_id, day)
    where coalesce(counted, 0) <> coalesce(drawn, 0) and day > ${UNTIL}`,
};

/** The generation that `user-stats` is building. */
const GENERATION = `(select generation from cursors where name = 'user-stats')`;
const IS_REAL = 'user_id not in (select user_id from uncounted_users)';

/** Up to this time, account hours are compared as one sum. The sum includes detached months and everything before the first hour. */
const ONE_UNTIL = `greatest((select min(hour) from account_hours), (select max(latest) from parts_away where list = 'ledger_lines'))`;

/** Checks the tables that the dashboards read. */
export const ROLLUP_CHECKS = {
  'an hour of a game is not what its players come to': `
    select hour, game_id, g.bets, p.bets as bets_of_players, g.own_staked_usd, p.own_staked_usd as staked_by_players, g.own_paid_usd,
      p.own_paid_usd as paid_to_players
    from (select * from game_hours where generation = ${GENERATION}) g
    full join (
      select hour, game_id, sum(bets) as bets, sum(own_staked_usd) as own_staked_usd, sum(own_paid_usd) as own_paid_usd from play_hours
      where generation = ${GENERATION} and ${IS_REAL} group by 1, 2) p using (hour, game_id)
    where (g.bets, g.own_staked_usd, g.own_paid_usd) is distinct from (p.bets, p.own_staked_usd, p.own_paid_usd)`,
  'an hour of payments is not what payments come to': `
    select hour, direction, currency_id, network_id, user_id, h.count, p.count as count_of_payments, h.failed, p.failed as failed_of_payments,
      h.amount, p.amount as amount_of_payments, h.usd_amount, p.usd_amount as usd_of_payments
    from payment_hours h
    full join (
      select date_trunc('hour', at, 'UTC') as hour, direction, currency_id, network_id, user_id, count(*) filter (where not is_failed)::int as count,
        count(*) filter (where is_failed)::int as failed, sum(amount) as amount, sum(usd_amount) as usd_amount
      from counted_payments group by 1, 2, 3, 4, 5) p using (hour, direction, currency_id, network_id, user_id)
    where (h.count, h.failed, h.amount, h.usd_amount) is distinct from (p.count, p.failed, p.amount, p.usd_amount)`,
  'a first deposit is not the first one': `
    select user_id, f.credit_key, c.key, f.at, c.at as credited_at, f.amount, c.amount as credited from first_deposits f
    full join (
      select distinct on (user_id) user_id, key, credited_at as at, currency_id, amount, usd_amount from payment_credits
      where reversal_entry_id is null order by user_id, credited_at, entry_id) c using (user_id)
    where (f.credit_key, f.at, f.currency_id, f.amount, f.usd_amount) is distinct from (c.key, c.at, c.currency_id, c.amount, c.usd_amount)`,
  'an hour of an account is not what its postings have changed': `
    select hour, currency_id, account, h.change, p.change as change_of_postings
    from (
      select case when hour > ${ONE_UNTIL} then hour else '-infinity' end as hour, currency_id, account, sum(change) as change
      from account_hours group by 1, 2, 3) h
    full join (
      select case when hour > ${ONE_UNTIL} then hour else '-infinity' end as hour, currency_id, account, sum(change) as change from (
        select date_trunc('hour', created_at, 'UTC') as hour, currency_id, account, change from ledger_lines
        cross join lateral (values (debit, -amount), (credit, amount)) side(account, change)
        where id <= (select position from cursors where name = 'account-hours')
        union all
        select '-infinity', currency_id, account, change from ledger_openings join parts_away using (part) where list = 'ledger_lines'
      ) moved group by 1, 2, 3) p using (hour, currency_id, account)
    where coalesce(h.change, 0) <> coalesce(p.change, 0)`,
  'something is said to have been owed on a day that was not counted': `
    select day, kind, currency_id, amount from liability_days where day not in (select day from liability_counts)`,
};
