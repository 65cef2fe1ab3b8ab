/** Whose requests count together: an IPv4 address, in IPv6 the /64, of which one customer has all addresses. */
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
