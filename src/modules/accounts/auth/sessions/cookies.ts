import type { Context, Cookie } from '../../../../http/route.ts';
import type { MfaChallenge } from '../sign-in/complete.ts';
import { DEVICE_COOKIE_SECONDS } from '../sign-in/known-devices.ts';
import type { Device, SessionTokens } from './sessions.ts';

type Request = Pick<
  Context<unknown, unknown, unknown, unknown, unknown>,
  'ip' | 'userAgent' | 'cookies' | 'setCookie'
>;

const REFRESH_PATH = '/auth/refresh';
const CLEARED = { value: '', expiresAt: new Date(0) };
/** Deletes `jwt_access_token`, the name under which the console may have stored the access token. */
const CLEARED_ALIAS: Cookie = { name: 'jwt_access_token', ...CLEARED };

/** Returns the device that sent the request. */
export const deviceOf = ({ ip, userAgent, cookies }: Omit<Request, 'setCookie'>): Device => ({
  ip,
  userAgent,
  cookie: cookies.access_token,
  knownAs: cookies.device,
});

/**
 * Sets the cookies of a new session and returns the session's tokens. The cookie with the refresh token is sent only to the refresh route.
 * A second-factor challenge sets no cookies.
 */
export function withCookies<T extends SessionTokens | MfaChallenge>(
  { cookies, setCookie }: Pick<Request, 'cookies' | 'setCookie'>,
  result: T,
): T {
  const opened: SessionTokens | MfaChallenge = result;
  if ('requireMfa' in opened) return result;
  const { accessToken, refreshToken, deviceCookie } = opened;
  setCookie({ name: 'access_token', ...contentOf(accessToken) });
  setCookie({ name: 'refresh_token', ...contentOf(refreshToken), path: REFRESH_PATH });
  setDeviceCookie(setCookie, deviceCookie);
  // A request that contains two different access tokens would be rejected.
  if (cookies.jwt_access_token !== undefined) setCookie(CLEARED_ALIAS);
  return result;
}

const contentOf = ({ token, expiresAt }: SessionTokens['accessToken']) => ({
  value: token,
  expiresAt: new Date(expiresAt),
});

/** Sets the cookie that identifies a device, if there is a new one. */
export function setDeviceCookie(setCookie: Request['setCookie'], value: string | undefined): void {
  if (value === undefined) return;
  setCookie({ name: 'device', value, expiresAt: new Date(Date.now() + DEVICE_COOKIE_SECONDS * 1000) });
}

export function clearSessionCookies(setCookie: Request['setCookie']): void {
  setCookie({ name: 'access_token', ...CLEARED });
  setCookie(CLEARED_ALIAS);
  setCookie({ name: 'refresh_token', ...CLEARED, path: REFRESH_PATH });
}
