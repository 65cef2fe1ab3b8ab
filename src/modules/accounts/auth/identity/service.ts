import { sql } from 'kysely';
import type { z } from 'zod';
import type { Cookie } from '../../../../http/route.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import type { Db } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { UserRow } from '../../../base/users/service.ts';
import type { MfaChallenge } from '../complete-sign-in.ts';
import { sessionCookies } from '../cookies.ts';
import { issueToken } from '../one-time.ts';
import type { Device } from '../open-session.ts';
import type { SessionTokens } from '../token-signer.ts';
import type { OidcSecrets } from './oidc.ts';
import { createOpenid } from './openid.ts';
import { browserOf, CLEARED_STATE, createRoundTrips, STATE_COOKIE } from './round-trip.ts';
import { landingOf, type Person } from './rules.ts';
import type { OidcReturn, OpenidReturn } from './schemas.ts';
import { createSetup, type Newcomer, SETUP_SECONDS, type SetupDeps } from './setup.ts';

/** Where the browser goes next, and the cookies that it gets. */
export type Move = { url: string; cookies: readonly Cookie[] };
type Cookies = Readonly<Record<string, string | undefined>>;
type Arrival<Query> = { query: Query; cookies: Cookies; device: Device };

export type Identity = ReturnType<typeof createIdentity>;
type Deps = SetupDeps & { config: Config; log: Log; clock: Clock };

/** Signing in through identity providers. Accounts are found by (issuer, subject) and never by an e-mail, verified or not. */
export function createIdentity(needs: Deps) {
  const { db, config, signInCompletion, auth } = needs;
  const trips = createRoundTrips(needs);
  const load = async () => (await import('./oidc.ts')).createOidc(needs);
  let loading: ReturnType<typeof load> | undefined;
  /** With the first who comes this way: its library is not loaded by a start. */
  const getOidc = () => {
    loading ??= load();
    return loading;
  };
  const openid = createOpenid(needs);
  const segments = { oidc: config.IDP_A_SEGMENT, openid: config.IDP_B_SEGMENT };
  const landAt = (facts: Record<string, string | null>) => landingOf(config.SITE_URL, facts);

  /**
   * A session or the challenge of the second factor for who is known (401 for who is banned); for others the token of
   * setup-username.
   */
  const receive = async (
    person: Person,
    { segment, device, browser }: { segment: string; device: Device; browser: string },
  ): Promise<Move> => {
    auth.assertAllowed(device.ip);
    const user = await findByIdentity(db, person);
    // Whoever is new keeps the cookie: the invitation is good in this browser alone.
    if (!user)
      return { url: landAt(await invite(db, { ...person, provider: segment, browser })), cookies: [] };
    const answer = await signInCompletion.completeSignIn(user, device, segment);
    return { url: landAt(factsOf(answer)), cookies: [...sessionCookies(answer), CLEARED_STATE] };
  };

  return {
    /** The page of the front end that tells a browser what was refused. */
    refusedAt: (code: string): string => landAt({ error: code }),

    async startOidc(): Promise<Move> {
      const oidc = await getOidc();
      const provider = await oidc.client();
      const secrets = oidc.newSecrets();
      const { state, cookie } = await trips.begin(segments.oidc, secrets);
      return { url: await oidc.addressFor(provider, state, secrets), cookies: [cookie] };
    },

    async finishOidc({ query, cookies, device }: Arrival<z.output<typeof OidcReturn>>): Promise<Move> {
      const { state = '' } = query;
      const secrets = await trips.end<OidcSecrets>(segments.oidc, state, cookies[STATE_COOKIE]);
      const browser = browserOf(cookies[STATE_COOKIE]);
      const oidc = await getOidc();
      return receive(await oidc.person({ query, state, secrets }), {
        segment: segments.oidc,
        device,
        browser,
      });
    },

    async startOpenid(): Promise<Move> {
      openid.pinned();
      const { state, cookie } = await trips.begin(segments.openid, {});
      return { url: openid.addressFor(state), cookies: [cookie] };
    },

    async finishOpenid({ query, cookies, device }: Arrival<z.output<typeof OpenidReturn>>): Promise<Move> {
      const { state = '' } = query;
      await trips.end(segments.openid, state, cookies[STATE_COOKIE]);
      const browser = browserOf(cookies[STATE_COOKIE]);
      return receive(await openid.person({ query, state }), { segment: segments.openid, device, browser });
    },

    setupUsername: createSetup(needs),
  };
}

/** Whose identity this is; notes when it was last used, and its e-mail of today. */
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

/** The token with which a new user chooses a username; their e-mail goes along to fill in the form. */
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
  const { token, provider, state } = answer;
  return { mfaToken: token, provider, state };
}
