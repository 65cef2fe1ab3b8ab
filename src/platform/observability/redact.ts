/** Names of fields whose values are secrets, in any spelling. The hash of a transaction or block is public. */
const SECRET_NAME =
  /pass(word|wd|code|phrase)|secret|token|recovery|mfa.?code|otp|authorization|credential|cookie(?!_?days)|^key$|(api|private).?key|(?<!(?:tx|transaction|block)_?)hash|(server|private).?seed|jwt|signature|connection.?string|(database|smtp|broker).?url/i;

/** Secrets that are recognisable by their format anywhere in a string. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{3,40}-----[\s\S]*?(?:-----END [A-Z ]{3,40}-----|$)/g, '[redacted]'],
  [/\botpauth(-migration)?:\/\/[^\s"'<>]+/gi, 'otpauth://[redacted]'],
  [/\bdata:[\w.+-]+\/[\w.+-]+[^,\s"']{0,100},[^\s"'<>]+/gi, 'data:[redacted]'],
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/\beyJ[\w-]{8,}\.[\w.-]+/g, '[redacted]'],
  [/\bck_[\w-]{20,}/g, 'ck_[redacted]'],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']*:[^\s/@"']+@/gi, '$1[redacted]@'],
  [
    /([?&#][\w.-]{0,40}(?:token|code|key|secret|sig|signature|password|state|nonce)=)[^&#\s"']+/gi,
    '$1[redacted]',
  ],
  [/((?:password|secret|token)["']? ?[:=] ?["']?)[^\s"',;&}]{3,}/gi, '$1[redacted]'],
];

const DEEPEST = 8;
const MOST_ITEMS = 100;
const MOST_FIELDS = 200;

/**
 * Returns a copy without secrets, for the audit log and the log. Values of fields with secret names are replaced. Anything in a string that
 * resembles a token, an address with a password or an image is replaced too. Strings are cut after `longest` characters, and nesting ends
 * after eight levels. The result contains only plain values that can be converted to JSON.
 */
export function redact(value: unknown, longest = 500, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, longest);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return redactText(value.stack ?? value.message, longest);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => redact(item, longest, depth + 1));
  const fields = Object.entries(value).slice(0, MOST_FIELDS);
  return Object.fromEntries(
    fields.map(([name, item]) => {
      const isSecret = SECRET_NAME.test(name) && holdsSomething(item);
      return [redactText(name, 100), isSecret ? '[redacted]' : redact(item, longest, depth + 1)];
    }),
  );
}

/** Returns false for values that contain no secret: booleans such as `hasPassword: true`, and empty values. */
const holdsSomething = (item: unknown) =>
  item !== undefined && item !== null && item !== '' && typeof item !== 'boolean';

/** Returns the string without anything that resembles a secret, cut to `longest` characters. */
export function redactText(text: string, longest = 500): string {
  // Cutting may split a surrogate pair, and databases cannot store a lone surrogate.
  const cut = text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
  return SECRET_TEXTS.reduce((clean, [form, shown]) => clean.replace(form, shown), cut);
}
