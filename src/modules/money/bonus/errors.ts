import { errors } from '../../../platform/errors.ts';

export const bonusErrors = errors({
  PROMO_MAX_BET: [
    403,
    'While a bonus is active no stake may be above maxBetUsd: stake less, or give the bonus up.',
  ],
});
