import type { Statement } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';

/** The round that takes bets, as a bet reads it; limits in US dollars, those of the round's start. */
export type BettingRound = {
  id: bigint;
  minBet: Units;
  maxBet: Units;
  maxProfit: Units;
  endsAt: Date;
  /** The bet's stamp: the database's time after the round was locked. */
  at: Date;
  /** Whether the stamp lies before the end of betting, to the microsecond. False: 409 BETTING_CLOSED. */
  isOpen: boolean;
};

/**
 * The round that takes bets, locked so that its book stays open until the transaction ends; no row when none does. The time is
 * read after the lock was got: whoever waited for it may have come too late.
 */
export function currentRoundStatement(): Statement {
  return {
    name: 'speed-roulette.current',
    text: `with round as materialized (
        select id, min_bet as "minBet", max_bet as "maxBet", max_profit as "maxProfit", ends_at as "endsAt"
        from speed_rounds where phase = 'BETTING' and clock_timestamp() < ends_at for share)
      select stamped.*, at < "endsAt" as "isOpen" from (select *, clock_timestamp() as at from round offset 0) stamped`,
    values: [],
  };
}

/** What a player has staked so far in the round that takes bets, in US dollars; nobody who has not is among them. */
export type Placed = { userId: number; usd: Units };

/** Reads `Placed` of players; they and the round must be locked. */
export function placedStatement(userIds: readonly number[]): Statement {
  return {
    name: 'speed-roulette.placed',
    text: `select b.user_id as "userId", sum(b.usd_amount)::int8 as usd
      from speed_rounds r join bets b on b.round_id = r.id
      where r.phase = 'BETTING' and b.user_id = any($1::int4[]) group by b.user_id`,
    values: [int4Array(userIds)],
  };
}
