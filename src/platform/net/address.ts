import { BlockList, isIP } from 'node:net';

/**
 * Returns the key that rate limits use for a client: the IPv4 address, or the /64 network of an IPv6 address, because one customer usually
 * has a whole /64.
 */
export const addressOf = (ip: string) => /^(?:::ffff:)?(\d+(?:\.\d+){3})$/i.exec(ip)?.[1] ?? networkOf(ip);

/**
 * Returns the network of an address: the /24 of IPv4 or the /64 of IPv6. One customer may use every address in it. Any other string is
 * returned unchanged.
 */
export function networkOf(ip: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(ip)?.[1];
  if (v4) return `${v4}.0/24`;
  if (!ip.includes(':')) return ip;
  const [head = '', tail = ''] = ip.toLowerCase().replace(/%.*$/, '').split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/**
 * The placeholder that is used if the proxy sent a client address that is not an IP address. All such clients share one bucket of each rate
 * limit. They are treated as clients from a blocked country if any country is blocked.
 */
export const UNREADABLE_ADDRESS = 'unreadable';

/**
 * Returns the address in an element of X-Forwarded-For without port, quotes, brackets and zone. Proxies write `203.0.113.7:4711`,
 * `[2001:db8::1]:443`, and the RFC 7239 form (`for="[2001:db8::1]:443";proto=https`). Returns undefined if the element contains no address.
 */
export function readAddress(element: string): string | undefined {
  const text = element.trim();
  if (isIP(text) !== 0) return withoutMapping(withoutZone(text));
  const parameter = text.includes('=') ? FOR_PARAMETER.exec(text) : undefined;
  if (parameter === null) return undefined;
  const node = (parameter?.[1] ?? text).replace(/^"(.*)"$/, '$1').trim();
  const host = BRACKETED.exec(node)?.[1] ?? V4_WITH_PORT.exec(node)?.[1] ?? node;
  return isIP(host) === 0 ? undefined : withoutMapping(withoutZone(host));
}

const FOR_PARAMETER = /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i;
const BRACKETED = /^\[([^\]]+)\](?::\w+)?$/;
const V4_WITH_PORT = /^(\d+(?:\.\d+){3}):\w+$/;

/**
 * Returns the address of a client behind proxies: the last element of X-Forwarded-For that is not a trusted proxy itself. The header is
 * ignored when no proxy is trusted. The `Forwarded` header is never read, because a proxy that does not support it would pass on the
 * client's value.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const network of trustedProxies) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
  return (peer: string | undefined, forwardedFor: string | readonly string[] | undefined): string => {
    let address = withoutMapping(peer ?? '');
    if (forwardedFor === undefined || trustedProxies.length === 0 || !isTrusted(address)) return address;
    const chain = typeof forwardedFor === 'string' ? forwardedFor : forwardedFor.join(',');
    for (const hop of chain.split(',').reverse()) {
      if (hop.trim() === '') continue;
      address = readAddress(hop) ?? UNREADABLE_ADDRESS;
      if (!isTrusted(address)) break;
    }
    return address;
  };
}

const withoutZone = (address: string) => address.replace(/%.*$/, '');
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');
