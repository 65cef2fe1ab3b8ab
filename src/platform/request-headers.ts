import type { IncomingMessage } from 'node:http';

/** Cookies that the platform reads, by their plain names. */
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
 * How a cookie of ours is called where it is sent. With the prefix browsers take it from this very host over TLS alone: no other
 * subdomain, and nobody on the way, can plant one. Without TLS (`local`) they would not take it at all.
 */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/**
 * The platform's own cookies among those of a header, by their plain names; where the prefix is due nothing without it counts.
 * Answers the name of one that is there twice: nobody knows which of them is meant.
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

/** Headers of which the first, the last or all joined would count, as each program on the way sees fit. */
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

/** A header that is there twice and must not be, as it was spelt; undefined: none. */
export function repeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let names = 0;
  for (const _name in headers) names++;
  // As many names as headers: none is there twice.
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
