import { type Route, route } from '../../../../http/route.ts';
import { page } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import { webhookRoute } from '../../../base/webhooks/schemas.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { paymentErrors } from '../errors.ts';
import { WithdrawalWebhook } from '../providers/schemas.ts';
import { withdrawalErrors } from './errors.ts';
import {
  EligibilityQuery,
  EstimateRequest,
  PlayerWithdrawal,
  PlayerWithdrawalQuery,
  WithdrawalId,
  WithdrawEligibility,
  WithdrawEstimate,
  WithdrawRequest,
} from './schemas.ts';
import type { Withdrawals } from './service.ts';

const tag = 'Payments';
const read = { method: 'GET', tag, access: 'auth' } as const;
const change = {
  method: 'POST',
  tag,
  access: 'auth',
  idempotent: true,
  response: PlayerWithdrawal,
} as const;

export const withdrawalRoutes = (withdrawals: Withdrawals): Route[] => [
  route({
    ...read,
    path: '/payments/withdraw/eligibility',
    summary: 'Whether a withdrawal in a currency would be accepted, and why not',
    query: EligibilityQuery,
    response: WithdrawEligibility,
    errors: [commonErrors.CURRENCY_NOT_FOUND],
    handler: ({ user, ip, query }) => withdrawals.eligibility({ userId: user.id, ip, ...query }),
  }),
  route({
    method: 'POST',
    path: '/payments/withdraw/estimate',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'What the recipient gets of an amount; the quote fixes the fee for a minute',
    body: EstimateRequest,
    response: WithdrawEstimate,
    errors: [
      paymentErrors.PAYMENT_METHOD_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      withdrawalErrors.AMOUNT_BELOW_FEE,
    ],
    handler: ({ user, body }) => withdrawals.estimate(user.id, body),
  }),
  route({
    ...change,
    path: '/payments/withdraw',
    gate: 'withdraw',
    summary: 'Request a withdrawal: the whole amount is held until it is decided',
    description:
      'The fee is taken from the amount. `mfaCode` is needed each time while 2FA is on (a code of the app, or that of `POST /user/passkeys/proof`), `recipientMemo` where the method says memoRequired ' +
      'and nowhere else. Without `quoteId` the fee of the moment applies.',
    body: WithdrawRequest,
    errors: [
      paymentErrors.PAYMENT_METHOD_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      withdrawalErrors.AMOUNT_BELOW_FEE,
      withdrawalErrors.QUOTE_EXPIRED,
      withdrawalErrors.RECIPIENT_ADDRESS_INVALID,
      withdrawalErrors.RECIPIENT_MEMO_INVALID,
      gateErrors.WITHDRAW_DISABLED,
      gateErrors.USER_BANNED,
      gateErrors.WITHDRAWAL_BLOCKED,
      gateErrors.KYC_REQUIRED,
      gateErrors.ROLLOVER_OPEN,
      commonErrors.MFA_REQUIRED,
      commonErrors.MFA_INVALID,
      withdrawalErrors.TOO_MANY_WITHDRAWALS,
      commonErrors.INSUFFICIENT_BALANCE,
    ],
    handler: ({ user, ip, body, idempotencyKey: key }) =>
      withdrawals.request({ userId: user.id, sessionId: user.sessionId, ip, key }, body),
  }),
  route({
    ...read,
    path: '/payments/withdraw',
    summary: 'Own withdrawals',
    query: PlayerWithdrawalQuery,
    response: page(PlayerWithdrawal),
    handler: ({ user, query }) => withdrawals.list(user.id, query),
  }),
  route({
    ...change,
    path: '/payments/withdraw/cancel',
    gate: 'finish',
    summary: 'Cancel a withdrawal that waits for approval',
    description:
      'Where `cancelByCountry` of `GET /config/WITHDRAWALS` is false for the country of the address, of the registration or of the stated ' +
      'identity, 403 WITHDRAWAL_CANCEL_CLOSED: money that was requested is not played with again.',
    body: WithdrawalId,
    errors: [
      withdrawalErrors.WITHDRAWAL_NOT_FOUND,
      withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED,
      withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE,
    ],
    handler: ({ user, ip, body, idempotencyKey: key }) =>
      withdrawals.cancel({ userId: user.id, ip, key }, body.id),
  }),
  route({
    ...webhookRoute,
    path: '/webhooks/payments/{provider}/withdrawal',
    summary: 'Webhook of a payment provider about a payout',
    description:
      'Header x-signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`; other providers sign in their own way. A status only ' +
      'moves forward; webhooks about earlier attempts are ignored.',
    body: WithdrawalWebhook,
    errors: [webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
    handler: ({ params, notice }) => withdrawals.receive(params.provider, notice!),
  }),
];
