import { operation } from '../../../http/operation.ts';
import { webhookErrors, webhookRoute } from '../../base/webhooks/schemas.ts';
import { KycWebhook } from './schemas.ts';
import type { KycDeps } from './service.ts';

export const receiveKycWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/kyc/{provider}',
  summary: 'Receive a report from an identity provider',
  description:
    'The body and header shown here follow our own protocol (provider `sandbox`). Its reports may also contain `documentCountry`, ' +
    'the country that issued the identity document (ISO 3166-1 alpha-2 or alpha-3). `sumsub` sends its own body, with the digest ' +
    'in x-payload-digest and the algorithm in x-payload-digest-alg.',
  body: KycWebhook,
  errors: [webhookErrors.PROVIDER_NOT_FOUND, webhookErrors.SIGNATURE_INVALID],
  handler: ({ kyc }: KycDeps, { params, notice }) => kyc.receive(params.provider, notice!),
});
