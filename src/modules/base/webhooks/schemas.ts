import { z } from 'zod';
import { SuccessResponse } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';

/** Used only to document the header. The handlers of signed routes read the header themselves. */
const SignatureHeaders = z.object({
  'x-signature': z.string().meta({ description: '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`' }),
});

/** The partner that sends the webhook. */
const PartnerPath = z.object({ provider: z.string().min(1).max(64) });

export const webhookErrors = errors({
  SIGNATURE_INVALID: [401, 'The signature does not match the body or is too old.'],
  PROVIDER_NOT_FOUND: [404, 'No provider with this name is configured.'],
});

/** Settings that the routes of all webhooks share. */
export const webhookRoute = {
  method: 'POST',
  tag: 'Webhooks',
  access: 'signature',
  gate: 'none',
  headers: SignatureHeaders,
  params: PartnerPath,
  status: 200,
  response: SuccessResponse,
} as const;
