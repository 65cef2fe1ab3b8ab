import type { Statement } from '../../platform/db.ts';
import type { Rate, Units } from '../../platform/money.ts';
import { int2Array, int4Array, int8Array, textArray } from '../../platform/pg-arrays.ts';

/** A bet about to be written; `id` is its place in the block of ids reserved last on this connection. */
export type NewBet = {
  id: number;
  userId: number;
  gameId: number;
  currencyId: string;
  amount: Units;
  payout: Units;
  usdAmount: Units;
  usdPayout: Units;
  usdRate: Rate;
  maxProfitUsd: Units;
  /** Null: made without seeds of the player's. */
  seedPairId: bigint | null;
  nonce: number | null;
  rtpBp: number;
  algorithmVersion: string;
  windowId: string | null;
  inputs: string;
  outcome: string;
};

/** Writes settled bets in one statement. */
export function insertSettled(bets: readonly NewBet[]): Statement {
  return {
    name: 'bets.insert-settled',
    text: `insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id,
        nonce, rtp_bp, currency_id, algorithm_version, window_id, inputs, outcome, status, settled_at)
      select currval('ledger_ids') + v.id, v.amount, v.payout, v.usd_amount, v.usd_payout, v.usd_rate, v.max_profit_usd,
        v.seed_pair_id, v.user_id, v.game_id, v.nonce, v.rtp_bp, v.currency_id, v.version, v.window_id, v.inputs::json, v.outcome::json, 'SETTLED', now()
      from unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int4[],
        $10::int4[], $11::int4[], $12::int2[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[])
        v(id, amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id, nonce, rtp_bp, currency_id,
          version, window_id, inputs, outcome)`,
    values: [
      int4Array(bets.map((b) => b.id)),
      int8Array(bets.map((b) => b.amount)),
      int8Array(bets.map((b) => b.payout)),
      int8Array(bets.map((b) => b.usdAmount)),
      int8Array(bets.map((b) => b.usdPayout)),
      int8Array(bets.map((b) => b.usdRate)),
      int8Array(bets.map((b) => b.maxProfitUsd)),
      int8Array(bets.map((b) => b.seedPairId)),
      int4Array(bets.map((b) => b.userId)),
      int4Array(bets.map((b) => b.gameId)),
      int4Array(bets.map((b) => b.nonce)),
      int2Array(bets.map((b) => b.rtpBp)),
      textArray(bets.map((b) => b.currencyId)),
      textArray(bets.map((b) => b.algorithmVersion)),
      textArray(bets.map((b) => b.windowId)),
      textArray(bets.map((b) => b.inputs)),
      textArray(bets.map((b) => b.outcome)),
    ],
  };
}

/** A bet that stays open: in a round of its own or in one that is shared (`roundId`). What comes of it is written later. */
export type OpenBet = Omit<NewBet, 'payout' | 'usdPayout' | 'inputs' | 'outcome'> & {
  inputs: string | null;
  roundId: bigint | null;
};

/** Writes open bets (CREATED) in one statement. */
export function insertOpen(bets: readonly OpenBet[]): Statement {
  return {
    name: 'bets.insert-open',
    text: `insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id,
        nonce, rtp_bp, currency_id, algorithm_version, window_id, inputs, round_id, status)
      select currval('ledger_ids') + v.id, v.amount, 0, v.usd_amount, 0, v.usd_rate, v.max_profit_usd, v.seed_pair_id, v.user_id,
        v.game_id, v.nonce, v.rtp_bp, v.currency_id, v.version, v.window_id, v.inputs::json, v.round_id, 'CREATED'
      from unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int4[], $8::int4[], $9::int4[],
        $10::int2[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int8[])
        v(id, amount, usd_amount, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id, nonce, rtp_bp, currency_id, version,
          window_id, inputs, round_id)`,
    values: [
      int4Array(bets.map((b) => b.id)),
      int8Array(bets.map((b) => b.amount)),
      int8Array(bets.map((b) => b.usdAmount)),
      int8Array(bets.map((b) => b.usdRate)),
      int8Array(bets.map((b) => b.maxProfitUsd)),
      int8Array(bets.map((b) => b.seedPairId)),
      int4Array(bets.map((b) => b.userId)),
      int4Array(bets.map((b) => b.gameId)),
      int4Array(bets.map((b) => b.nonce)),
      int2Array(bets.map((b) => b.rtpBp)),
      textArray(bets.map((b) => b.currencyId)),
      textArray(bets.map((b) => b.algorithmVersion)),
      textArray(bets.map((b) => b.windowId)),
      textArray(bets.map((b) => b.inputs)),
      int8Array(bets.map((b) => b.roundId)),
    ],
  };
}

/** What an open bet has become: more is staked on it (CREATED), or it has ended. */
export type BetChange = {
  id: bigint;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  /** Place of its settlement in the reserved block; null while it is open. */
  settlement: number | null;
  /** Null: as they were. */
  inputs: string | null;
  outcome: string | null;
};

/**
 * Writes changed bets in one statement. Fails (40001) when one of them is not open any more. The status is wrapped so that each bet is
 * looked up by its id: an index of what is open leads through the open bets of everybody, and those that were.
 */
export function changeOpen(changes: readonly BetChange[]): Statement {
  return {
    name: 'bets.change-open',
    text: `with changed as (
        update bets b set status = v.status, amount = v.amount, usd_amount = v.usd_amount, payout = v.payout,
          usd_payout = v.usd_payout, settlement_id = currval('ledger_ids') + v.settlement,
          settled_at = case when v.status = 'SETTLED' then now() end, updated_at = now(), error_reason = null,
          inputs = coalesce(v.inputs::json, b.inputs), outcome = v.outcome::json
        from unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int4[], $8::text[], $9::text[])
          v(id, status, amount, usd_amount, payout, usd_payout, settlement, inputs, outcome)
        where b.id = v.id and coalesce(b.status in ('CREATED', 'ERROR'), false)
        returning 1)
      select expect_rows((select count(*) from changed), $10::int8)`,
    values: [
      int8Array(changes.map((c) => c.id)),
      textArray(changes.map((c) => c.status)),
      int8Array(changes.map((c) => c.amount)),
      int8Array(changes.map((c) => c.usdAmount)),
      int8Array(changes.map((c) => c.payout)),
      int8Array(changes.map((c) => c.usdPayout)),
      int4Array(changes.map((c) => c.settlement)),
      textArray(changes.map((c) => c.inputs)),
      textArray(changes.map((c) => c.outcome)),
      changes.length,
    ],
  };
}
