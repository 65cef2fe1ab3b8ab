import type { Socket } from 'socket.io';
import { readCookies } from '../platform/net/request-headers.ts';

export type Audience = 'socket' | 'access';
/** Returns the session of a token. Throws 401 unless this platform signed it for this audience and it has not expired. */
export type VerifyToken = (
  token: string,
  audience: Audience,
) => Promise<{ userId: number; sessionId: string }>;

/**
 * Returns the first token present: auth.socket_token, the cookie socket_token, the cookie access_token. Cookies are used only if one of our
 * pages opens the socket, because browsers send them for any page. Outside `local` (`isSecure`) their names begin with `__Host-`.
 */
export function presentedToken(
  socket: Socket,
  socketToken: string | undefined,
  isSecure: boolean,
): { token: string; audience: Audience } | undefined {
  if (socketToken !== undefined) return { token: socketToken, audience: 'socket' };
  const { origin, referer, cookie } = socket.request.headers;
  // A foreign origin has already been rejected (door.ts).
  if (origin === undefined && referer === undefined) return undefined;
  const read = readCookies(cookie, isSecure);
  // Two cookies with the same name are treated as an invalid token, because it is unclear which one to use.
  if ('twice' in read) return { token: '', audience: 'socket' };
  const { socket_token: own, access_token: access } = read.cookies;
  if (own !== undefined) return { token: own, audience: 'socket' };
  return access === undefined ? undefined : { token: access, audience: 'access' };
}
