import { ALGORITHM_VERSION } from '../../src/modules/fairness/rules.ts';
import type { Played, Terms } from './bet.ts';

/** Columns of a bet after its id, in the order of `betValues`; status and settled_at are the statement's own. */
export const BET_COLUMNS = `amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id,
  nonce, rtp_bp, currency_id, algorithm_version, window_id, inputs, outcome`;

export const LINE_COLUMNS =
  'id, entry_id, amount, debit_after, credit_after, user_id, debit, credit, currency_id, kind';

type Turn = { userId: number; seedPairId: bigint; nonce: number };

export function betValues(terms: Terms, { outcome, payout, payoutUsd }: Played, turn: Turn): unknown[] {
  const { threshold, above, currencyId, windowId } = terms.body;
  return [
    terms.stake,
    payout,
    terms.betUsd,
    payoutUsd,
    terms.rate,
    terms.settings.maxProfit,
    turn.seedPairId,
    turn.userId,
    terms.gameId,
    turn.nonce,
    terms.rtpBp,
    currencyId,
    ALGORITHM_VERSION,
    windowId ?? null,
    JSON.stringify({ threshold, above }),
    JSON.stringify(outcome),
  ];
}
