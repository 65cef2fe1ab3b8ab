import type { Socket } from 'socket.io';
import { readCookies } from '../platform/request-headers.ts';

export type Audience = 'socket' | 'access';
/** The session of a token. Throws 401 unless it was signed here for this audience and has not expired. */
export type VerifyToken = (
  token: string,
  audience: Audience,
) => Promise<{ userId: number; sessionId: string }>;

/**
 * The first token that is there decides: auth.socket_token, the cookie socket_token, the cookie access_token. Cookies count only
 * when a page of ours opens the socket: browsers send them along for everybody. Outside `local` (`isSecure`) their names begin with
 * `__Host-`.
 */
export function presentedToken(
  socket: Socket,
  socketToken: string | undefined,
  isSecure: boolean,
): { token: string; audience: Audience } | undefined {
  if (socketToken !== undefined) return { token: socketToken, audience: 'socket' };
  const { origin, referer, cookie } = socket.request.headers;
  // The door lets no other origin in.
  if (origin === undefined && referer === undefined) return undefined;
  const read = readCookies(cookie, isSecure);
  // An invalid token: which of the two cookies is meant cannot be known.
  if ('twice' in read) return { token: '', audience: 'socket' };
  const { socket_token: own, access_token: access } = read.cookies;
  if (own !== undefined) return { token: own, audience: 'socket' };
  return access === undefined ? undefined : { token: access, audience: 'access' };
}
