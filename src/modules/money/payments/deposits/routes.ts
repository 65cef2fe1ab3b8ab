import { z } from 'zod';
import { route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import { webhookRoute } from '../../../base/webhooks/schemas.ts';
import { gateErrors, moneyInErrors } from '../../../compliance/gate/errors.ts';
import { paymentErrors } from '../errors.ts';
import { DepositWebhook } from '../providers/schemas.ts';
import {
  AddressQuery,
  DepositAddress,
  MethodQuery,
  PaymentMethod,
  PlayerDepositPage,
  PlayerDepositQuery,
} from './schemas.ts';
import type { Deposits } from './service.ts';

const read = { method: 'GET', tag: 'Payments', access: 'auth' } as const;

export const depositRoutes = (deposits: Deposits) => [
  route({
    ...read,
    path: '/payments/methods',
    summary: 'How money can be paid in and out',
    description: 'With `direction` only what is open in it at the moment.',
    query: MethodQuery,
    response: z.array(PaymentMethod),
    handler: ({ query }) => deposits.methods(query),
  }),
  route({
    ...read,
    path: '/payments/deposit/address',
    gate: 'deposit',
    summary: 'Own address to pay in to, always the same for a currency on a network',
    query: AddressQuery,
    response: DepositAddress,
    errors: [
      ...moneyInErrors,
      gateErrors.KYC_REQUIRED,
      gateErrors.DEPOSIT_DISABLED,
      paymentErrors.PAYMENT_METHOD_NOT_FOUND,
    ],
    handler: ({ user, ip, query }) => deposits.address({ userId: user.id, ip }, query),
  }),
  route({
    ...read,
    path: '/payments/deposit',
    summary: 'Own deposits',
    query: PlayerDepositQuery,
    response: PlayerDepositPage,
    handler: ({ user, query }) => deposits.mine(user.id, query),
  }),
  route({
    ...webhookRoute,
    path: '/webhooks/payments/{provider}/deposit',
    summary: 'Webhook of a payment provider: coins that came in',
    description:
      'Header and body are those of our own protocol; other providers have theirs. An output of a transaction is credited once. ' +
      'COMPLETED with `confirmations` 0 leaves it to the provider how many are enough.',
    body: DepositWebhook,
    errors: [
      commonErrors.VALIDATION_FAILED,
      webhookErrors.SIGNATURE_INVALID,
      webhookErrors.PROVIDER_NOT_FOUND,
    ],
    handler: ({ params, notice }) => deposits.receive(params.provider, notice!),
  }),
];
