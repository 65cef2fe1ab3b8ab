import type { Socket } from 'socket.io';

export type Audience = 'socket' | 'access';
/** Whose token it is. Throws 401 unless it was signed here for this audience and is not over. */
export type VerifyToken = (
  token: string,
  audience: Audience,
) => Promise<{ userId: number; sessionId: string }>;

/**
 * The first token that is there decides: auth.socket_token, the cookie socket_token, the cookie access_token. Cookies count only
 * when a page of ours opens the socket: browsers send them along for everybody.
 */
export function presentedToken(
  socket: Socket,
  socketToken: string | undefined,
): { token: string; audience: Audience } | undefined {
  if (socketToken !== undefined) return { token: socketToken, audience: 'socket' };
  const { origin, referer, cookie } = socket.request.headers;
  // The door lets no other origin in.
  if (origin === undefined && referer === undefined) return undefined;
  const cookies = cookiesOf(cookie);
  const own = cookies.get('socket_token');
  if (own !== undefined) return { token: own, audience: 'socket' };
  const access = cookies.get('access_token');
  return access === undefined ? undefined : { token: access, audience: 'access' };
}

/** The first of each name, as the cookie parser of HTTP reads them. Tokens need no decoding. */
function cookiesOf(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at > 0 && !cookies.has(name))
      cookies.set(
        name,
        part
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
  }
  return cookies;
}
