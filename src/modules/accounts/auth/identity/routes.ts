import { type Context, route } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config.ts';
import { siteConfigErrors } from '../../../base/site-config/errors.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { deviceOf, withCookies } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { AuthSessionTokens } from '../schemas.ts';
import { identityErrors } from './errors.ts';
import { browserOf, CLEARED_STATE, STATE_COOKIE } from './round-trip.ts';
import { Landing, OidcReturn, OpenidReturn, SetupQuery, SetupUsername } from './schemas.ts';
import type { Identity, Move } from './service.ts';

type Segments = Pick<Config, 'IDP_A_SEGMENT' | 'IDP_B_SEGMENT'>;

const anonymous = { tag: 'Authorization', access: 'anonymous', limit: 'auth' } as const;
const startErrors = [identityErrors.IDP_DISABLED, identityErrors.IDP_UNAVAILABLE];

/** The segments of the providers' paths are configuration: no request chooses them. */
export const identityRoutes = (identity: Identity, { IDP_A_SEGMENT, IDP_B_SEGMENT }: Segments) => {
  const redirect = {
    ...anonymous,
    method: 'GET',
    status: 200,
    otherStatuses: [302],
    refusedAt: (code: string) => identity.refusedAt(code),
  } as const;
  const start = {
    ...redirect,
    description:
      'Leads to the provider: a browser is redirected, a program finds the address in the header Location. The cookie idp_state ties ' +
      'the sign-in to the browser for ten minutes.',
    errors: startErrors,
  } as const;
  const finish = {
    ...redirect,
    description:
      'Ends at a page of the site, `…/auth#` with `signedIn=true` (cookies are set), `setupUsernameToken` and `email` of somebody new, ' +
      '`mfaToken`, `provider`, `state` and `mfaMethods` when the second factor is required, or, in a browser, `error` with the code of a refusal.',
    response: Landing,
    errors: [
      ...startErrors,
      identityErrors.IDP_STATE_INVALID,
      identityErrors.IDP_REFUSED,
      identityErrors.IDP_CANCELLED,
      authErrors.AUTH_INVALID_CREDENTIALS,
      gateErrors.AUTH_GEO_BLOCKED,
    ],
  } as const;
  return [
    route({
      ...start,
      path: `/auth/${IDP_A_SEGMENT}`,
      summary: 'Sign in at the OpenID Connect provider',
      handler: async (context) => void go(context, await identity.startOidc()),
    }),
    route({
      ...finish,
      path: `/auth/${IDP_A_SEGMENT}/callback`,
      summary: 'Come back from the OpenID Connect provider',
      query: OidcReturn,
      handler: async (context) => go(context, await identity.finishOidc(arrivalOf(context))),
    }),
    route({
      ...start,
      path: `/auth/${IDP_B_SEGMENT}`,
      summary: 'Sign in at the game platform (OpenID 2.0)',
      handler: async (context) => void go(context, await identity.startOpenid()),
    }),
    route({
      ...finish,
      path: `/auth/${IDP_B_SEGMENT}/return`,
      summary: 'Come back from the game platform',
      query: OpenidReturn,
      handler: async (context) => go(context, await identity.finishOpenid(arrivalOf(context))),
    }),
    route({
      ...anonymous,
      method: 'POST',
      path: '/auth/setup-username',
      gate: 'none',
      summary: 'Open the account of somebody who is new and comes from an identity provider',
      query: SetupQuery,
      body: SetupUsername,
      response: AuthSessionTokens,
      errors: [
        identityErrors.SETUP_TOKEN_INVALID,
        identityErrors.IDENTITY_TAKEN,
        userErrors.AUTH_USER_EXISTS,
        userErrors.USERNAME_RESERVED,
        gateErrors.AUTH_GEO_BLOCKED,
        siteConfigErrors.REGISTRATION_CLOSED,
      ],
      description: 'Needs the cookie idp_state of the browser that came back from the provider.',
      handler: async (context) => {
        const tokens = await identity.setupUsername({
          token: context.query.setupUsernameToken,
          input: context.body,
          device: deviceOf(context),
          browser: browserOf(context.cookies[STATE_COOKIE]),
        });
        context.setCookie(CLEARED_STATE);
        return withCookies(context, tokens);
      },
    }),
  ];
};

type Any<Query> = Context<undefined, Query, unknown, unknown, unknown>;

const arrivalOf = <Query>(context: Any<Query>) => ({
  query: context.query,
  stateCookie: context.cookies[STATE_COOKIE],
  device: deviceOf(context),
});

function go(context: Any<unknown>, { url, cookie, answer }: Move): { url: string } {
  if (answer) withCookies(context, answer);
  if (cookie) context.setCookie(cookie);
  context.redirect(url);
  return { url };
}
