import { operation } from '../../../http/operation.ts';
import { webhookErrors, webhookRoute } from '../../base/webhooks/schemas.ts';
import type { SkinDeps } from './deps.ts';
import { SkinWebhook } from './webhooks.ts';

export const receiveSkinWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/skins/{provider}',
  summary: 'Receive a webhook from the skin marketplace',
  body: SkinWebhook,
  errors: [webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ skins }: SkinDeps, { params, notice }) => skins.receive(params.provider, notice!),
});
