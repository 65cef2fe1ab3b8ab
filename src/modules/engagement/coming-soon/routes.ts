import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { authErrors } from '../../accounts/auth/errors.ts';
import { ComingSoonInfo, Subscription } from './schemas.ts';
import type { ComingSoon } from './service.ts';

const tag = 'Coming Soon';

export const comingSoonRoutes = (comingSoon: ComingSoon) => [
  route({
    method: 'GET',
    path: '/coming-soon',
    tag,
    access: 'anonymous',
    summary: 'Whether the page before the launch is shown, and what it says',
    response: ComingSoonInfo,
    handler: () => comingSoon.info(),
  }),
  route({
    method: 'POST',
    path: '/coming-soon/subscribe',
    tag,
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    captcha: true,
    summary: 'Be told when the site opens',
    description:
      'The answer is the same for an address that is there already. The addresses are deleted 90 days after the launch. While the page is ' +
      'not shown nothing is kept.',
    body: Subscription,
    response: SuccessResponse,
    errors: [authErrors.AUTH_RECAPTCHA_TOKEN_MISSING, authErrors.AUTH_INVALID_CAPTCHA],
    handler: ({ body }) => comingSoon.subscribe(body),
  }),
];
