import { int4Array, int8Array, textArray } from '../../../platform/database/arrays.ts';
import type { Statement } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { Terms } from './rules.ts';

/** An open round with its bet, its terms and its current state. */
export type OpenRound<State = object> = Terms & {
  userId: number;
  gameId: number;
  betId: bigint;
  /** The bet's status: ERROR if an attempt to end the round failed. */
  status: string;
  state: State;
  /** Time of the last action. */
  actedAt: Date;
  createdAt: Date;
  currencyId: string;
  /** The total stake so far, in the currency and in US dollars. */
  amount: Units;
  usdAmount: Units;
  rtpBp: number;
  /** Null if the round was dealt from a prearranged deck. */
  seedPairId: bigint | null;
  nonce: number | null;
};

/** Reads the open rounds of players, who must be locked unless the rounds are only displayed. */
export function readRoundsStatement(userIds: readonly number[]): Statement {
  return {
    name: 'rounds.read',
    text: `select r.user_id as "userId", r.game_id as "gameId", r.bet_id as "betId", b.status, r.bet_usd as "betUsd", r.stake, r.state,
        r.acted_at as "actedAt", b.created_at as "createdAt", b.currency_id as "currencyId", c.decimals, b.amount,
        b.usd_amount as "usdAmount", b.usd_rate as rate, b.rtp_bp as "rtpBp", b.max_profit_usd as "maxProfitUsd",
        b.seed_pair_id as "seedPairId", b.nonce
      from rounds r join bets b on b.id = r.bet_id join currencies c on c.id = b.currency_id
      where r.user_id = any($1::int4[])`,
    values: [int4Array(userIds)],
  };
}

/** Writes new and changed rounds. The players must be locked. */
export function writeRounds(rounds: readonly OpenRound[]): Statement {
  return {
    name: 'rounds.write',
    text: `insert into rounds (user_id, game_id, bet_id, bet_usd, stake, state)
      select v.user_id, v.game_id, v.bet_id, v.bet_usd, v.stake, v.state::json
      from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::text[])
        v(user_id, game_id, bet_id, bet_usd, stake, state)
      on conflict (user_id, game_id) do update set bet_id = excluded.bet_id, bet_usd = excluded.bet_usd, stake = excluded.stake,
        state = excluded.state, acted_at = now()`,
    values: [
      int4Array(rounds.map((r) => r.userId)),
      int4Array(rounds.map((r) => r.gameId)),
      int8Array(rounds.map((r) => r.betId)),
      int8Array(rounds.map((r) => r.betUsd)),
      int8Array(rounds.map((r) => r.stake)),
      textArray(rounds.map((r) => JSON.stringify(r.state))),
    ],
  };
}

/** Deletes ended rounds. The players must be locked. */
export function removeRounds(rounds: readonly { userId: number; gameId: number }[]): Statement {
  return {
    name: 'rounds.remove',
    text: `delete from rounds r using unnest($1::int4[], $2::int4[]) v(user_id, game_id)
      where r.user_id = v.user_id and r.game_id = v.game_id`,
    values: [int4Array(rounds.map((r) => r.userId)), int4Array(rounds.map((r) => r.gameId))],
  };
}
