import type { Config } from '../config/config.ts';
import { AppError, commonErrors } from '../errors.ts';

type Headers = { origin?: string | undefined; referer?: string | undefined; host?: string | undefined };
type Sites = Pick<Config, 'siteOrigins' | 'APP_ENV'>;

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Returns true if pages of this origin may read responses and send cookies. These are SITE_ORIGINS, the platform's own origins, and in
 * `local` any origin on this machine.
 */
export const isSiteOrigin = (origin: string, { siteOrigins, APP_ENV }: Sites): boolean =>
  siteOrigins.includes(origin) || (APP_ENV === 'local' && LOOPBACK.test(origin));

/** Returns true if Origin (or Referer) is one of our sites. Pages cannot forge these headers, so a foreign page cannot use cookies. */
export function isOwnOrigin(headers: Headers, sites: Sites): boolean {
  const origin = originIn(headers);
  if (!origin) return false;
  if (isSiteOrigin(origin, sites)) return true;
  // Tests listen on any free port. A DNS name that an attacker points to this machine (DNS rebinding) is not a loopback name.
  return sites.APP_ENV === 'test' && origin === `http://${headers.host}` && LOOPBACK.test(origin);
}

/**
 * Returns true if a Host header names this machine or a configured site. A DNS name that an attacker points to this machine (DNS rebinding)
 * is neither.
 */
export function isOwnHost(host: string | undefined, { siteOrigins }: Pick<Sites, 'siteOrigins'>): boolean {
  if (host === undefined) return true;
  return LOOPBACK.test(`http://${host}`) || siteOrigins.some((origin) => new URL(origin).host === host);
}

/** Returns the error for a request from a page of another site. The error contains the origin and the setting that would allow it. */
export function foreignOrigin(headers: Headers): AppError {
  const { status, code } = commonErrors.ORIGIN_FORBIDDEN;
  const origin = originIn(headers)?.slice(0, 200);
  const message =
    origin === undefined
      ? 'A request that signs in by cookie needs the header Origin of a page in SITE_ORIGINS.'
      : `Pages of ${origin} may not call this API: add the origin to SITE_ORIGINS if it is yours.`;
  return new AppError(status, code, message, { origin: origin ?? null, setting: 'SITE_ORIGINS' });
}

const originIn = ({ origin, referer }: Headers): string | undefined => origin ?? originOf(referer);

function originOf(referer: string | undefined): string | undefined {
  try {
    return referer && new URL(referer).origin;
  } catch {
    return undefined;
  }
}
