import type { z } from 'zod';
import type { Config } from '../../../src/platform/config/config.ts';
import { settings } from '../../../src/platform/config/sections.ts';

type Kind = { kind: string; in: (text: string) => boolean };
type Place = { where: 'answer' | 'line' | 'mail' | 'output'; name: string };

/** Maps the value of each secret to its name, for all processes that this test file has started. */
const secrets = new Map<string, string>();
const leaks = new Set<string>();

/** This token is not treated as a secret, because tests send it intentionally. */
const PUBLIC = 'test-debug-token';
/** Routes that return a second factor to its owner. */
const SHOW_FACTOR = /^(GET \/user\/generate-2fa|POST \/user\/reset-2fa)$/;

/** Secrets that are recognized by their format. */
const FORMS: readonly (Kind & { isAllowed?: (place: Place) => boolean })[] = [
  { kind: 'hash of a password', in: (text) => text.includes('$argon2') },
  {
    kind: 'address of a second factor',
    in: (text) => /otpauth:\/\/(?!\[redacted)/.test(text),
    isAllowed: ({ where, name }) => where === 'answer' && SHOW_FACTOR.test(name),
  },
  {
    kind: 'signed token',
    in: (text) => /\beyJ[\w-]{8,}\.eyJ/.test(text),
    isAllowed: ({ where }) => where === 'answer',
  },
];

/** Registers the secrets in these settings. From then on, they must not appear in any output. */
export function keepSecret(config: Partial<Config> | Record<string, string>, databaseUrl?: string): void {
  for (const [name, schema] of Object.entries<z.ZodType>(settings)) {
    const value = schema.meta()?.secret && (config as Record<string, unknown>)[name];
    if (typeof value === 'string') add(name, value);
  }
  if (databaseUrl) add('DATABASE_URL', databaseUrl);
}

/** Registers a value. In a URL, only the password is secret. */
function add(name: string, value: string): void {
  const secret = name.endsWith('_URL') ? (/:\/\/[^/@]*:([^/@]+)@/.exec(value)?.[1] ?? '') : value;
  if (secret.length >= 8 && secret !== PUBLIC) secrets.set(secret, name);
}

const see = (place: Place, text: string): void => {
  const seen = [...secrets].filter(([value]) => text.includes(value)).map(([, kind]) => kind);
  const formed = FORMS.filter((form) => form.in(text) && !form.isAllowed?.(place)).map(({ kind }) => kind);
  for (const kind of [...seen, ...formed]) leaks.add(`${kind} in ${place.where} ${place.name}`);
};

/** Scans the response to a request ("GET /path"). */
export const seeAnswer = (request: string, text: string, headers?: Headers): void =>
  see({ where: 'answer', name: request.split('?')[0]! }, headers ? `${[...headers].flat()} ${text}` : text);

export const seeLine = (line: string): void => see({ where: 'line', name: 'of a log' }, line);

export const seeMail = (mail: { subject: string; text: string; html: string; headers: object }): void =>
  see({ where: 'mail', name: JSON.stringify(mail.subject) }, Object.values(mail).map(flat).join(' '));

const flat = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Scans the complete output of a process. */
export const seeOutput = (part: string, output: string): void => see({ where: 'output', name: part }, output);

/** Throws once if a secret has leaked. The error contains the kind and the location of each leaked secret, but never its value. */
export function assertNothingLeaked(): void {
  if (leaks.size === 0) return;
  const all = [...leaks].join('; ');
  leaks.clear();
  throw new Error(`secrets were seen: ${all}`);
}
