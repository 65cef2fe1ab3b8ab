import type { FastifyRequest } from 'fastify';
import { commonErrors } from '../platform/errors.ts';

/** A token and where it stood: a cookie is sent by browsers whoever makes them send the request. */
type Credentials = { token: string; isCookie: boolean };

const BEARER = 'bearer ';

/**
 * What the caller presents: the bearer token alone when there is one, else the cookies access_token and jwt_access_token (an alias of
 * the administration front end). Throws 401 for a malformed Authorization header, and for cookies that contradict each other.
 */
export function credentials(
  authorization: string | undefined,
  cookies: Readonly<Record<string, string | undefined>>,
): Credentials | undefined {
  if (authorization !== undefined) {
    const token = authorization.slice(BEARER.length);
    const isBearer = authorization.slice(0, BEARER.length).toLowerCase() === BEARER;
    if (!isBearer || token === '' || token.includes(' ')) throw commonErrors.UNAUTHORIZED();
    return { token, isCookie: false };
  }
  const { access_token: token, jwt_access_token: alias } = cookies;
  if (token && alias && token !== alias) throw commonErrors.UNAUTHORIZED();
  return token || alias ? { token: (token || alias)!, isCookie: true } : undefined;
}

/** The code of the header x-mfa-code; sent twice it is none that could be right. */
export function mfaCodeOf({ headers }: FastifyRequest): string | undefined {
  const code = headers['x-mfa-code'];
  return Array.isArray(code) ? code.join() : code;
}
