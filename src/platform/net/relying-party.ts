import type { Values } from '../config/sections.ts';

/**
 * Returns the passkey domain of a site. For an IP address it returns `localhost`, because browsers do not support passkeys on IP addresses.
 */
export function rpIdOf(siteUrl: string): string {
  const { hostname } = new URL(siteUrl);
  return /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname;
}

/** Returns true if a URL is on this domain or on a subdomain of it. */
export function isUnder(url: string, domain: string): boolean {
  const { hostname } = new URL(url);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

const DOMAIN = /^localhost$|^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/;

/** Returns the problems with PASSKEY_RP_ID. Browsers accept only a domain, namely the page's domain or a parent of it. */
export function misfitPasskeys({ PASSKEY_RP_ID: id, SITE_URL, SITE_ORIGINS }: Values): string[] {
  if (id === undefined) return [];
  if (!DOMAIN.test(id))
    return ['PASSKEY_RP_ID needs a domain such as example.com: no scheme, no port, no address'];
  const site = SITE_URL ?? SITE_ORIGINS[0];
  return site === undefined || !URL.canParse(site) || isUnder(site, id)
    ? []
    : ['PASSKEY_RP_ID needs to be the domain of SITE_URL or a parent of it'];
}
