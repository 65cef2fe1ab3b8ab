import { errors } from '../../../platform/errors.ts';

export const currencyErrors = errors({
  RATE_STALE: [409, 'The exchange rate of this currency is too old. Try again in a moment.'],
});
