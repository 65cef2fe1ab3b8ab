import { type KeyObject, sign } from 'node:crypto';

/** Modes of the provider: normal, down, or ID tokens with one fault. */
export const OIDC_MODES = ['ok', 'down', 'issuer', 'audience', 'nonce', 'expired', 'signature'] as const;
export type OidcMode = (typeof OIDC_MODES)[number];

const WRONG: Partial<Record<OidcMode, object>> = {
  issuer: { iss: 'http://another.example/oidc' },
  audience: { aud: 'another-client' },
  nonce: { nonce: 'another-nonce' },
  expired: { iat: 1_700_000_000, exp: 1_700_003_600 },
};

/** Returns an ID token with the given fault, as from a broken or malicious provider. */
export function spoilIdToken(mode: OidcMode, idToken: string, key: KeyObject): string {
  const [header, payload, signature] = idToken.split('.') as [string, string, string];
  if (mode === 'signature') {
    const other = signature.startsWith('A') ? 'B' : 'A';
    return [header, payload, other + signature.slice(1)].join('.');
  }
  const wrong = WRONG[mode];
  if (!wrong) return idToken;
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...wrong };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
