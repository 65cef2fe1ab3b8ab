import { type Context, route } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config.ts';
import { siteConfigErrors } from '../../../base/site-config/errors.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { countryErrors } from '../../../compliance/countries/errors.ts';
import { withoutAlias } from '../cookies.ts';
import { authErrors } from '../errors.ts';
import { deviceOf, withCookies } from '../routes.ts';
import { AuthSessionTokens } from '../schemas.ts';
import { identityErrors } from './errors.ts';
import { browserOf, CLEARED_STATE, STATE_COOKIE } from './round-trip.ts';
import { Landing, OidcReturn, OpenidReturn, SetupQuery, SetupUsername } from './schemas.ts';
import type { Identity, Move } from './service.ts';

type Segments = Pick<Config, 'IDP_A_SEGMENT' | 'IDP_B_SEGMENT'>;

const tag = 'Authorization';
const startErrors = [identityErrors.IDP_DISABLED, identityErrors.IDP_UNAVAILABLE];
const returnErrors = [
  ...startErrors,
  identityErrors.IDP_STATE_INVALID,
  identityErrors.IDP_REFUSED,
  identityErrors.IDP_CANCELLED,
  authErrors.AUTH_INVALID_CREDENTIALS,
  countryErrors.AUTH_GEO_BLOCKED,
];
const START =
  'Leads to the provider: a browser is sent there, a program finds the address in the header Location. The cookie idp_state ties ' +
  'the sign-in to the browser for ten minutes.';
const RETURN =
  'Ends at a page of the site, `…/auth#` with `signedIn=true` (cookies are set), `setupUsernameToken` and `email` of somebody new, ' +
  '`mfaToken`, `provider` and `state` when the second factor is due, or, in a browser, `error` with the code of a refusal.';

/** The providers' segments are configuration: no request chooses them. */
export const identityRoutes = (identity: Identity, { IDP_A_SEGMENT, IDP_B_SEGMENT }: Segments) => [
  route({
    method: 'GET',
    path: `/auth/${IDP_A_SEGMENT}`,
    tag,
    access: 'anonymous',
    limit: 'auth',
    summary: 'Sign in at the OpenID Connect provider',
    description: START,
    status: 200,
    otherStatuses: [302],
    errors: startErrors,
    refusedAt: (code) => identity.refusedAt(code),
    handler: async (context) => void go(context, await identity.startOidc()),
  }),
  route({
    method: 'GET',
    path: `/auth/${IDP_A_SEGMENT}/callback`,
    tag,
    access: 'anonymous',
    limit: 'auth',
    summary: 'Come back from the OpenID Connect provider',
    description: RETURN,
    query: OidcReturn,
    status: 200,
    otherStatuses: [302],
    response: Landing,
    errors: returnErrors,
    refusedAt: (code) => identity.refusedAt(code),
    handler: async (context) => go(context, await identity.finishOidc(arrivalOf(context))),
  }),
  route({
    method: 'GET',
    path: `/auth/${IDP_B_SEGMENT}`,
    tag,
    access: 'anonymous',
    limit: 'auth',
    summary: 'Sign in at the game platform (OpenID 2.0)',
    description: START,
    status: 200,
    otherStatuses: [302],
    errors: startErrors,
    refusedAt: (code) => identity.refusedAt(code),
    handler: async (context) => void go(context, await identity.startOpenid()),
  }),
  route({
    method: 'GET',
    path: `/auth/${IDP_B_SEGMENT}/return`,
    tag,
    access: 'anonymous',
    limit: 'auth',
    summary: 'Come back from the game platform',
    description: RETURN,
    query: OpenidReturn,
    status: 200,
    otherStatuses: [302],
    response: Landing,
    errors: returnErrors,
    refusedAt: (code) => identity.refusedAt(code),
    handler: async (context) => go(context, await identity.finishOpenid(arrivalOf(context))),
  }),
  route({
    method: 'POST',
    path: '/auth/setup-username',
    tag,
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Open the account of somebody who is new and comes from an identity provider',
    query: SetupQuery,
    body: SetupUsername,
    status: 201,
    response: AuthSessionTokens,
    errors: [
      identityErrors.SETUP_TOKEN_INVALID,
      identityErrors.IDENTITY_TAKEN,
      userErrors.AUTH_USER_EXISTS,
      userErrors.USERNAME_RESERVED,
      countryErrors.AUTH_GEO_BLOCKED,
      siteConfigErrors.REGISTRATION_CLOSED,
    ],
    description: 'Needs the cookie idp_state of the browser that came back from the provider.',
    handler: async (context) => {
      const tokens = await identity.setupUsername(setupOf(context));
      context.setCookie(CLEARED_STATE);
      return withCookies(context, tokens);
    },
  }),
];

type Any<Query, Body = undefined> = Context<Body, Query, unknown, unknown, unknown>;

const arrivalOf = <Query>(context: Any<Query>) => ({
  query: context.query,
  cookies: context.cookies,
  device: deviceOf(context),
});

const setupOf = <Body>(context: Any<{ setupUsernameToken: string }, Body>) => ({
  token: context.query.setupUsernameToken,
  input: context.body,
  device: deviceOf(context),
  browser: browserOf(context.cookies[STATE_COOKIE]),
});

function go(
  context: Pick<Any<unknown>, 'cookies' | 'setCookie' | 'redirect'>,
  { url, cookies }: Move,
): { url: string } {
  for (const cookie of withoutAlias(cookies, context.cookies)) context.setCookie(cookie);
  context.redirect(url);
  return { url };
}
