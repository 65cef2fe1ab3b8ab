import { BlockList, isIP } from 'node:net';

/** The key by which requests are counted: the IPv4 address, or the /64 of IPv6, which one customer has as a whole. */
export const addressOf = (ip: string) => /^(?:::ffff:)?(\d+(?:\.\d+){3})$/i.exec(ip)?.[1] ?? networkOf(ip);

/**
 * The network of an address, of which one customer may well have every address: the /24 of IPv4, the /64 of IPv6. An
 * address that is neither stands for itself.
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
 * The address of a client behind proxies: the last one of X-Forwarded-For that is no trusted proxy itself. The header is ignored
 * when no proxy is trusted.
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
  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    let address = withoutMapping(peer ?? '');
    for (const hop of forwardedFor?.split(',').reverse() ?? []) {
      if (!isTrusted(address)) break;
      address = withoutMapping(hop.trim());
    }
    return address;
  };
}

const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');
