import { sql } from 'kysely';
import { z } from 'zod';
import { type Operation, operation } from '../../../../http/operation.ts';
import type { Context, Cookie } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { UserRow } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { AuthDeps } from '../deps.ts';
import { issueToken } from '../one-time-tokens.ts';
import { authErrors, identityErrors } from '../schemas.ts';
import { deviceOf, withCookies } from '../sessions/cookies.ts';
import type { Device, SessionTokens } from '../sessions/sessions.ts';
import { completeSignIn, type MfaChallenge } from '../sign-in/complete.ts';
import type { OidcSecrets } from './oidc.ts';
import { browserOf, CLEARED_STATE, type Newcomer, STATE_COOKIE } from './round-trips.ts';
import { landingOf, type Person } from './rules.ts';

const anonymous = { tag: 'Authorization', access: 'anonymous', limit: 'auth' } as const;
/** The maximum size of a posted response. When percent-encoded, a response of this size still fits into the request line of the GET. */
const POSTED_BYTES = 5000;
const SETUP_SECONDS = 600;
const startErrors = [identityErrors.IDP_DISABLED, identityErrors.IDP_UNAVAILABLE];

const Text = z.string().max(4096);

/**
 * Parameters that an OpenID Connect provider sends. The provider may send other parameters too, which must be ignored (RFC 6749, 4.1.2).
 */
const OidcReturn = z
  .object({
    state: Text.optional(),
    code: Text.optional(),
    iss: Text.optional(),
    error: Text.optional(),
    error_description: Text.optional(),
  })
  .catchall(z.union([Text, z.array(Text)]));

/** Parameters that an OpenID 2.0 provider sends: our state, and the provider's assertion in fields that start with `openid.`. */
const OpenidReturn = z.object({ state: Text.optional(), 'openid.mode': Text.optional() }).catchall(Text);

/** The parameters that either kind of provider sends, in a form body. */
const PostedReturn = z.object({ state: Text.optional() }).catchall(Text);

/** `nonce` is a random string that the front end stores in the browser (sessionStorage) until the account is opened. */
const StartQuery = z.strictObject({
  nonce: z
    .string()
    .regex(/^[\w-]{22,128}$/)
    .optional(),
});

const Landing = z.object({ url: z.string() });

/** Returns the settings shared by the redirect to a provider and the redirect back from it. */
function redirects(siteUrl: string) {
  const redirect = {
    ...anonymous,
    method: 'GET',
    status: 200,
    otherStatuses: [302],
    refusedAt: (code: string) => landingOf(siteUrl, { error: code }),
  } as const;
  const start = {
    ...redirect,
    description:
      'Redirects to the provider. Clients other than browsers find the address in the header `Location`. The cookie `idp_state` ' +
      'ties the sign-in to the browser for ten minutes. A front end on another site cannot send that cookie. It must generate a ' +
      'random `nonce`, send it with this request, store it, and send it again to `setup-username`.',
    query: StartQuery,
    errors: startErrors,
  } as const;
  const finish = {
    ...redirect,
    description:
      'Redirects to the page `…/auth#` of the site with one of these results: `signedIn=true` (the cookies are set); ' +
      '`setupUsernameToken` and `email` for a new user; `mfaToken`, `provider`, `state` and `mfaMethods` if the second factor is ' +
      'required; or, only in a browser, `error` with the error code.',
    response: Landing,
    errors: [
      ...startErrors,
      identityErrors.IDP_STATE_INVALID,
      identityErrors.IDP_REFUSED,
      identityErrors.IDP_CANCELLED,
      authErrors.AUTH_INVALID_CREDENTIALS,
      gateErrors.USER_BANNED,
      gateErrors.AUTH_GEO_BLOCKED,
    ],
  } as const;
  return { start, finish };
}

/** The operations of both providers. Their path segments come from the configuration and cannot be chosen by a request. */
export const identityOperations = (config: Config): Operation<AuthDeps>[] => {
  const { IDP_A_SEGMENT, IDP_B_SEGMENT } = config;
  const { start, finish } = redirects(config.SITE_URL);
  return [
    operation({
      ...start,
      path: `/auth/${IDP_A_SEGMENT}`,
      summary: 'Sign in with the OpenID Connect provider',
      handler: async (deps: AuthDeps, context) => void go(context, await startOidc(deps, context.query)),
    }),
    operation({
      ...finish,
      path: `/auth/${IDP_A_SEGMENT}/callback`,
      summary: 'Handle the OpenID Connect callback',
      query: OidcReturn,
      handler: async (deps: AuthDeps, context) =>
        go(context, await finishOidc(deps, context.query, arrivalOf(context))),
    }),
    postedReturn(`/auth/${IDP_A_SEGMENT}/callback`),
    operation({
      ...start,
      path: `/auth/${IDP_B_SEGMENT}`,
      summary: 'Sign in with the game platform (OpenID 2.0)',
      handler: async (deps: AuthDeps, context) => void go(context, await startOpenid(deps, context.query)),
    }),
    operation({
      ...finish,
      path: `/auth/${IDP_B_SEGMENT}/return`,
      summary: 'Handle the callback of the game platform',
      query: OpenidReturn,
      handler: async (deps: AuthDeps, context) =>
        go(context, await finishOpenid(deps, context.query, arrivalOf(context))),
    }),
    postedReturn(`/auth/${IDP_B_SEGMENT}/return`),
  ];
};

/**
 * The callback for providers that post their response (`response_mode=form_post`, OpenID 2.0 above 2 kB). A POST from another site does not
 * include SameSite=Lax cookies. The browser is therefore redirected to the GET, which includes them.
 */
