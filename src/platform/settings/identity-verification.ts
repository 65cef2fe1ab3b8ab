import { z } from 'zod';
import { secrets, setting } from './setting.ts';

export const identityVerification = {
  KYC_PROVIDER: setting(
    z.enum(['sandbox', 'sumsub']).optional(),
    'Who checks documents. Default in `local` and `test`: the sandbox. Absent elsewhere: staff alone decides.',
  ),
  KYC_API_URL: setting(
    z.url().optional(),
    'Its address. Default: the sandbox in `local` and `test`, https://api.sumsub.com for `sumsub`.',
  ),
  KYC_API_KEY: setting(z.string().min(1).default('sandbox-kyc-token'), 'Its app token.', true),
  KYC_API_SECRET: setting(
    z.string().min(1).default('sandbox-kyc-secret'),
    'Secret that signs our requests to it.',
    true,
  ),
  KYC_WEBHOOK_SECRETS: setting(
    secrets('sandbox-kyc-webhook-secret'),
    'Secrets that sign its notices, comma-separated.',
    true,
  ),
  KYC_LEVELS: setting(
    z
      .string()
      .regex(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'needs three names')
      .default('identity,address,source-of-funds')
      .transform((v) => v.split(',')),
    'Names of its levels for IDENTITY, ADDRESS and SOURCE_OF_FUNDS.',
  ),
};
