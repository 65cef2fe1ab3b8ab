import { z } from 'zod';

/** For the document: a signed route's service reads the header itself. */
export const SignatureHeaders = z.object({
  'x-signature': z.string().meta({ description: '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`' }),
});

/** Which partner sends a notice. */
export const PartnerPath = z.object({ provider: z.string().min(1).max(64) });
