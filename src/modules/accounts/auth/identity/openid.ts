import type { Config } from '../../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { readBody } from '../../../../platform/net/outbound.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { identityErrors } from '../schemas.ts';
import { checkAssertion, isConfirmed, OPENID_NS, openidFields, type Person } from './rules.ts';

/** Parameters that the provider adds when it redirects the browser back. */
type Callback = { query: Readonly<Record<string, string | undefined>>; state: string };

const TIMEOUT_MS = 4500;
const LIMIT_BYTES = 64 * 1024;
const CHOICE = `${OPENID_NS}/identifier_select`;

type OpenidDeps = { db: Db; config: Config; log: Log; databaseClock: DatabaseClock };

/**
 * Signs users in at the game platform with OpenID 2.0, without associations. The endpoint is fixed by the configuration, so that no request
 * can choose which address the server calls. No library is used. Libraries run discovery on the claimed id, which is an address that the
 * caller chooses, and they store nonces in the memory of one process.
 */
export function createOpenid({ db, config, log, databaseClock }: OpenidDeps) {
  const realm = config.PUBLIC_API_URL;
  const returnTo = (state: string) =>
    `${realm}/auth/${config.IDP_B_SEGMENT}/return?${new URLSearchParams({ state })}`;
  const endpoints = () => {
    const { OPENID_ENDPOINT: endpoint, OPENID_CLAIMED_ID: claimedId } = config;
    if (!endpoint || !claimedId) throw identityErrors.IDP_DISABLED();
    return { endpoint, claimedId };
  };
  const rejection = (reason: string) => {
    log.info({ provider: config.IDP_B_SEGMENT, reason }, 'sign-in at a provider failed');
    return identityErrors.IDP_REFUSED();
  };
  return {
    /** Throws IDP_DISABLED if no provider is configured. */
    endpoints,

    /** Returns the URL to which the browser is redirected. */
    addressFor(state: string): string {
      const request = {
        ns: OPENID_NS,
        mode: 'checkid_setup',
        claimed_id: CHOICE,
        identity: CHOICE,
        return_to: returnTo(state),
        realm,
      };
      const address = new URL(endpoints().endpoint);
      for (const [name, value] of Object.entries(request)) address.searchParams.set(`openid.${name}`, value);
      return address.href;
    },

    /** Accepts an assertion once, if the provider confirms it. Throws IDP_CANCELLED, IDP_REFUSED or IDP_UNAVAILABLE. */
    async person({ query, state }: Callback): Promise<Person> {
      const { endpoint, claimedId } = endpoints();
      const expected = { endpoint, claimedId, returnTo: returnTo(state) };
      const fields = openidFields(query);
      if (fields.mode === 'cancel') throw identityErrors.IDP_CANCELLED();
      const found = checkAssertion(fields, expected, databaseClock.now());
      if ('wrong' in found) throw rejection(found.wrong);
      const answer = await confirm(endpoint, fields).catch((error: unknown) => {
        log.warn({ provider: config.IDP_B_SEGMENT, reason: String(error) }, 'identity provider unavailable');
        throw identityErrors.IDP_UNAVAILABLE();
      });
      if (!isConfirmed(answer)) throw rejection('not confirmed');
      if (!(await useNonce(db, fields.response_nonce!))) throw rejection('nonce used');
      const { account } = found;
      const unknown = { email: null, isEmailVerified: false, language: null };
      return { issuer: claimedId, subject: account, platformId: account, ...unknown };
    },
  };
}

/** Asks the provider whether it made the assertion (direct verification, 11.4.2). Throws unless the status of the response is 200. */
async function confirm(endpoint: string, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...fields, mode: 'check_authentication' }))
    body.set(`openid.${name}`, value);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetchFromProvider(endpoint, { method: 'POST', body, signal }, LIMIT_BYTES);
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return response.text();
}

/** Returns false if the nonce was used before, in any process. The worker deletes nonces that are too old to be accepted. */
async function useNonce(db: Db, nonce: string): Promise<boolean> {
  const added = await db
    .insertInto('openid_nonces')
    .values({ nonce })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * Sends a request without following redirects, and reads at most `limit` bytes. Throws if there is no response or the response is longer.
 */
export async function fetchFromProvider(url: string, init: RequestInit, limit: number): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = response;
  const bytes = await readBody(response, limit);
  return new Response(bytes.length > 0 ? bytes : null, { status, headers });
}
