import { type KeyObject, sign } from 'node:crypto';

/** How the provider behaves: as it should, not at all, or with ID tokens that are wrong in one thing. */
export const OIDC_MODES = ['ok', 'down', 'issuer', 'audience', 'nonce', 'expired', 'signature'] as const;
export type OidcMode = (typeof OIDC_MODES)[number];

const WRONG: Partial<Record<OidcMode, object>> = {
  issuer: { iss: 'http://another.example/oidc' },
  audience: { aud: 'another-client' },
  nonce: { nonce: 'another-nonce' },
  expired: { iat: 1_700_000_000, exp: 1_700_003_600 },
};

/** The ID token as a provider would give it that is broken, hostile or mistaken for another. */
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
