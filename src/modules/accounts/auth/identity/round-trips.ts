import { randomBytes } from 'node:crypto';
import type { Cookie } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { createEncryption, dataSecret, hashToken } from '../../../../platform/secrets/encryption.ts';
import { consumeToken, issueToken } from '../one-time-tokens.ts';
import { identityErrors } from '../schemas.ts';
import { createOpenid } from './openid.ts';
import type { Person } from './rules.ts';

export const STATE_COOKIE = 'idp_state';
const LIFE_SECONDS = 600;

/**
 * The data that is stored until the browser returns. `browser` is the hash of the cookie. `nonce` is the hash of the nonce that the front
 * end chose.
 */
type Stored<S> = { provider: string; browser: string; secrets: S; nonce?: string | undefined };

/**
 * The payload of a setup-username token. The payload identifies a person who has an account at the provider but none on this platform.
 * `browser` and `nonce` are hashes, as in `Stored`.
 */
export type Newcomer = Person & { provider: string; browser: string; nonce?: string | undefined };

/** A browser, identified by the hash of its cookie or of the nonce that its page stores. */
export const browserOf = (cookie = ''): string => hashToken(cookie).toString('base64url');

const stateCookie = (value: string, expiresAt: Date): Cookie => ({
  name: STATE_COOKIE,
  value,
  path: '/auth',
  expiresAt,
});

/** The expired cookie that makes the browser delete its state cookie. */
export const CLEARED_STATE = stateCookie('', new Date(0));

/**
 * Creates round trips, which are redirects to a provider and back. Each round trip works once, for ten minutes, and only in the browser
 * that started it.
 */
export function createRoundTrips({ db, config }: { db: Db; config: Config }) {
  const encryption = createEncryption(dataSecret(config), 'identity providers');
  const unseal = <S>(sealed: string): Stored<S> | undefined => {
    try {
      return JSON.parse(encryption.open(Buffer.from(sealed, 'base64url')).toString());
    } catch {
      return undefined;
    }
  };
  return {
    /** Returns the state for the provider and the cookie for the browser. `nonce` is chosen by the front end. */
    async begin(
      provider: string,
      secrets: object,
      nonce?: string,
    ): Promise<{ state: string; cookie: Cookie }> {
      const browser = randomBytes(32).toString('base64url');
      const stored: Stored<object> = {
        provider,
        browser: browserOf(browser),
        secrets,
        nonce: nonce && browserOf(nonce),
      };
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
     * Consumes the state and returns the secrets and the nonce hash stored with it. Throws IDP_STATE_INVALID if the state is unknown, used
     * or expired, or belongs to another provider or browser. An attempt from another browser does not consume the state.
     */
    end: <S>(provider: string, state = '', browser = ''): Promise<Pick<Stored<S>, 'secrets' | 'nonce'>> =>
      transaction(db, async (tx) => {
        const taken = await consumeToken<{ sealed: string }>(tx, 'IDP_STATE', state);
        const stored = taken && unseal<S>(taken.payload.sealed);
        const isSameBrowser = stored?.browser === browserOf(browser);
        if (stored?.provider !== provider || !isSameBrowser) throw identityErrors.IDP_STATE_INVALID();
        return stored;
      }),
  };
}

export type Identity = ReturnType<typeof createIdentity>;

/** The identity providers and the round trips to them. */
export function createIdentity(deps: { db: Db; config: Config; log: Log; databaseClock: DatabaseClock }) {
  const load = async () => (await import('./oidc.ts')).createOidc(deps);
  let loading: ReturnType<typeof load> | undefined;
  return {
    trips: createRoundTrips(deps),
    openid: createOpenid(deps),
    /** This module is loaded at the first sign-in, because most processes do not need the library that it uses. */
    oidc: () => {
      loading ??= load();
      return loading;
    },
  };
}
