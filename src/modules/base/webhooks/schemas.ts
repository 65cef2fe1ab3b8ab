import { z } from 'zod';
import { SuccessResponse } from '../../../http/schemas.ts';

/** For the document: a signed route's service reads the header itself. */
const SignatureHeaders = z.object({
  'x-signature': z.string().meta({ description: '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`' }),
});

/** Which partner sends the webhook. */
const PartnerPath = z.object({ provider: z.string().min(1).max(64) });

/** What the routes of all webhooks have in common. */
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
