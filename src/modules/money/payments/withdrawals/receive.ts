import { operation } from '../../../../http/operation.ts';
import { webhookErrors, webhookRoute } from '../../../base/webhooks/schemas.ts';
import { WithdrawalWebhook } from '../providers/schemas.ts';
import type { WithdrawalDeps } from './deps.ts';

export const receiveWithdrawalWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/payments/{provider}/withdrawal',
  summary: 'Receive a payout webhook from a payment provider',
  description:
    'Header x-signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`; other providers sign in their own way. A status only ' +
    'moves forward. Webhooks about earlier attempts are ignored.',
  body: WithdrawalWebhook,
  errors: [webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ withdrawals }: WithdrawalDeps, { params, notice }) =>
    withdrawals.receive(params.provider, notice!),
});
