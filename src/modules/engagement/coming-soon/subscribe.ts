import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, SuccessResponse, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { authErrors } from '../../accounts/auth/schemas.ts';
import { Email } from '../../base/users/schemas.ts';
import type { ComingSoonDeps } from './purge.ts';

const ComingSoonInfo = object('ComingSoonInfo', {
  enabled: z.boolean(),
  launchAt: Timestamp.nullable().meta({ description: 'Null if the date is not announced yet.' }),
  features: z.array(z.string()),
});

export const getComingSoon = operation({
  method: 'GET',
  path: '/coming-soon',
  tag: 'Coming Soon',
  access: 'anonymous',
  summary: 'Get the coming-soon page',
  description:
    'Contains the launch date and the announced features. The page is shown while `enabled` is true.',
  response: ComingSoonInfo,
  handler: ({ siteConfig }: ComingSoonDeps) => {
    const { enabled, launchAt, features } = siteConfig.get('COMMON').comingSoon;
    return { enabled, launchAt: launchAt && iso(new Date(launchAt)), features };
  },
});

/** The length limits are the same as for sign-ups. */
const Subscription = z.strictObject({
  email: Email,
  referrer: z.string().max(500).optional(),
  affiliateCode: z.string().min(1).max(64).optional(),
});

export const subscribe = operation({
  method: 'POST',
  path: '/coming-soon/subscribe',
  tag: 'Coming Soon',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
  captcha: true,
  summary: 'Subscribe to the launch email',
  description:
    'Returns the same response for an address that is already subscribed. Addresses are deleted 90 days after the launch. Nothing is ' +
    'stored while the page is disabled.',
  body: Subscription,
  response: SuccessResponse,
  errors: [authErrors.AUTH_RECAPTCHA_TOKEN_MISSING, authErrors.AUTH_INVALID_CAPTCHA],
  handler: async ({ db, siteConfig }: ComingSoonDeps, { body: { email, referrer, affiliateCode } }) => {
    // If the email address is already subscribed, its row is updated anyway, so that neither the response nor its timing reveals who has
    // subscribed. The row keeps its first referrer.
    if (siteConfig.get('COMMON').comingSoon.enabled)
      await sql`
        insert into coming_soon_subscribers (email, referrer, affiliate_code)
        values (${email.toLowerCase()}, ${referrer ?? null}, ${affiliateCode ?? null})
        on conflict (email) do update set asked_at = now()`.execute(db);
    return { success: true };
  },
});
