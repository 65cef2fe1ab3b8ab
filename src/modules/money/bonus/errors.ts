import { errors } from '../../../platform/errors.ts';

export const bonusErrors = errors({
  PROMO_GRANT_NOT_FOUND: [404, 'This grant does not exist.'],
  PROMO_GRANT_CLOSED: [409, 'This grant has ended.'],
  PROMO_MAX_BET: [403, 'The stake exceeds maxBetUsd of your active bonus. Stake less, or forfeit the bonus.'],
});
