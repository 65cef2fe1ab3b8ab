import { errors } from '../../../platform/errors.ts';

export const bonusErrors = errors({
  PROMO_GRANT_NOT_FOUND: [404, 'No such grant.'],
  PROMO_GRANT_CLOSED: [409, 'This grant has ended.'],
  PROMO_MAX_BET: [
    403,
    'While a bonus is active no stake may be above maxBetUsd: stake less, or give the bonus up.',
  ],
});
