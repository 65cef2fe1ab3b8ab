import type { FastifyRequest } from 'fastify';
import { commonErrors } from '../platform/errors.ts';

type Credentials = { from: 'bearer' | 'cookie'; tokens: string[] };

/**
 * What the caller presents: the bearer token alone when there is one, else the cookies access_token and
 * jwt_access_token (an alias of the administration front end). Throws 401 for a malformed Authorization header.
 */
export function credentials(
  authorization: string | undefined,
  cookies: Readonly<Record<string, string | undefined>>,
): Credentials | undefined {
  if (authorization !== undefined) {
    const [scheme, token, ...rest] = authorization.split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) throw commonErrors.UNAUTHORIZED();
    return { from: 'bearer', tokens: [token] };
  }
  const tokens = [cookies.access_token, cookies.jwt_access_token].filter((t): t is string => !!t);
  return tokens.length > 0 ? { from: 'cookie', tokens } : undefined;
}

/** The code of the header x-mfa-code; sent twice it is none that could be right. */
export function mfaCodeOf({ headers }: FastifyRequest): string | undefined {
  const code = headers['x-mfa-code'];
  return Array.isArray(code) ? code.join() : code;
}

/** The one token; cookies that contradict each other are no session. */
export function tokenOf({ tokens }: Credentials): string {
  if (tokens.length > 1 && tokens[0] !== tokens[1]) throw commonErrors.UNAUTHORIZED();
  return tokens[0]!;
}
