const EMAIL = /[^\s@"'<>,;:=(){}[\]]+@[^\s@"'<>,;:=(){}[\]]+\.[a-z]{2,}/gi;

/** A copy whose e-mail addresses are masked, in texts of any depth. */
export function maskEmails(value: unknown, mask: (email: string) => string): unknown {
  if (typeof value === 'string') return value.replace(EMAIL, mask);
  if (Array.isArray(value)) return value.map((item) => maskEmails(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskEmails(item, mask)]));
}

/** The first half of an address: which network, not which machine. */
export function maskIp(ip: string): string {
  const [separator, rest] = ip.includes(':') ? [':', ':…'] : ['.', '.*.*'];
  return `${ip.split(separator).slice(0, 2).join(separator)}${rest}`;
}

/** The hundreds of a status code by the names that the list is filtered with. */
export const RESPONSE_CLASSES = {
  Informational: 1,
  Successful: 2,
  Redirection: 3,
  Client_Error: 4,
  Server_Error: 5,
} as const;

export type ResponseClass = keyof typeof RESPONSE_CLASSES;
