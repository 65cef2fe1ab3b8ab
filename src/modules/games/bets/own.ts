import { sql } from 'kysely';
import { effectsIn, type Slice } from './effects.ts';
import { correctedAt, countsAt } from './versions.ts';

/**
 * What of a bet is the player's own money. `bonus_bets` says what of it was bonus money in its last version; what was in an earlier one, the
 * correction that ended it.
 */

/** SQL: dollars of an amount without its bonus part, rounded down. None of them may be null. */
const ownUsd = (usd: string, amount: string, bonus: string): string =>
  `case when least(${bonus}, ${amount}) > 0 then div(${usd}::numeric * (${amount} - least(${bonus}, ${amount})), ${amount})::int8 else ${usd} end`;

/** The effects of a slice as a table for FROM, with `own_usd_amount` and `own_usd_payout`. */
export const ownEffectsIn = (slice: Slice) => sql`(
  select e.*, ${sql.raw(ownUsd('e.usd_amount', 'e.amount', OF_BET('staked')))} as own_usd_amount,
    ${sql.raw(ownUsd('e.usd_payout', 'e.payout', OF_BET('paid')))} as own_usd_payout
  from ${effectsIn(slice, undefined, (since) => sql`, id as bet_id, is_corrected, ${since} as since`)} e
  left join lateral (select bonus_staked, bonus_paid from bonus_bets b where b.bet_id = e.bet_id offset 0) b on true
  left join lateral (
    select c.bonus_staked, c.bonus_paid from bet_corrections c
    where e.is_corrected and c.bet_id = e.bet_id and c.id > e.since order by c.id limit 1) c on true)`;

const OF_BET = (part: 'staked' | 'paid') => `coalesce(c.bonus_${part}, b.bonus_${part}, 0)`;

const VERSION = 'user_id, game_id, amount, payout, usd_amount, usd_payout, at, bet_position';

/** SQL: all that counts at a position, as a table for FROM, with `own_usd_amount` and `own_usd_payout`. */
export const ownVersionsAt = (position: string): string => `(
  select ${VERSION}, ${ownUsd('usd_amount', 'amount', 'bonus_staked')} as own_usd_amount, ${ownUsd('usd_payout', 'payout', 'bonus_paid')} as own_usd_payout
  from (
    select bets.user_id, game_id, amount, payout, usd_amount, usd_payout, coalesce(settled_at, created_at) as at,
      coalesce(settlement_id, bets.id) as bet_position, coalesce(b.bonus_staked, 0) as bonus_staked, coalesce(b.bonus_paid, 0) as bonus_paid
    from bets left join bonus_bets b on b.bet_id = bets.id where ${countsAt(position)}
    union all
    select v.user_id, v.game_id, amount, payout, usd_amount, usd_payout, at, v.bet_position, ${OF_BET('staked')}, ${OF_BET('paid')}
    from ${correctedAt(position)} v left join bet_corrections c on c.id = v.until left join bonus_bets b on b.bet_id = v.bet_id
  ) versions)`;
