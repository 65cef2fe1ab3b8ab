import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import { webhookRoute } from '../../base/webhooks/schemas.ts';
import { gateErrors } from '../gate/errors.ts';
import { kycErrors } from './errors.ts';
import { KycBasicRequest, KycSession, KycState, KycTier, KycWebhook, NewKycSession } from './schemas.ts';
import type { Kyc } from './service.ts';

const tag = 'KYC';
const submit = { method: 'POST', tag, access: 'auth', gate: 'none' } as const;

export const kycRoutes = (kyc: Kyc) => [
  route({
    method: 'GET',
    path: '/kyc',
    tag,
    access: 'auth',
    summary: 'How far the own identity is verified',
    response: KycState,
    handler: ({ user }) => kyc.state(user.id),
  }),
  route({
    ...submit,
    path: '/kyc/basic',
    summary: 'Say who you are: approved at once, needed for everything else',
    body: KycBasicRequest,
    response: KycTier,
    errors: [
      kycErrors.KYC_UNDERAGE,
      gateErrors.AUTH_GEO_BLOCKED,
      kycErrors.KYC_ALREADY_APPROVED,
      kycErrors.KYC_FINALLY_REJECTED,
      kycErrors.KYC_UNDER_REVIEW,
    ],
    handler: ({ user, body }) => kyc.submitBasic(user.id, body),
  }),
  route({
    ...submit,
    path: '/kyc/session',
    summary: 'Open the door of the identity provider for one tier',
    description: 'The tier becomes PENDING when the provider reports documents.',
    body: NewKycSession,
    response: KycSession,
    errors: [
      kycErrors.KYC_BASIC_REQUIRED,
      kycErrors.KYC_ALREADY_APPROVED,
      kycErrors.KYC_FINALLY_REJECTED,
      kycErrors.KYC_PROVIDER_MISSING,
      commonErrors.SERVICE_UNAVAILABLE,
    ],
    handler: ({ user, body }) => kyc.openSession(user.id, body),
  }),
  route({
    ...webhookRoute,
    path: '/webhooks/kyc/{provider}',
    summary: 'A provider reports what it found about a player',
    description:
      'Body and header are those of our own protocol (provider `sandbox`). `sumsub` sends its own, with the digest in ' +
      'x-payload-digest and its algorithm in x-payload-digest-alg.',
    body: KycWebhook,
    errors: [webhookErrors.PROVIDER_NOT_FOUND, webhookErrors.SIGNATURE_INVALID],
    handler: ({ params, notice }) => kyc.receiveWebhook(params.provider, notice!),
  }),
];
