import { createHash } from 'node:crypto';
import { isSameSecret } from '../../../../../platform/encryption.ts';
import { MOST_BYTES } from '../body.ts';

/** MD5 of the fields sorted by name, joined as `k=v` by `&`, then the secret: what the field `hash` says. */
export function hashOf(fields: Iterable<readonly [string, string]>, secret: string): string {
  const sorted = [...fields]
    .filter(([name]) => name !== 'hash')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  return createHash('md5').update(`${text}${secret}`).digest('hex');
}

/** Whether one of the secrets has signed the form. A hash that comes twice proves nothing. */
export function isSignedForm(raw: Buffer, secrets: readonly string[]): boolean {
  if (raw.length > MOST_BYTES) return false;
  const fields = new URLSearchParams(raw.toString());
  const [hash, ...more] = fields.getAll('hash');
  if (hash === undefined || more.length > 0) return false;
  return secrets.map((secret) => isSameSecret(hashOf(fields, secret), hash)).includes(true);
}

/** The fields of a form; undefined: a name comes twice, or text that nobody can store. */
export function readForm(raw: Buffer): Record<string, string> | undefined {
  if (raw.length > MOST_BYTES) return undefined;
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(raw.toString())) {
    if (fields.has(name) || `${name}${value}`.includes('\0')) return undefined;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** A form of ours with its hash. Absent fields are left out. */
export function signedForm(fields: Readonly<Record<string, string | undefined>>, secret: string): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams([...given, ['hash', hashOf(given, secret)]]).toString();
}
