import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { Email } from '../../base/users/schemas.ts';

export const ComingSoonInfo = object('ComingSoonInfo', {
  enabled: z.boolean(),
  launchAt: Timestamp.nullable().meta({ description: 'Null: not said yet.' }),
  features: z.array(z.string()),
});

/** The bounds are those of sign-up. */
export const Subscription = z.strictObject({
  email: Email,
  referrer: z.string().max(500).optional(),
  affiliateCode: z.string().min(1).max(64).optional(),
});
