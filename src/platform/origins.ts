import type { Config } from './config.ts';

type Headers = { origin?: string | undefined; referer?: string | undefined; host?: string | undefined };

/** Whether Origin (or Referer) is a site of ours: pages cannot forge these headers, so a foreign page cannot use cookies. */
export function isOwnOrigin(headers: Headers, config: Config): boolean {
  const origin = headers.origin ?? originOf(headers.referer);
  if (!origin) return false;
  if (config.siteOrigins.includes(origin)) return true;
  const isUnset = config.SITE_ORIGINS.length === 0;
  return isUnset && config.isDevelopment && origin === `http://${headers.host}`;
}

function originOf(referer: string | undefined): string | undefined {
  try {
    return referer && new URL(referer).origin;
  } catch {
    return undefined;
  }
}
