import { randomBytes } from 'node:crypto';
import type { Cookie } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, transaction } from '../../../../platform/db.ts';
import { createEncryption, hashToken } from '../../../../platform/encryption.ts';
import { issueToken, takeToken } from '../one-time.ts';
import { identityErrors } from './errors.ts';

export const STATE_COOKIE = 'idp_state';
const LIFE_SECONDS = 600;

/** What is stored until the browser comes back: the provider, the hash of the browser's cookie, the provider's secrets. */
type Stored<S> = { provider: string; browser: string; secrets: S };

/** Identifies a browser: the hash of its cookie. */
export const browserOf = (cookie = ''): string => hashToken(cookie).toString('base64url');

const stateCookie = (value: string, expiresAt: Date): Cookie => ({
  name: STATE_COOKIE,
  value,
  path: '/auth',
  expiresAt,
});

/** Deletes the browser's cookie. */
export const CLEARED_STATE = stateCookie('', new Date(0));

/** The way to a provider and back: valid once, for ten minutes, and in the browser that began it. */
export function createRoundTrips({ db, config }: { db: Db; config: Config }) {
  const encryption = createEncryption(config.DATA_SECRET, 'identity providers');
  const unseal = <S>(sealed: string): Stored<S> | undefined => {
    try {
      return JSON.parse(encryption.open(Buffer.from(sealed, 'base64url')).toString());
    } catch {
      return undefined;
    }
  };
  return {
    /** Answers the state that goes to the provider, and the cookie that stays with the browser. */
    async begin(provider: string, secrets: object): Promise<{ state: string; cookie: Cookie }> {
      const browser = randomBytes(32).toString('base64url');
      const stored: Stored<object> = { provider, browser: browserOf(browser), secrets };
      const sealed = encryption.seal(Buffer.from(JSON.stringify(stored))).toString('base64url');
      const state = await issueToken(db, {
        purpose: 'IDP_STATE',
        userId: null,
        lifeSeconds: LIFE_SECONDS,
        payload: { sealed },
      });
      return { state, cookie: stateCookie(browser, new Date(Date.now() + LIFE_SECONDS * 1000)) };
    },

    /**
     * Uses the state up and returns the secrets stored with it. Throws IDP_STATE_INVALID when it is unknown, used, expired, of another
     * provider or of another browser; a stranger's attempt does not use it up.
     */
    end: <S>(provider: string, state = '', browser = ''): Promise<S> =>
      transaction(db, async (tx) => {
        const taken = await takeToken<{ sealed: string }>(tx, 'IDP_STATE', state);
        const stored = taken && unseal<S>(taken.payload.sealed);
        const isSameBrowser = stored?.browser === browserOf(browser);
        if (stored?.provider !== provider || !isSameBrowser) throw identityErrors.IDP_STATE_INVALID();
        return stored.secrets;
      }),
  };
}
