import { z } from 'zod';
import { hidden, optionalChoice, optionalUrl, secrets, textOr } from './setting.ts';

export const identityVerification = {
  KYC_PROVIDER: optionalChoice(['sandbox', 'sumsub']).describe(
    'Who checks documents. Default in `local` and `test`: the sandbox. Absent elsewhere: staff alone decides.',
  ),
  KYC_API_URL: optionalUrl.describe(
    'Its address. Default: the sandbox in `local` and `test`, https://api.sumsub.com for `sumsub`.',
  ),
  KYC_API_KEY: hidden(textOr('sandbox-kyc-token')).describe('Its app token.'),
  KYC_API_SECRET: hidden(textOr('sandbox-kyc-secret')).describe('Secret that signs our requests to it.'),
  KYC_WEBHOOK_SECRETS: hidden(secrets('sandbox-kyc-webhook-secret')).describe(
    'Secrets that sign its notices, comma-separated.',
  ),
  KYC_LEVELS: z
    .string()
    .regex(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'needs three names')
    .default('identity,address,source-of-funds')
    .transform((v) => v.split(','))
    .describe('Names of its levels for IDENTITY, ADDRESS and SOURCE_OF_FUNDS.'),
};
