import { randomBytes } from 'node:crypto';
import type { Cookie } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, transaction } from '../../../../platform/db.ts';
import { createEncryption, hashToken } from '../../../../platform/encryption.ts';
import { issueToken, takeToken } from '../one-time.ts';
import { identityErrors } from './errors.ts';

export const STATE_COOKIE = 'idp_state';
const COOKIE_PATH = '/auth';
const LIFE_SECONDS = 600;

/** What is stored until the browser comes back: the provider, the hash of the browser's cookie, the provider's secrets. */
type Kept<S> = { provider: string; browser: string; secrets: S };

/** By what a browser is known again: the hash of its cookie. */
export const browserOf = (cookie = ''): string => hashToken(cookie).toString('base64url');

/** Takes the browser's cookie back. */
export const CLEARED_STATE: Cookie = {
  name: STATE_COOKIE,
  value: '',
  path: COOKIE_PATH,
  expiresAt: new Date(0),
};

/** The way to a provider and back: good once, for ten minutes, and in the browser that began it. */
export function createRoundTrips({ db, config }: { db: Db; config: Config }) {
  const encryption = createEncryption(config.DATA_SECRET, 'identity providers');
  const unseal = <S>(sealed: string): Kept<S> | undefined => {
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
      const kept: Kept<object> = { provider, browser: browserOf(browser), secrets };
      const sealed = encryption.seal(Buffer.from(JSON.stringify(kept))).toString('base64url');
      const state = await issueToken(db, {
        purpose: 'IDP_STATE',
        userId: null,
        lifeSeconds: LIFE_SECONDS,
        payload: { sealed },
      });
      const expiresAt = new Date(Date.now() + LIFE_SECONDS * 1000);
      return { state, cookie: { name: STATE_COOKIE, value: browser, path: COOKIE_PATH, expiresAt } };
    },

    /**
     * Takes the state and answers the secrets kept with it. Throws IDP_STATE_INVALID when it is unknown, used, over, another
     * provider's or another browser's; a stranger does not use it up.
     */
    end: <S>(provider: string, state = '', browser = ''): Promise<S> =>
      transaction(db, async (tx) => {
        const taken = await takeToken<{ sealed: string }>(tx, 'IDP_STATE', state);
        const kept = taken && unseal<S>(taken.payload.sealed);
        const isHis = kept?.browser === browserOf(browser);
        if (kept?.provider !== provider || !isHis) throw identityErrors.IDP_STATE_INVALID();
        return kept.secrets;
      }),
  };
}
