import { operation } from '../../../../http/operation.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { webhookErrors, webhookRoute } from '../../../base/webhooks/schemas.ts';
import { DepositWebhook } from '../providers/schemas.ts';
import type { DepositDeps } from './deps.ts';

export const receiveDepositWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/payments/{provider}/deposit',
  summary: 'Receive a deposit webhook from a payment provider',
  description:
    'Header and body follow our own protocol; other providers use theirs. Each output of a transaction is credited once. COMPLETED with ' +
    '`confirmations` 0 means that the provider has decided that there are enough.',
  body: DepositWebhook,
  errors: [commonErrors.VALIDATION_FAILED, webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ deposits }: DepositDeps, { params, notice }) => deposits.receive(params.provider, notice!),
});
