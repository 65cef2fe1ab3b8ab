import { DETACHED_UNTIL } from '../../bets/checks.ts';
import { countsAt, versionsAt } from '../../bets/versions.ts';

/** The consumer's cursor, as the common table expression `c`. */
const CURSOR = `with c as (select position, generation from cursors where name = 'game-returns')`;

/** Recomputes the returns and positions of games up to the consumer's cursor, for the generation that the cursor belongs to. */
export const checks = {
  N8: {
    "a game's returns are not the sums of its bets up to the cursor": `${CURSOR}
      select game_id, hour, r.bets, b.bets as bets_made, r.staked, b.staked as staked_by_bets, r.paid, b.paid as paid_by_bets
      from (
        select game_id, hour, g.bets + apart_bets as bets, staked_usd + apart_staked_usd as staked, paid_usd + apart_paid_usd as paid
        from game_returns g, c where g.generation = c.generation
      ) r
      full join (
        select game_id, date_trunc('hour', at, 'UTC') as hour, count(*) as bets, sum(usd_amount) as staked, sum(usd_payout) as paid
        from ${versionsAt('(select position from c)')} counted group by 1, 2
      ) b using (game_id, hour)
      where (r.bets, r.staked, r.paid) is distinct from (b.bets, b.staked, b.paid) and hour > ${DETACHED_UNTIL}`,
    "a game's position counts do not match its bets up to the cursor": `${CURSOR}
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
      where coalesce(counted, 0) <> coalesce(drawn, 0) and day > ${DETACHED_UNTIL}`,
  },
};
