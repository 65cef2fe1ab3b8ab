import { createHash } from 'node:crypto';
import { isSameSecret } from '../../../../../../platform/secrets/encryption.ts';
import { MOST_BYTES } from '../body.ts';

/** Computes the field `hash`: MD5 of the fields sorted by name, joined as `k=v` by `&`, then the secret. */
export function hashOf(fields: Iterable<readonly [string, string]>, secret: string): string {
  const sorted = [...fields]
    .filter(([name]) => name !== 'hash')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  return createHash('md5').update(`${text}${secret}`).digest('hex');
}

/** Returns true if one of the secrets signed the form. A repeated hash is invalid. */
export function isSignedForm(raw: Buffer, secrets: readonly string[]): boolean {
  if (raw.length > MOST_BYTES) return false;
  const fields = new URLSearchParams(raw.toString());
  const [hash, ...more] = fields.getAll('hash');
  if (hash === undefined || more.length > 0) return false;
  return secrets.map((secret) => isSameSecret(hashOf(fields, secret), hash)).includes(true);
}

/** Parses a form; undefined if a name is repeated, or text contains NUL, which the database cannot store. */
export function readForm(raw: Buffer): Record<string, string> | undefined {
  if (raw.length > MOST_BYTES) return undefined;
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(raw.toString())) {
    if (fields.has(name) || `${name}${value}`.includes('\0')) return undefined;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** Builds a form with its hash, without undefined fields. */
export function signedForm(fields: Readonly<Record<string, string | undefined>>, secret: string): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams([...given, ['hash', hashOf(given, secret)]]).toString();
}
