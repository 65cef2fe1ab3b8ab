import { z } from 'zod';
import { type Context, route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { siteConfigErrors } from '../../base/site-config/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { clearSessionCookies, deviceOf, withCookies } from './cookies.ts';
import { authErrors } from './errors.ts';
import {
  AuthSessionToken,
  AuthSessionTokens,
  RefreshHeaders,
  RevokedSessions,
  Session,
  SessionPath,
  SignIn,
  SignInResult,
  SignUp,
} from './schemas.ts';
import type { Sessions } from './sessions.ts';
import type { SignIns } from './sign-in.ts';
import type { SignUps } from './sign-up.ts';

type Services = { signUps: SignUps; signIns: SignIns; sessions: Sessions };

const signingIn = {
  method: 'POST',
  tag: 'Authorization',
  access: 'anonymous',
  gate: 'none',
  limit: 'auth',
} as const;
const entryErrors = [
  authErrors.AUTH_RECAPTCHA_TOKEN_MISSING,
  authErrors.AUTH_INVALID_CAPTCHA,
  gateErrors.AUTH_GEO_BLOCKED,
  commonErrors.RATE_LIMITED,
];
const ending = { method: 'DELETE', tag: 'Session', access: 'auth', gate: 'none' } as const;

export const authRoutes = ({ signUps, signIns, sessions }: Services) => [
  route({
    ...signingIn,
    path: '/auth/sign-up',
    summary: 'Open an account',
    captcha: true,
    body: SignUp,
    status: 200,
    response: AuthSessionTokens,
    errors: [
      ...entryErrors,
      siteConfigErrors.REGISTRATION_CLOSED,
      userErrors.AUTH_USER_EXISTS,
      userErrors.USERNAME_RESERVED,
      userErrors.PASSWORD_BREACHED,
    ],
    handler: async (context) => withCookies(context, await signUps.signUp(context.body, deviceOf(context))),
  }),
  route({
    ...signingIn,
    path: '/auth/sign-in',
    summary: 'Sign in',
    captcha: true,
    body: SignIn,
    response: SignInResult,
    errors: [...entryErrors, authErrors.AUTH_INVALID_CREDENTIALS, authErrors.AUTH_MFA_REQUIRED],
    handler: async (context) => withCookies(context, await signIns.signIn(context.body, deviceOf(context))),
  }),
  route({
    ...signingIn,
    path: '/auth/refresh',
    summary: 'Exchange the refresh token for new tokens',
    description:
      'Browsers may leave the header out: the cookie refresh_token (outside `local`: __Host-refresh_token) serves instead.',
    headers: RefreshHeaders,
    response: AuthSessionTokens,
    errors: [commonErrors.UNAUTHORIZED, authErrors.REFRESH_CONFLICT],
    handler: async (context) => withCookies(context, await sessions.refresh(refreshTokenOf(context))),
  }),
  route({
    method: 'POST',
    path: '/auth/socket-token',
    tag: 'Authorization',
    access: 'auth',
    gate: 'none',
    summary: 'Get a token for the socket of this session',
    description:
      'For pages, which are opened more often than tokens run out: unlike `/auth/refresh` it ends no token that another page may still hold.',
    status: 200,
    response: AuthSessionToken,
    handler: ({ user }) => sessions.socketToken(user),
  }),
  route({
    ...ending,
    path: '/session/log-out/current',
    summary: 'End this session',
    handler: async ({ user, setCookie }) => {
      await sessions.end(user.sessionId);
      clearSessionCookies(setCookie);
    },
  }),
  route({
    method: 'GET',
    path: '/session',
    tag: 'Session',
    access: 'auth',
    summary: 'Own sessions, the most recently used first',
    response: z.array(Session),
    handler: ({ user }) => sessions.list(user),
  }),
  route({
    ...ending,
    path: '/session/log-out/others',
    summary: 'End every session but this one',
    response: RevokedSessions,
    handler: ({ user }) => sessions.endOthers(user),
  }),
  route({
    ...ending,
    path: '/session/{id}',
    summary: 'End one of the own sessions',
    params: SessionPath,
    response: SuccessResponse,
    errors: [authErrors.SESSION_NOT_FOUND],
    handler: async ({ user, params }) => {
      await sessions.endOwn(user.id, params.id);
      return { success: true };
    },
  }),
];

type Refreshing = Context<unknown, unknown, unknown, { 'refresh-token'?: string | undefined }, unknown>;

/** The header; a browser's cookie only when the request comes from a page of ours. */
function refreshTokenOf({
  headers,
  cookies,
  isOwnSite,
}: Pick<Refreshing, 'headers' | 'cookies' | 'isOwnSite'>): string {
  const token = headers['refresh-token'] ?? (isOwnSite() ? cookies.refresh_token : undefined);
  if (!token) throw commonErrors.UNAUTHORIZED();
  return token;
}
