import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import { webhookRoute } from '../../base/webhooks/schemas.ts';
import { gateErrors, moneyInErrors } from '../../compliance/gate/errors.ts';
import { paymentErrors } from '../payments/errors.ts';
import { skinErrors } from './errors.ts';
import {
  SkinDeposit,
  SkinDepositParams,
  SkinDepositRequest,
  SkinDepositStart,
  SkinWebhook,
} from './schemas.ts';
import type { Skins } from './service.ts';

const tag = 'Payments (skin marketplace)';

export const skinRoutes = (skins: Skins) => [
  route({
    method: 'POST',
    path: '/payments/skins/deposit',
    tag,
    access: 'auth',
    gate: 'deposit',
    idempotent: true,
    summary: 'Sell skins at the marketplace for money here',
    description:
      'The amount is known once the marketplace has the items. Repeat a request that was answered 503 with its Idempotency-Key.',
    body: SkinDepositRequest,
    response: SkinDepositStart,
    errors: [
      ...moneyInErrors,
      gateErrors.KYC_REQUIRED,
      skinErrors.TRADE_LINK_REQUIRED,
      gateErrors.DEPOSIT_DISABLED,
      commonErrors.CURRENCY_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      commonErrors.SERVICE_UNAVAILABLE,
    ],
    handler: ({ user, ip, body, idempotencyKey }) =>
      skins.start({ userId: user.id, ip, key: idempotencyKey }, body),
  }),
  route({
    method: 'GET',
    path: '/payments/skins/deposit/{id}',
    tag,
    access: 'auth',
    summary: 'Own deposit by skins',
    params: SkinDepositParams,
    response: SkinDeposit,
    errors: [paymentErrors.DEPOSIT_NOT_FOUND],
    handler: ({ user, params }) => skins.get(user.id, params.id),
  }),
  route({
    ...webhookRoute,
    path: '/webhooks/skins/{provider}',
    summary: 'Webhook of the skin marketplace',
    body: SkinWebhook,
    errors: [
      webhookErrors.SIGNATURE_INVALID,
      webhookErrors.PROVIDER_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
    ],
    handler: ({ params, notice }) => skins.receive(params.provider, notice!),
  }),
];
