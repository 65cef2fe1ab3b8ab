import { sql } from 'kysely';
import type { z } from 'zod';
import type { Cookie } from '../../../../http/route.ts';
import type { Db } from '../../../../platform/db.ts';
import type { UserRow } from '../../../base/users/service.ts';
import { issueToken } from '../one-time.ts';
import type { Device, SessionTokens } from '../sessions.ts';
import type { MfaChallenge } from '../sign-in.ts';
import type { OidcSecrets } from './oidc.ts';
import { createOpenid } from './openid.ts';
import { browserOf, CLEARED_STATE, createRoundTrips } from './round-trip.ts';
import { landingOf, type Person } from './rules.ts';
import type { OidcReturn, OpenidReturn } from './schemas.ts';
import { createSetup, type Newcomer, SETUP_SECONDS, type SetupDeps } from './setup.ts';

/** Where the browser goes next, what the sign-in came to, and the cookie of the round trip. */
export type Move = { url: string; cookie?: Cookie; answer?: SessionTokens | MfaChallenge };
type Query = { state?: string | undefined };
/** A browser that comes back from a provider. */
type Arrival<Q extends Query> = { query: Q; stateCookie: string | undefined; device: Device };

export type Identity = ReturnType<typeof createIdentity>;

/** Signing in through identity providers. Accounts are found by (issuer, subject) and never by an e-mail, verified or not. */
export function createIdentity(deps: SetupDeps) {
  const { config } = deps;
  const trips = createRoundTrips(deps);
  const load = async () => (await import('./oidc.ts')).createOidc(deps);
  let loading: ReturnType<typeof load> | undefined;
  /** Loaded with the first sign-in: most processes need none of its library. */
  const getOidc = () => {
    loading ??= load();
    return loading;
  };
  const openid = createOpenid(deps);
  const { IDP_A_SEGMENT, IDP_B_SEGMENT } = config;

  return {
    /** The page of the front end that tells a browser what was refused. */
    refusedAt: (code: string): string => landingOf(config.SITE_URL, { error: code }),

    async startOidc(): Promise<Move> {
      const oidc = await getOidc();
      const provider = await oidc.client();
      const secrets = oidc.newSecrets();
      const { state, cookie } = await trips.begin(IDP_A_SEGMENT, secrets);
      return { url: await oidc.addressFor(provider, state, secrets), cookie };
    },

    async finishOidc(arrival: Arrival<z.output<typeof OidcReturn>>): Promise<Move> {
      const { query, stateCookie } = arrival;
      const { state = '' } = query;
      const secrets = await trips.end<OidcSecrets>(IDP_A_SEGMENT, state, stateCookie);
      const oidc = await getOidc();
      return receive(deps, await oidc.person({ query, state, secrets }), IDP_A_SEGMENT, arrival);
    },

    async startOpenid(): Promise<Move> {
      openid.pinned();
      const { state, cookie } = await trips.begin(IDP_B_SEGMENT, {});
      return { url: openid.addressFor(state), cookie };
    },

    async finishOpenid(arrival: Arrival<z.output<typeof OpenidReturn>>): Promise<Move> {
      const { query, stateCookie } = arrival;
      const { state = '' } = query;
      await trips.end(IDP_B_SEGMENT, state, stateCookie);
      return receive(deps, await openid.person({ query, state }), IDP_B_SEGMENT, arrival);
    },

    setupUsername: createSetup(deps),
  };
}

/**
 * Signs a known user in: a session, or the challenge of the second factor (401 when they are banned). Others get the token of
 * setup-username.
 */
async function receive(
  { db, config, countries, signIns }: SetupDeps,
  person: Person,
  provider: string,
  { device, stateCookie }: Arrival<Query>,
): Promise<Move> {
  countries.assertAllowed(device.ip);
  const landAt = (facts: Record<string, string | null>) => landingOf(config.SITE_URL, facts);
  const user = await findByIdentity(db, person);
  // Somebody new keeps the cookie, because the invitation is only valid in this browser.
  if (!user)
    return { url: landAt(await invite(db, { ...person, provider, browser: browserOf(stateCookie) })) };
  const answer = await signIns.completeSignIn(user, device, provider);
  return { url: landAt(factsOf(answer)), answer, cookie: CLEARED_STATE };
}

/** The user with this identity; records when it was last used, and its current e-mail. */
async function findByIdentity(db: Db, { issuer, subject, email }: Person): Promise<UserRow | undefined> {
  const identity = await db
    .updateTable('identities')
    .set({ last_used_at: sql<Date>`now()`, email })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('user_id')
    .executeTakeFirst();
  if (!identity) return undefined;
  return db.selectFrom('users').selectAll().where('id', '=', identity.user_id).executeTakeFirst();
}

/** The token with which a new user chooses a username; their e-mail is sent along to fill in the form. */
async function invite(db: Db, payload: Newcomer) {
  const setupUsernameToken = await issueToken(db, {
    purpose: 'SETUP_USERNAME',
    userId: null,
    lifeSeconds: SETUP_SECONDS,
    payload,
  });
  return { setupUsernameToken, email: payload.email };
}

function factsOf(answer: SessionTokens | MfaChallenge): Record<string, string> {
  if (!('requireMfa' in answer)) return { signedIn: 'true' };
  const { token, provider, state, mfaMethods } = answer;
  return { mfaToken: token, provider, state, mfaMethods: mfaMethods.join() };
}
