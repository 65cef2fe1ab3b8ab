import { operation } from '../../../http/operation.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { webhookErrors, webhookRoute } from '../../base/webhooks/schemas.ts';
import type { DepositDeps } from './deposits/service.ts';
import { DepositWebhook, WithdrawalWebhook } from './providers/schemas.ts';
import type { WithdrawalDeps } from './withdrawals/service.ts';

export const receiveDepositWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/payments/{provider}/deposit',
  summary: 'Receive a deposit webhook from a payment provider',
  description:
    'The header and body shown here follow our own protocol. Other providers use their own. Each output of a transaction is ' +
    'credited once. COMPLETED with `confirmations` 0 means that the provider considers the number of confirmations sufficient.',
  body: DepositWebhook,
  errors: [commonErrors.VALIDATION_FAILED, webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ deposits }: DepositDeps, { params, notice }) => deposits.receive(params.provider, notice!),
});

export const receiveWithdrawalWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/payments/{provider}/withdrawal',
  summary: 'Receive a payout webhook from a payment provider',
  description:
    'Header x-signature: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. Other providers use their own signature formats. A ' +
    'webhook never moves a withdrawal back to an earlier status. Webhooks about earlier attempts are ignored.',
  body: WithdrawalWebhook,
  errors: [webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ withdrawals }: WithdrawalDeps, { params, notice }) =>
    withdrawals.receive(params.provider, notice!),
});
