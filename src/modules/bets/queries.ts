import type { Statement } from '../../platform/db.ts';
import type { Rate, Units } from '../../platform/money.ts';
import { int2Array, int4Array, int8Array, textArray } from '../../platform/pg-arrays.ts';

/** A settled bet about to be written; `id` is its place in the block of ids reserved last on this connection. */
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
  seedPairId: bigint;
  nonce: number;
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
