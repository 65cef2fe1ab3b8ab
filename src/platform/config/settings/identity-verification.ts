import { z } from 'zod';
import { hidden, optionalChoice, optionalUrl, secrets, textOr } from './setting.ts';

export const identityVerification = {
  KYC_PROVIDER: optionalChoice(['sandbox', 'sumsub']).describe(
    'The identity verification provider that checks documents. Default in `local` and `test`: the sandbox. Absent elsewhere: only staff decides.',
  ),
  KYC_API_URL: optionalUrl.describe(
    'Address of the identity verification provider. Default: the sandbox in `local` and `test`, https://api.sumsub.com for `sumsub`.',
  ),
  KYC_API_KEY: hidden(textOr('sandbox-kyc-token')).describe(
    'App token for the identity verification provider.',
  ),
  KYC_API_SECRET: hidden(textOr('sandbox-kyc-secret')).describe(
    'Secret that signs requests to the identity verification provider.',
  ),
  KYC_WEBHOOK_SECRETS: hidden(secrets('sandbox-kyc-webhook-secret')).describe(
    'Secrets with which the provider signs its webhooks, comma-separated.',
  ),
  KYC_LEVELS: z
    .string()
    .regex(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'needs three names')
    .default('identity,address,source-of-funds')
    .transform((v) => v.split(','))
    .describe("Names of the provider's levels for IDENTITY, ADDRESS and SOURCE_OF_FUNDS."),
};
