import { commonErrors, errors } from '../../platform/errors.ts';
import { currencyErrors } from '../currencies/errors.ts';
import { gateErrors, moneyInErrors } from '../gate/errors.ts';

export const houseGameErrors = errors({
  GAME_DISABLED: [409, 'This game is switched off at the moment.'],
  BET_QUEUE_FULL: [503, 'More bets are waiting than can be taken; retry as Retry-After says.'],
  BET_TIMED_OUT: [503, 'The bet waited too long for its turn and was not made; retry as Retry-After says.'],
  BET_OUTCOME_UNKNOWN: [
    503,
    'The database did not confirm the bet in time. Repeat the request with the same Idempotency-Key, or look at GET /bets.',
  ],
});

/** What any bet on a house game may be refused with. */
export const betRefusals = [
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  commonErrors.INSUFFICIENT_BALANCE,
  ...moneyInErrors,
  gateErrors.PLAY_STOPPED,
  currencyErrors.RATE_STALE,
  ...Object.values(houseGameErrors),
];
