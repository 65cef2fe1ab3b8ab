import { errors } from '../../../platform/errors.ts';

export const paymentErrors = errors({
  DEPOSIT_NOT_FOUND: [404, 'This deposit does not exist.'],
  PAYMENT_METHOD_NOT_FOUND: [
    404,
    'This currency is not available on this network. See GET /payments/methods.',
  ],
});
