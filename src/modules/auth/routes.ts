import { type Context, route } from '../../http/route.ts';
import { commonErrors } from '../../platform/errors.ts';
import { userErrors } from '../users/errors.ts';
import { authErrors } from './errors.ts';
import { AuthSessionTokens, RefreshHeaders, SignIn, SignInResult, SignUp } from './schemas.ts';
import { type Auth, clearedCookies, sessionCookies } from './service.ts';
import type { SessionTokens } from './sessions.ts';

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
    errors: [...captchaErrors, authErrors.AUTH_GEO_BLOCKED, userErrors.AUTH_USER_EXISTS],
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
      authErrors.AUTH_GEO_BLOCKED,
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
    description: 'Browsers may leave the header out: the cookie refresh_token serves instead.',
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
];

type Any = Context<unknown, unknown, unknown, { 'refresh-token'?: string | undefined }, unknown>;
type Caller = Pick<Any, 'ip' | 'userAgent' | 'cookies' | 'setCookie'>;

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

const deviceOf = ({ ip, userAgent, cookies }: Caller) => ({ ip, userAgent, cookie: cookies.access_token });

function withCookies({ setCookie }: Caller, tokens: SessionTokens): SessionTokens {
  for (const cookie of sessionCookies(tokens)) setCookie(cookie);
  return tokens;
}
