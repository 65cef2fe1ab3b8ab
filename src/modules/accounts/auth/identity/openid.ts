import type { z } from 'zod';
import type { Db } from '../../../../platform/db.ts';
import type { AuthDeps } from '../deps.ts';
import { ask } from './ask.ts';
import { identityErrors } from './errors.ts';
import { isConfirmed, judgeAssertion, OPENID_NS, openidFields, type Person } from './rules.ts';
import type { OpenidReturn } from './schemas.ts';

type Answer = { query: z.output<typeof OpenidReturn>; state: string };

const TIMEOUT_MS = 4500;
const LIMIT_BYTES = 64 * 1024;
const CHOICE = `${OPENID_NS}/identifier_select`;

/**
 * The game platform, OpenID 2.0 without associations. There is no discovery: the endpoint is pinned by configuration, so
 * nothing that comes with a request decides where we ask. (Libraries discover the claimed id, which is an address that the
 * caller chooses, and keep nonces in the memory of one process.)
 */
export function createOpenid({ db, config, log, databaseClock }: AuthDeps) {
  const realm = config.PUBLIC_API_URL;
  const returnTo = (state: string) =>
    `${realm}/auth/${config.IDP_B_SEGMENT}/return?${new URLSearchParams({ state })}`;
  const pinned = () => {
    const { OPENID_ENDPOINT: endpoint, OPENID_CLAIMED_ID: claimedId } = config;
    if (!endpoint || !claimedId) throw identityErrors.IDP_DISABLED();
    return { endpoint, claimedId };
  };
  const refuse = (reason: string) => {
    log.info({ provider: config.IDP_B_SEGMENT, reason }, 'sign-in at a provider failed');
    return identityErrors.IDP_REFUSED();
  };
  return {
    /** Throws IDP_DISABLED without a provider. */
    pinned,

    /** Where the browser is sent. */
    addressFor(state: string): string {
      const request = {
        ns: OPENID_NS,
        mode: 'checkid_setup',
        claimed_id: CHOICE,
        identity: CHOICE,
        return_to: returnTo(state),
        realm,
      };
      const address = new URL(pinned().endpoint);
      for (const [name, value] of Object.entries(request)) address.searchParams.set(`openid.${name}`, value);
      return address.href;
    },

    /** Believes an assertion that the provider confirms, once. Throws IDP_CANCELLED, IDP_REFUSED or IDP_UNAVAILABLE. */
    async person({ query, state }: Answer): Promise<Person> {
      const { endpoint, claimedId } = pinned();
      const expected = { endpoint, claimedId, returnTo: returnTo(state) };
      const fields = openidFields(query as Record<string, string>);
      if (fields.mode === 'cancel') throw identityErrors.IDP_CANCELLED();
      const found = judgeAssertion(fields, expected, databaseClock.now());
      if ('wrong' in found) throw refuse(found.wrong);
      const answer = await confirm(endpoint, fields).catch((error: unknown) => {
        log.warn({ provider: config.IDP_B_SEGMENT, reason: String(error) }, 'identity provider unavailable');
        throw identityErrors.IDP_UNAVAILABLE();
      });
      if (!isConfirmed(answer)) throw refuse('not confirmed');
      if (!(await useNonce(db, fields.response_nonce!))) throw refuse('nonce used');
      const { account } = found;
      const unknown = { email: null, isEmailVerified: false, language: null };
      return { issuer: claimedId, subject: account, platformId: account, ...unknown };
    },
  };
}

/** Asks the provider whether the assertion is its own (direct verification, 11.4.2). Throws when it does not answer 200. */
async function confirm(endpoint: string, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...fields, mode: 'check_authentication' }))
    body.set(`openid.${name}`, value);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await ask(endpoint, { method: 'POST', body, signal }, LIMIT_BYTES);
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  return answer.text();
}

/** Whether nobody has used this nonce before, in any process. The worker forgets nonces that are too old to be fresh. */
async function useNonce(db: Db, nonce: string): Promise<boolean> {
  const added = await db
    .insertInto('openid_nonces')
    .values({ nonce })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