const postedReturn = (path: string) =>
  operation({
    ...anonymous,
    // Only the GET request that follows counts towards the sign-in limit.
    limit: 'public',
    method: 'POST',
    path,
    gate: 'none',
    form: true,
    isRaw: true,
    summary: "Handle an identity provider's callback sent by POST",
    description:
      'Redirects to the GET operation at the same path with the same parameters, without processing them.',
    body: PostedReturn,
    status: 303,
    errors: [commonErrors.PAYLOAD_TOO_LARGE],
    handler: ({ config }: AuthDeps, { notice, redirect }) => {
      if (notice!.raw.length > POSTED_BYTES) throw commonErrors.PAYLOAD_TOO_LARGE();
      redirect(`${config.PUBLIC_API_URL}${path}?${new URLSearchParams(notice!.raw.toString())}`);
    },
  });

/** The URL to which the browser is redirected next, its new state cookie, and the result of the sign-in. */
type Move = { url: string; cookie?: Cookie; result?: SessionTokens | MfaChallenge };
/** A browser that is redirected back from a provider. */
type Arrival = { stateCookie: string | undefined; device: Device };
type AnyContext = Context<undefined, unknown, unknown, unknown, unknown>;

const arrivalOf = (context: AnyContext): Arrival => ({
  stateCookie: context.cookies[STATE_COOKIE],
  device: deviceOf(context),
});

function go(context: AnyContext, { url, cookie, result }: Move): { url: string } {
  if (result) withCookies(context, result);
  if (cookie) context.setCookie(cookie);
  context.redirect(url);
  return { url };
}

async function startOidc(
  { config, identity }: AuthDeps,
  { nonce }: z.output<typeof StartQuery>,
): Promise<Move> {
  const oidc = await identity.oidc();
  const provider = await oidc.client();
  const secrets = oidc.newSecrets();
  const { state, cookie } = await identity.trips.begin(config.IDP_A_SEGMENT, secrets, nonce);
  return { url: await oidc.addressFor(provider, state, secrets), cookie };
}

async function finishOidc(
  deps: AuthDeps,
  query: z.output<typeof OidcReturn>,
  arrival: Arrival,
): Promise<Move> {
  const { config, identity } = deps;
  const { state = '' } = query;
  const provider = config.IDP_A_SEGMENT;
  const { secrets, nonce } = await identity.trips.end<OidcSecrets>(provider, state, arrival.stateCookie);
  const oidc = await identity.oidc();
  const person = await oidc.person({ query, state, secrets });
  return receive(deps, { ...person, provider, nonce }, arrival);
}

async function startOpenid(
  { config, identity }: AuthDeps,
  { nonce }: z.output<typeof StartQuery>,
): Promise<Move> {
  identity.openid.endpoints();
  const { state, cookie } = await identity.trips.begin(config.IDP_B_SEGMENT, {}, nonce);
  return { url: identity.openid.addressFor(state), cookie };
}

async function finishOpenid(
  deps: AuthDeps,
  query: z.output<typeof OpenidReturn>,
  arrival: Arrival,
): Promise<Move> {
  const { config, identity } = deps;
  const { state = '' } = query;
  const provider = config.IDP_B_SEGMENT;
  const { nonce } = await identity.trips.end(provider, state, arrival.stateCookie);
  const person = await identity.openid.person({ query, state });
  return receive(deps, { ...person, provider, nonce }, arrival);
}

/**
 * Completes a sign-in. For a known user, opens a session or returns a second-factor challenge. A new user gets a token for setup-username.
 * Users are always found by (issuer, subject) and never by an email address, even a verified one.
 */
async function receive(
  deps: AuthDeps,
  { provider, nonce, ...person }: Person & Pick<Newcomer, 'provider' | 'nonce'>,
  { device, stateCookie }: Arrival,
): Promise<Move> {
  const { db, config, countries } = deps;
  countries.assertAllowed(device.ip);
  const landAt = (facts: Record<string, string | null>) => landingOf(config.SITE_URL, facts);
  const user = await findByIdentity(db, person);
  // The cookie of a new user is kept, because the setup token is valid only in this browser.
  if (!user)
    return { url: landAt(await invite(db, { ...person, provider, nonce, browser: browserOf(stateCookie) })) };
  const result = await completeSignIn(deps, { user, device }, provider);
  return { url: landAt(factsOf(result)), result, cookie: CLEARED_STATE };
}

/** Finds the user with this identity, and records its last use and current email address. */
async function findByIdentity(db: Db, { issuer, subject, email }: Person): Promise<UserRow | undefined> {
  const identity = await db
    .updateTable('identities')
    .set({ last_used_at: sql<Date>`now()`, email })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('user_id')
    .executeTakeFirst();
  if (!identity) return undefined;
  return db.selectFrom('users').selectAll().where('id', '=', identity.user_id).executeTakeFirst();
}

/** Returns the token that a new user needs to choose a username, and the email address that is pre-filled in the form. */
async function invite(db: Db, payload: Newcomer) {
  const setupUsernameToken = await issueToken(db, {
    purpose: 'SETUP_USERNAME',
    userId: null,
    lifeSeconds: SETUP_SECONDS,
    payload,
  });
  return { setupUsernameToken, email: payload.email };
}

function factsOf(result: SessionTokens | MfaChallenge): Record<string, string> {
  if (!('requireMfa' in result)) return { signedIn: 'true' };
  const { token, provider, state, mfaMethods } = result;
  return { mfaToken: token, provider, state, mfaMethods: mfaMethods.join() };
}
