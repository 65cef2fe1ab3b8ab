import type { Cookie } from '../../../http/route.ts';
import type { MfaChallenge } from './complete-sign-in.ts';
import { DEVICE_COOKIE_SECONDS } from './known-devices.ts';
import type { SessionTokens } from './token-signer.ts';

const REFRESH_PATH = '/auth/refresh';

/**
 * The cookies of a session: the access token for every request, the refresh token for its only route, and the one that identifies the
 * device. A challenge sets none.
 */
export function sessionCookies(answer: SessionTokens | MfaChallenge): Cookie[] {
  if ('requireMfa' in answer) return [];
  const { accessToken, refreshToken, deviceCookie } = answer;
  return [
    { name: 'access_token', value: accessToken.token, expiresAt: new Date(accessToken.expiresAt) },
    {
      name: 'refresh_token',
      value: refreshToken.token,
      expiresAt: new Date(refreshToken.expiresAt),
      path: REFRESH_PATH,
    },
    ...deviceCookies(deviceCookie),
  ];
}

/** The cookie that identifies a device, if there is one to set. */
export const deviceCookies = (value: string | undefined): Cookie[] =>
  value === undefined
    ? []
    : [{ name: 'device', value, expiresAt: new Date(Date.now() + DEVICE_COOKIE_SECONDS * 1000) }];

const PAST = new Date(0);

/** An alias of access_token, which the console may have set. */
const clearedAlias: Cookie = { name: 'jwt_access_token', value: '', expiresAt: PAST };

/** The cookies of a sign-in, if any, and one that clears an alias that was `sent`: two different tokens would be refused. */
export function withoutAlias(
  given: readonly Cookie[],
  sent: Readonly<Record<string, string | undefined>>,
): readonly Cookie[] {
  const isSession = given.some(({ name }) => name === 'access_token');
  return isSession && sent.jwt_access_token !== undefined ? [...given, clearedAlias] : given;
}

export const clearedCookies: readonly Cookie[] = [
  { name: 'access_token', value: '', expiresAt: PAST },
  clearedAlias,
  { name: 'refresh_token', value: '', expiresAt: PAST, path: REFRESH_PATH },
];
