import { commonErrors, errors } from '../../../platform/errors.ts';
import { gateErrors, moneyInErrors } from '../../compliance/gate/errors.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';

export const bettingErrors = errors({
  GAME_DISABLED: [409, 'This game is switched off at the moment.'],
  ROUND_NOT_FOUND: [404, 'There is no open round of this game.'],
  ROUND_OPEN: [409, 'A round of this game is open: finish it first.'],
  ACTION_NOT_ALLOWED: [409, 'The round does not allow this now.'],
  BET_TOO_SOON: [429, 'Bets need time between them here; wait as retryAfterMs and Retry-After say.'],
  SERIES_CLOSED: [403, 'Many bets in one request are not allowed in this country: send them one by one.'],
  BETTING_CLOSED: [409, 'No bets are taken at the moment: wait for the next round.'],
  BET_QUEUE_FULL: [503, 'More bets are waiting than can be taken; retry as Retry-After says.'],
  BET_TIMED_OUT: [503, 'The bet waited too long for its turn and was not made; retry as Retry-After says.'],
  BET_OUTCOME_UNKNOWN: [
    503,
    'The database did not confirm the bet in time. Repeat the request with the same Idempotency-Key, or look at GET /bets.',
  ],
});

const { GAME_DISABLED, ROUND_NOT_FOUND, ROUND_OPEN, ACTION_NOT_ALLOWED } = bettingErrors;
const { BET_QUEUE_FULL, BET_TIMED_OUT, BET_OUTCOME_UNKNOWN } = bettingErrors;
const queueRefusals = [commonErrors.TOO_MANY_AT_ONCE, BET_QUEUE_FULL, BET_TIMED_OUT, BET_OUTCOME_UNKNOWN];
const newMoneyRefusals = [commonErrors.INSUFFICIENT_BALANCE, ...moneyInErrors, gateErrors.PLAY_STOPPED];

/** What any bet may be refused with. */
export const betRefusals = [
  bonusErrors.PROMO_MAX_BET,
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  ...newMoneyRefusals,
  currencyErrors.RATE_STALE,
  GAME_DISABLED,
  bettingErrors.BET_TOO_SOON,
  ...queueRefusals,
];

/** What a series may be refused with. */
export const seriesRefusals = [...betRefusals, bettingErrors.SERIES_CLOSED];

/** What the start of a round may be refused with. */
export const startRefusals = [...betRefusals, ROUND_OPEN];

/** What an action on an open round may be refused with, and with new money besides. */
export const actionRefusals = [ROUND_NOT_FOUND, ACTION_NOT_ALLOWED, ...queueRefusals];
export const stakeRefusals = [...actionRefusals, ...newMoneyRefusals];
