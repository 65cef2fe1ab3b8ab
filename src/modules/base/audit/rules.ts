import { isIPv6 } from 'node:net';

/** The class names by which the list can be filtered, with the first digit of their status codes. */
export const RESPONSE_CLASSES = {
  Informational: 1,
  Successful: 2,
  Redirection: 3,
  Client_Error: 4,
  Server_Error: 5,
} as const;

export type ResponseClass = keyof typeof RESPONSE_CLASSES;

/** Matches only from the beginning of a word. Attempting a match at each character would take quadratic time in long words. */
const EMAIL = /(?<![^\s@"'<>,;:=(){}[\]])[^\s@"'<>,;:=(){}[\]]+@[^\s@"'<>,;:=(){}[\]]+\.[a-z]{2,}/gi;

const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)/g;
/** This also matches times and words with colons, which `isAddress` excludes. */
const IPV6 =
  /(?<!\w)(?:::|[\da-f]{1,4}:)(?:[\da-f]{0,4}:){0,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{1,4})?(?!\w)/gi;
/** A colon at the end may be punctuation and not part of the address. */
const isAddress = (found: string) => isIPv6(found) || isIPv6(found.slice(0, -1));

const maskText = (text: string, maskEmail: (email: string) => string) =>
  text
    .replace(EMAIL, maskEmail)
    .replace(IPV6, (found) => (isAddress(found) ? maskIp(found) : found))
    .replace(IPV4, maskIp);

/** Keeps the first half of an IP address, which identifies the network but not the device. */
export function maskIp(ip: string): string {
  const [separator, rest] = ip.includes(':') ? [':', ':…'] : ['.', '.*.*'];
  return `${ip.split(separator).slice(0, 2).join(separator)}${rest}`;
}

/** A number, or a transaction hash in hexadecimal form. Neither identifies a person outside the platform. */
const PUBLIC_TERM = /^\s*(?:#?\d{1,19}|(?:0x)?[\da-f]{64})\s*$/i;

/** The fields with a text that staff searched for. `query` is the query of a saved view, which contains such a text. */
const SEARCHED = new Set(['q', 'search', 'query']);

/**
 * Returns a copy with email and IP addresses masked in strings at any depth, and with the texts of searches masked unless they are numbers
 * or transaction hashes. Any other text can be part of a name, an email address or a wallet address.
 */
export function maskPersonal(value: unknown, maskEmail: (email: string) => string): unknown {
  if (typeof value === 'string') return maskText(value, maskEmail);
  if (Array.isArray(value)) return value.map((item) => maskPersonal(item, maskEmail));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => [
    name,
    SEARCHED.has(name) && typeof item === 'string' ? maskTerm(item) : maskPersonal(item, maskEmail),
  ]);
  return Object.fromEntries(fields);
}

const maskTerm = (text: string): string => (PUBLIC_TERM.test(text) ? text : '***');
