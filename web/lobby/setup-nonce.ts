import { session } from '../kit/storage.ts';

const KEY = 'setup-nonce';
const BYTES = 24;

/**
 * Adds a nonce to the URL that starts a sign-in at an identity provider. The tab stores the nonce, and later uses it to prove that it
 * started the sign-in. The cookie idp_state proves the same, but browsers do not send it when the lobby and the API are on different sites.
 */
export function withNonce(path: string): string {
  const nonce = session.get(KEY) ?? drawNonce();
  session.set(KEY, nonce);
  return `${path}?${new URLSearchParams({ nonce })}`;
}

/** Returns the token for `POST /auth/setup-username`, with this tab's nonce if it has one. */
export function proveSetup(token: string): string {
  const nonce = session.get(KEY);
  return nonce === undefined ? token : `${token}.${nonce}`;
}

/** Deletes the nonce. Call this when the account exists. */
export const forgetNonce = (): void => session.remove(KEY);

const drawNonce = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
