import type { IncomingMessage } from 'node:http';

/** Cookies that the platform reads, by their unprefixed names. */
const COOKIES = [
  'access_token',
  'jwt_access_token',
  'refresh_token',
  'socket_token',
  'device',
  'idp_state',
] as const;
type CookieName = (typeof COOKIES)[number];
export type OwnCookies = Readonly<Partial<Record<CookieName, string>>>;

const NONE: OwnCookies = Object.freeze({});

/**
 * Returns the name under which a cookie is sent. With the `__Host-` prefix, browsers accept it only over TLS from this exact host. Other
 * subdomains and attackers on the network therefore cannot set such a cookie. Without TLS (`local`) browsers would reject the prefix.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/**
 * Returns the platform's cookies in a header by their unprefixed names. Where the prefix is required, cookies without it are ignored. If a
 * cookie occurs twice, returns its name, because the intended value is unclear.
 */
export function readCookies(
  header: string | undefined,
  isSecure: boolean,
): { cookies: OwnCookies } | { twice: string } {
  if (header === undefined) return { cookies: NONE };
  const cookies: Partial<Record<CookieName, string>> = {};
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    const own = COOKIES.find((one) => cookieName(one, isSecure) === name);
    if (own === undefined) continue;
    if (cookies[own] !== undefined) return { twice: name };
    cookies[own] = part
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
  }
  return { cookies };
}

/** Headers whose duplicates are ambiguous: programs use the first, the last or all values joined. */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'authorization',
  'x-api-key',
  'x-mfa-code',
  'x-captcha-token',
  'x-debug-token',
  'refresh-token',
  'idempotency-key',
  'origin',
]);

/** Returns the name, as spelled in the request, of a header that is repeated but must not be. Returns undefined if there is none. */
export function repeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let names = 0;
  for (const _name in headers) names++;
  // There are as many distinct names as headers, so no name is repeated.
  if (names * 2 === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return rawHeaders[i];
    seen.add(name);
  }
  return undefined;
}
