import { countedUsdOf } from '../../src/modules/games/betting/rules.ts';
import { ALGORITHM_VERSION } from '../../src/modules/games/fairness/rules.ts';
import type { Played, PlayRequest } from './bet.ts';

/** Columns of a bet after its id, in the order of `betValues`. The SQL statement itself sets status and settled_at. */
export const BET_COLUMNS = `amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id,
  nonce, rtp_bp, currency_id, algorithm_version, window_id, inputs, outcome, bet_usd`;

export const LINE_COLUMNS =
  'id, entry_id, amount, debit_after, credit_after, user_id, debit, credit, currency_id, kind';

type Turn = { seedPairId: bigint; nonce: number };

export function betValues(bet: PlayRequest, { outcome, payout }: Played, turn: Turn): unknown[] {
  return [
    bet.stake,
    payout,
    countedUsdOf(bet.stake, bet.rate),
    countedUsdOf(payout, bet.rate),
    bet.rate,
    bet.maxProfitUsd,
    turn.seedPairId,
    bet.userId,
    bet.game.id,
    turn.nonce,
    bet.rtpBp,
    bet.currencyId,
    ALGORITHM_VERSION,
    bet.windowId,
    JSON.stringify(bet.inputs),
    JSON.stringify(outcome),
    bet.betUsd,
  ];
}
