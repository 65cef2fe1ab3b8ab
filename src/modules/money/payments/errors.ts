import { errors } from '../../../platform/errors.ts';

export const paymentErrors = errors({
  DEPOSIT_NOT_FOUND: [404, 'No such deposit.'],
  PAYMENT_METHOD_NOT_FOUND: [404, 'No such currency on this network; GET /payments/methods lists them.'],
});
