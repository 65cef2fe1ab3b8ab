import { z } from 'zod';
import { type Context, route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { siteConfigErrors } from '../../base/site-config/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { countryErrors } from '../../compliance/countries/errors.ts';
import type { MfaChallenge } from './complete-sign-in.ts';
import { clearedCookies, sessionCookies, withoutAlias } from './cookies.ts';
import { authErrors } from './errors.ts';
import type { Device } from './open-session.ts';
import {
  AuthSessionTokens,
  RefreshHeaders,
  RevokedSessions,
  Session,
  SessionPath,
  SignIn,
  SignInResult,
  SignUp,
} from './schemas.ts';
import type { Auth } from './service.ts';
import type { SessionTokens } from './token-signer.ts';

const captchaErrors = [authErrors.AUTH_RECAPTCHA_TOKEN_MISSING, authErrors.AUTH_INVALID_CAPTCHA];

export const authRoutes = (auth: Auth) => [
  route({
    method: 'POST',
    path: '/auth/sign-up',
    tag: 'Authorization',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Open an account',
    captcha: true,
    body: SignUp,
    status: 200,
    response: AuthSessionTokens,
    errors: [
      ...captchaErrors,
      countryErrors.AUTH_GEO_BLOCKED,
      siteConfigErrors.REGISTRATION_CLOSED,
      userErrors.AUTH_USER_EXISTS,
      userErrors.USERNAME_RESERVED,
      commonErrors.RATE_LIMITED,
    ],
    handler: async (context) => withCookies(context, await auth.signUp(context.body, deviceOf(context))),
  }),
  route({
    method: 'POST',
    path: '/auth/sign-in',
    tag: 'Authorization',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Sign in',
    captcha: true,
    body: SignIn,
    status: 201,
    response: SignInResult,
    errors: [
      ...captchaErrors,
      authErrors.AUTH_INVALID_CREDENTIALS,
      authErrors.AUTH_MFA_REQUIRED,
      countryErrors.AUTH_GEO_BLOCKED,
      commonErrors.RATE_LIMITED,
    ],
    handler: async (context) => withCookies(context, await auth.signIn(context.body, deviceOf(context))),
  }),
  route({
    method: 'POST',
    path: '/auth/refresh',
    tag: 'Authorization',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Exchange the refresh token for new tokens',
    description:
      'Browsers may leave the header out: the cookie refresh_token (outside `local`: __Host-refresh_token) serves instead.',
    headers: RefreshHeaders,
    status: 201,
    response: AuthSessionTokens,
    errors: [commonErrors.UNAUTHORIZED, authErrors.REFRESH_CONFLICT],
    handler: async (context) => withCookies(context, await auth.refresh(refreshTokenOf(context))),
  }),
  route({
    method: 'DELETE',
    path: '/session/log-out/current',
    tag: 'Session',
    access: 'auth',
    gate: 'none',
    summary: 'End this session',
    status: 200,
    handler: async ({ user, setCookie }) => {
      await auth.logOut(user.sessionId);
      for (const cookie of clearedCookies) setCookie(cookie);
    },
  }),
  route({
    method: 'GET',
    path: '/session',
    tag: 'Session',
    access: 'auth',
    summary: 'Own sessions, the latest used first',
    status: 200,
    response: z.array(Session),
    handler: ({ user }) => auth.sessions(user),
  }),
  route({
    method: 'DELETE',
    path: '/session/log-out/others',
    tag: 'Session',
    access: 'auth',
    gate: 'none',
    summary: 'End every session but this one',
    status: 200,
    response: RevokedSessions,
    handler: ({ user }) => auth.endOtherSessions(user),
  }),
  route({
    method: 'DELETE',
    path: '/session/{id}',
    tag: 'Session',
    access: 'auth',
    gate: 'none',
    summary: 'End one of the own sessions',
    params: SessionPath,
    status: 200,
    response: SuccessResponse,
    errors: [authErrors.SESSION_NOT_FOUND],
    handler: async ({ user, params }) => {
      await auth.endSession(user.id, params.id);
      return { success: true };
    },
  }),
];

type Any = Context<unknown, unknown, unknown, { 'refresh-token'?: string | undefined }, unknown>;

/** The header; a browser's cookie only when the request comes from a page of ours. */
function refreshTokenOf({
  headers,
  cookies,
  isOwnSite,
}: Pick<Any, 'headers' | 'cookies' | 'isOwnSite'>): string {
  const token = headers['refresh-token'] ?? (isOwnSite() ? cookies.refresh_token : undefined);
  if (!token) throw commonErrors.UNAUTHORIZED();
  return token;
}

type Caller = Pick<Any, 'ip' | 'userAgent' | 'cookies'>;
type Cookies = Pick<Any, 'cookies' | 'setCookie'>;

/** The device that signs in, as every route that opens a session sees it. */
export const deviceOf = ({ ip, userAgent, cookies }: Caller): Device => ({
  ip,
  userAgent,
  cookie: cookies.access_token,
  knownAs: cookies.device,
});

/** Sets the cookies of a sign-in and answers what it answers. */
export function withCookies<T extends SessionTokens | MfaChallenge>(
  { setCookie, cookies }: Cookies,
  answer: T,
): T {
  for (const cookie of withoutAlias(sessionCookies(answer), cookies)) setCookie(cookie);
  return answer;
}
