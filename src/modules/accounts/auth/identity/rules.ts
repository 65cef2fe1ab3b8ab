/** A person as the provider identifies them. The key is (issuer, subject), never the email address. */
export type Person = {
  issuer: string;
  subject: string;
  email: string | null;
  /** True if the provider has verified that the email address belongs to the person. */
  isEmailVerified: boolean;
  language: string | null;
  /** The person's account at the game platform: 17 digits. */
  platformId: string | null;
};

/** The namespace identifier of OpenID 2.0. */
export const OPENID_NS = 'http://specs.openid.net/auth/2.0';

/** Fields of an OpenID 2.0 message without their prefix `openid.`. */
export type OpenidFields = Readonly<Record<string, string>>;
/** `claimedId` is the common prefix of the provider's claimed ids. `returnTo` is the return address that the request contained. */
export type Expected = { endpoint: string; claimedId: string; returnTo: string };

/** Fields that an assertion must sign (OpenID 2.0, 10.1). */
const SIGNED = ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle'];
const NONCE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{0,235}$/;
const NONCE_LIFE_MS = 5 * 60_000;

/** Returns the account (17 digits) of an assertion, or the name of the invalid field. The provider checks the signature. */
export function checkAssertion(
  fields: OpenidFields,
  { endpoint, claimedId, returnTo }: Expected,
  now: number,
): { account: string } | { wrong: string } {
  const signed = new Set(fields.signed?.split(','));
  const account = /\d{17}/.exec(String(fields.claimed_id))?.[0];
  const checks: Record<string, boolean> = {
    ns: fields.ns === OPENID_NS,
    mode: fields.mode === 'id_res',
    op_endpoint: fields.op_endpoint === endpoint,
    claimed_id: account !== undefined && fields.claimed_id === claimedId + account,
    identity: fields.identity === fields.claimed_id,
    return_to: fields.return_to === returnTo,
    response_nonce: isFresh(fields.response_nonce, now),
    sig: Boolean(fields.sig),
    signed: SIGNED.every((name) => signed.has(name) && fields[name]),
  };
  const wrong = Object.keys(checks).find((name) => !checks[name]);
  return wrong ? { wrong } : { account: account! };
}

/**
 * Returns true if a nonce is recent. A nonce starts with the provider's time, which may differ from the database's time by five minutes.
 */
function isFresh(nonce: string | undefined, now: number): boolean {
  const parts = NONCE.exec(String(nonce));
  return parts !== null && Math.abs(now - Date.parse(parts[1]!)) <= NONCE_LIFE_MS;
}

/** Returns true if the response to check_authentication (key-value form, 4.1.1) confirms the assertion. */
export function isConfirmed(response: string): boolean {
  const lines = response.split('\n');
  const verdicts = lines.filter((line) => line.startsWith('is_valid:'));
  return lines.includes(`ns:${OPENID_NS}`) && verdicts.length === 1 && verdicts[0] === 'is_valid:true';
}

/** Returns the fields of a query whose names start with `openid.`, without that prefix. */
export function openidFields(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    name.startsWith('openid.') && value !== undefined ? [[name.slice('openid.'.length), value]] : [],
  );
  return Object.fromEntries(entries);
}

/**
 * Returns the URL of the front end's landing page. The result of the sign-in follows the #, so that neither servers nor the Referer header
 * receive it.
 */
export function landingOf(siteUrl: string, facts: Readonly<Record<string, string | null>>): string {
  const known = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== null);
  return `${siteUrl}/auth#${new URLSearchParams(known)}`;
}

/** Converts a provider's locale to the form in which users' languages are stored: `de`, `pt-BR`. */
export function languageOf(locale: unknown): string | undefined {
  const parts = /^([a-z]{2})(?:[-_]([A-Z]{2}))?$/.exec(String(locale));
  if (!parts) return undefined;
  const [, language, region] = parts;
  return region ? `${language}-${region}` : language;
}

/** Returns true if the claim `email_verified` is true. Some providers (Amazon Cognito, Apple) send it as a string, in upper or lower case. */
export const isProven = (claim: unknown): boolean =>
  claim === true || (typeof claim === 'string' && claim.toLowerCase() === 'true');

/** Returns true if a URL points to this machine, so that plain HTTP is safe. */
export function isLoopback(address: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/.test(new URL(address).hostname);
}
