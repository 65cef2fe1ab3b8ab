import { isIPv6 } from 'node:net';

/** From the beginning of a word only: tried at each of its characters, a long one would take its length squared. */
const EMAIL = /(?<![^\s@"'<>,;:=(){}[\]])[^\s@"'<>,;:=(){}[\]]+@[^\s@"'<>,;:=(){}[\]]+\.[a-z]{2,}/gi;

const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)/g;
/** What may be one, to be looked at: times and words with colons have the same characters. */
const IPV6 =
  /(?<!\w)(?:::|[\da-f]{1,4}:)(?:[\da-f]{0,4}:){0,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{1,4})?(?!\w)/gi;
/** A colon behind it may be one of the sentence. */
const isAddress = (found: string) => isIPv6(found) || isIPv6(found.slice(0, -1));

const maskText = (text: string, maskEmail: (email: string) => string) =>
  text
    .replace(EMAIL, maskEmail)
    .replace(IPV6, (found) => (isAddress(found) ? maskIp(found) : found))
    .replace(IPV4, maskIp);

/** A copy whose e-mail and IP addresses are masked, in texts of any depth. */
export function maskPersonal(value: unknown, maskEmail: (email: string) => string): unknown {
  if (typeof value === 'string') return maskText(value, maskEmail);
  if (Array.isArray(value)) return value.map((item) => maskPersonal(item, maskEmail));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, item]) => [name, maskPersonal(item, maskEmail)]));
}

/** The first half of an address: which network, not which machine. */
export function maskIp(ip: string): string {
  const [separator, rest] = ip.includes(':') ? [':', ':…'] : ['.', '.*.*'];
  return `${ip.split(separator).slice(0, 2).join(separator)}${rest}`;
}
