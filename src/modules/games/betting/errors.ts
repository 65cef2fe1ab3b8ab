import { commonErrors, errors } from '../../../platform/errors.ts';
import { gateErrors, moneyInErrors } from '../../compliance/gate/errors.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';

export const bettingErrors = errors({
  GAME_DISABLED: [409, 'This game is currently disabled.'],
  ROUND_NOT_FOUND: [404, 'You have no open round of this game.'],
  ROUND_OPEN: [409, 'Finish your open round of this game first.'],
  ACTION_NOT_ALLOWED: [409, 'The round does not allow this action now.'],
  BET_TOO_SOON: [
    429,
    'Your bets are too close together. Wait for retryAfterMs, or for the time in Retry-After.',
  ],
  SERIES_CLOSED: [403, 'Several bets in one request are not allowed in your country. Send them one by one.'],
  SEEDS_USED_UP: [409, 'This seed pair has no nonces left. Rotate your seeds first.'],
  BETTING_CLOSED: [409, 'Betting is closed. Wait for the next round.'],
  BET_QUEUE_FULL: [503, 'Too many bets are waiting. Retry after the time in Retry-After.'],
  BET_TIMED_OUT: [503, 'The bet waited too long and was not placed. Retry after the time in Retry-After.'],
  BET_OUTCOME_UNKNOWN: [
    503,
    'The bet was not confirmed in time. Repeat it with the same Idempotency-Key, or check GET /bets.',
  ],
});

const { GAME_DISABLED, ROUND_NOT_FOUND, ROUND_OPEN, ACTION_NOT_ALLOWED } = bettingErrors;
const { BET_QUEUE_FULL, BET_TIMED_OUT, BET_OUTCOME_UNKNOWN } = bettingErrors;
const queueRefusals = [commonErrors.TOO_MANY_AT_ONCE, BET_QUEUE_FULL, BET_TIMED_OUT, BET_OUTCOME_UNKNOWN];
const newMoneyRefusals = [commonErrors.INSUFFICIENT_BALANCE, ...moneyInErrors, gateErrors.PLAY_STOPPED];

/** The errors with which any bet can be rejected. */
export const betRefusals = [
  bonusErrors.PROMO_MAX_BET,
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  ...newMoneyRefusals,
  currencyErrors.RATE_STALE,
  GAME_DISABLED,
  bettingErrors.BET_TOO_SOON,
  bettingErrors.SEEDS_USED_UP,
  ...queueRefusals,
];

/** The errors with which a series can be rejected. */
export const seriesRefusals = [...betRefusals, bettingErrors.SERIES_CLOSED];

/** The errors with which the start of a round can be rejected. */
export const startRefusals = [...betRefusals, ROUND_OPEN];

/** The errors with which an action on an open round can be rejected. `stakeRefusals`: if the action takes an additional stake. */
export const actionRefusals = [ROUND_NOT_FOUND, ACTION_NOT_ALLOWED, ...queueRefusals];
export const stakeRefusals = [...actionRefusals, ...newMoneyRefusals];
