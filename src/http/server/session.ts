import type { FastifyRequest } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';

/**
 * A token, and whether it came from a cookie. A cookie is less trustworthy, because browsers also send it with requests that other sites
 * trigger.
 */
type Credentials = { token: string; isCookie: boolean };

const BEARER = 'bearer ';

/**
 * Returns the caller's token: the bearer token if there is one, otherwise the cookie access_token or jwt_access_token. The second cookie is
 * an alias for the administration front end. Throws 401 for a malformed Authorization header or conflicting cookies.
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

/** Returns the header x-mfa-code. If it is sent twice, the joined text cannot be a valid code. */
export function mfaCodeOf({ headers }: FastifyRequest): string | undefined {
  const code = headers['x-mfa-code'];
  return Array.isArray(code) ? code.join() : code;
}
