import { createHash, createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportSPKI, generateKeyPair, type JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import {
  anEmail,
  comeBack,
  factsOf,
  type RogueOidc,
  setOut,
  startRogueOidc,
  type Trip,
  WAYS,
} from '../../../../../test/kit/games/providers.ts';
import { type Outside, signInAtOidc, startOutside } from '../../../../../test/kit/http/outside.ts';

const BROWSER = { accept: 'text/html' };
let outside: Outside;
let rogue: RogueOidc;
/** One service trusts the real provider, the other the rogue one. Both share the database. */
let app: TestApp;
let misled: TestApp;
beforeAll(async () => {
  [outside, rogue] = await Promise.all([startOutside(), startRogueOidc()]);
  app = await startApp({ env: outside.env });
  misled = await startApp({ env: { ...outside.env, OIDC_ISSUER: rogue.url }, database: app.database });
});
afterEach(() => outside.behave('oidc', 'ok'));
afterAll(async () => {
  await misled.stop();
  await app.stop();
  await Promise.all([outside.close(), rogue.close()]);
});

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
/** Counts the rows that a successful sign-in would add: sessions, identities, users and tokens. */
async function gains(): Promise<unknown> {
  const { rows } = await app.sql`select (select count(*)::int from sessions) as sessions,
    (select count(*)::int from identities) as identities, (select count(*)::int from users) as users,
    (select count(*)::int from one_time_tokens where purpose in ('SETUP_USERNAME', 'MFA')) as tokens`.execute(
    app.db,
  );
  return rows;
}
/** Runs `attempt`, and expects that all its requests are rejected with the same code and have no effect. */
async function expectRefused(code: string, attempt: () => Promise<Answer[]>): Promise<void> {
  const before = await gains();
  const answers = await attempt();
  expect(answers.length).toBeGreaterThan(0);
  for (const answer of answers) {
    expect(codeOf(answer)).toBe(code);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.headers.get('location')).toBeNull();
  }
  expect(await gains()).toEqual(before);
}

describe('the OIDC state', () => {
  test('rejects a state that is missing, invented, truncated, repeated or from another provider', async () => {
    const { url, cookie } = await setOut(app, 'google');
    const back = new URL(await signInAtOidc(url.href, { email: anEmail() }));
    const state = back.searchParams.get('state')!;
    const withState = (value: string | undefined) => {
      const changed = new URL(back);
      changed.searchParams.delete('state');
      if (value !== undefined) changed.searchParams.set('state', value);
      return comeBack(app, changed, { cookie });
    };
    const steam = await setOut(app, 'steam');
    const theirs = new URL(steam.url.searchParams.get('openid.return_to')!).searchParams.get('state')!;
    const wrong = [undefined, '', 'nothing', state.slice(0, -1), `${state}=`, state.toLowerCase(), theirs];
    await expectRefused('400 IDP_STATE_INVALID', () => Promise.all(wrong.map(withState)));
    const both = `${back.href}&state=${state}`;
    await expectRefused('400 VALIDATION_FAILED', async () => [await comeBack(app, both, { cookie })]);
    const elsewhere = new URL(back.href.replace('/google/callback', '/steam/return'));
    await expectRefused('400 IDP_STATE_INVALID', async () => [await comeBack(app, elsewhere, { cookie })]);
    expect((await comeBack(app, back, { cookie })).status).toBe(200);
  });

  test('rejects a state in another browser, but still accepts it in the original one', async () => {
    const { url, cookie } = await setOut(app, 'google');
    const other = await setOut(app, 'google');
    const back = await signInAtOidc(url.href, { email: anEmail() });
    const strangers = [
      '',
      '__Host-idp_state=',
      other.cookie,
      `${cookie}x`,
      cookie.slice(0, -1),
      cookie.replace('idp_', 'IDP_'),
    ];
    await expectRefused('400 IDP_STATE_INVALID', () =>
      Promise.all(strangers.map((theirs) => comeBack(app, back, theirs ? { cookie: theirs } : {}))),
    );
    expect(factsOf(await comeBack(app, back, { cookie }))).toHaveProperty('setupUsernameToken');
  });

  test('accepts a state only once when it is sent 10 times concurrently and once more afterwards', async () => {
    const { url, cookie } = await setOut(app, 'google');
    const back = await signInAtOidc(url.href, { email: anEmail() });
    const answers = await Promise.all(Array.from({ length: 10 }, () => comeBack(app, back, { cookie })));
    const codes = answers.map(codeOf).sort();
    expect(codes).toEqual(['200 undefined', ...Array(9).fill('400 IDP_STATE_INVALID')]);
    await expectRefused('400 IDP_STATE_INVALID', async () => [await comeBack(app, back, { cookie })]);
  });

  test('rejects an expired state', async () => {
    const { url, cookie } = await setOut(app, 'google');
    const back = await signInAtOidc(url.href, { email: anEmail() });
    await app.sql`update one_time_tokens set expires_at = now() - interval '1 second'
      where purpose = 'IDP_STATE' and used_at is null`.execute(app.db);
    await expectRefused('400 IDP_STATE_INVALID', async () => [await comeBack(app, back, { cookie })]);
  });

  test('accepts a state in every process with the same secrets, but in no other process', async () => {
    const second = await startApp({ env: outside.env, database: app.database });
    const other = { ...outside.env, DATA_SECRET: randomBytes(32).toString('hex') };
    const stranger = await startApp({ env: other, database: app.database });
    const { url, cookie } = await setOut(app, 'google');
    const back = await signInAtOidc(url.href, { email: anEmail() });
    await expectRefused('400 IDP_STATE_INVALID', async () => [await comeBack(stranger, back, { cookie })]);
    expect((await comeBack(second, back, { cookie })).status).toBe(200);
    await Promise.all([second.stop(), stranger.stop()]);
  });
});

describe('the authorization code', () => {
  test('requests an authorization code with PKCE (S256), state and nonce, each unique per request', async () => {
    const trips = await Promise.all([setOut(app, 'google'), setOut(app, 'google')]);
    for (const { url } of trips)
      expect(Object.fromEntries(url.searchParams)).toEqual({
        client_id: 'croupier',
        response_type: 'code',
        scope: 'openid email profile',
        redirect_uri: `${app.config.PUBLIC_API_URL}/auth/google/callback`,
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
    for (const field of ['code_challenge', 'state', 'nonce'])
      expect(trips[0]!.url.searchParams.get(field)).not.toBe(trips[1]!.url.searchParams.get(field));
  });

  test('rejects an authorization code that was stolen from another sign-in, because the verifier differs', async () => {
    const [attacker, victim] = [await setOut(app, 'google'), await setOut(app, 'google')];
    const stolen = new URL(await signInAtOidc(victim.url.href, { email: anEmail() }));
    const own = new URL(await signInAtOidc(attacker.url.href, { email: anEmail() }));
    own.searchParams.set('code', stolen.searchParams.get('code')!);
    await expectRefused('401 IDP_REFUSED', async () => [
      await comeBack(app, own, { cookie: attacker.cookie }),
    ]);
  });

  test('rejects an authorization code that is used twice, even with a fresh state', async () => {
    const first = await setOut(app, 'google');
    const back = new URL(await signInAtOidc(first.url.href, { email: anEmail() }));
    expect((await comeBack(app, back, { cookie: first.cookie })).status).toBe(200);
    const second = await setOut(app, 'google');
    back.searchParams.set('state', second.url.searchParams.get('state')!);
    await expectRefused('401 IDP_REFUSED', async () => [
      await comeBack(app, back, { cookie: second.cookie }),
    ]);
  });

  test('rejects a missing or invented authorization code, and altered callback parameters', async () => {
    const changes: ((back: URL) => void)[] = [
      (back) => back.searchParams.delete('code'),
      (back) => back.searchParams.set('code', 'made-up'),
      (back) => back.searchParams.set('iss', 'https://evil.example'),
      (back) => back.searchParams.set('iss', `${outside.env.OIDC_ISSUER}/`),
      (back) => back.searchParams.delete('iss'),
      (back) => back.searchParams.set('error', 'server_error'),
      (back) => back.searchParams.set('id_token', 'x.y.z'),
      (back) => back.searchParams.set('response', 'x.y.z'),
    ];
    for (const change of changes) {
      const { url, cookie } = await setOut(app, 'google');
      const back = new URL(await signInAtOidc(url.href, { email: anEmail() }));
      change(back);
      await expectRefused('401 IDP_REFUSED', async () => [await comeBack(app, back, { cookie })]);
    }
  });

  test('redirects a callback sent by POST to the GET route with the same parameters', async () => {
    for (const segment of ['google', 'steam'] as const) {
      const trip = await setOut(app, segment);
      const visit = segment === 'google' ? WAYS.google().visit : WAYS.steam().visit;
      const back = new URL(await visit(trip.url));
      const posted = await app.call('POST', back.pathname, {
        raw: back.search.slice(1),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example' },
      });
      expect(posted.status, posted.text).toBe(303);
      expect(posted.headers.getSetCookie()).toEqual([]);
      const next = new URL(posted.headers.get('location')!);
      expect([next.origin + next.pathname, Object.fromEntries(next.searchParams)]).toEqual([
        back.origin + back.pathname,
        Object.fromEntries(back.searchParams),
      ]);
      expect(factsOf(await comeBack(app, next, { cookie: trip.cookie }))).toHaveProperty(
        'setupUsernameToken',
      );
      const post = async (raw: string, type: string) =>
        (await app.call('POST', back.pathname, { raw, headers: { 'content-type': type } })).status;
      expect(await post('x'.repeat(6000), 'application/x-www-form-urlencoded')).toBe(413);
      expect(await post('{}', 'application/json')).toBe(415);
    }
  });

  test('ignores extra parameters that a provider adds', async () => {
    const { url, cookie } = await setOut(app, 'google');
    const back = new URL(await signInAtOidc(url.href, { email: anEmail() }));
    for (const extra of ['scope', 'authuser', 'hd', 'prompt', 'session_state'])
      back.searchParams.set(extra, 'x');
    expect((await comeBack(app, back, { cookie })).status).toBe(200);
  });
});

test.each(['issuer', 'audience', 'nonce', 'expired', 'signature'])(
  'rejects an ID token of the real provider with a wrong %s',
  async (mode) => {
    const { url, cookie } = await setOut(app, 'google');
    const back = await signInAtOidc(url.href, { email: anEmail() });
    await outside.behave('oidc', mode);
    await expectRefused('401 IDP_REFUSED', async () => [await comeBack(app, back, { cookie })]);
    await outside.behave('oidc', 'ok');
    const browser = await comeBack(app, back, { cookie, ...BROWSER });
    expect(browser.headers.get('location')).toBe(`${outside.env.SITE_URL}/auth#error=IDP_STATE_INVALID`);
  },
);

describe('a rogue OIDC provider', () => {
  const b64 = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const hmac = (claims: JWTPayload, secret: string | Buffer) => {
    const body = `${b64({ alg: 'HS256', kid: 'rogue' })}.${b64(claims)}`;
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  };
  const answerTo = (trip: Trip, changes: Record<string, string | undefined> = {}) => {
    const back = new URL(trip.url.searchParams.get('redirect_uri')!);
    const state = trip.url.searchParams.get('state')!;
    for (const [name, value] of Object.entries({ state, code: 'a-code', iss: rogue.url, ...changes }))
      if (value !== undefined) back.searchParams.set(name, value);
    return back;
  };
  /** Signs in at the rogue provider with the ID token that `make` creates from valid claims. */
  async function signInWith(
    make: (claims: JWTPayload) => Promise<string | undefined> | string,
    changes: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const trip = await setOut(misled, 'google');
    const claims = rogue.claimsFor(trip, `sub-${randomBytes(9).toString('hex')}`);
    rogue.token = async () => rogue.give(await make(claims));
    return comeBack(misled, answerTo(trip, changes), { cookie: trip.cookie });
  }

  test('accepts a token with valid claims (control for the other tests)', async () => {
    const answer = await signInWith((claims) => rogue.sign(claims));
    expect(factsOf(answer)).toEqual({ setupUsernameToken: expect.anything() });
    const other = await signInWith((claims) => rogue.sign({ ...claims, email: 'x', email_verified: true }));
    expect(factsOf(other)).toEqual({ setupUsernameToken: expect.anything() });
  });

  test('sends the provider the code verifier that matches its challenge, and the client secret only in the header', async () => {
    const trip = await setOut(misled, 'google');
    rogue.forms.length = 0;
    rogue.token = async () => rogue.give(await rogue.sign(rogue.claimsFor(trip, 'somebody')));
    expect((await comeBack(misled, answerTo(trip), { cookie: trip.cookie })).status).toBe(200);
    const form = Object.fromEntries(rogue.forms[0]!);
    expect(form).toEqual({
      grant_type: 'authorization_code',
      code: 'a-code',
      redirect_uri: trip.url.searchParams.get('redirect_uri'),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    const hash = createHash('sha256').update(form.code_verifier!).digest('base64url');
    expect(hash).toBe(trip.url.searchParams.get('code_challenge'));
    expect(rogue.authorizations.at(-1)).toMatch(/^Basic /);
  });

  const without = (name: string) => (claims: JWTPayload) => {
    const { [name]: _, ...rest } = claims;
    return rogue.sign(rest);
  };
  const withClaims = (changes: JWTPayload) => (claims: JWTPayload) => rogue.sign({ ...claims, ...changes });
  const past = Math.floor(Date.now() / 1000) - 600;
  test.each<[string, (claims: JWTPayload) => Promise<string | undefined> | string]>([
    ['a wrong iss', withClaims({ iss: 'https://accounts.example' })],
    ['an iss with an extra slash', (claims) => rogue.sign({ ...claims, iss: `${rogue.url}/` })],
    ['a wrong aud', withClaims({ aud: 'another-client' })],
    ['several aud and a foreign azp', withClaims({ aud: ['croupier', 'x'], azp: 'x' })],
    ['several aud that omit this client', withClaims({ aud: ['x', 'y'] })],
    ['a wrong nonce', withClaims({ nonce: 'another' })],
    ['a nonce of the wrong type', withClaims({ nonce: 7 })],
    ['an exp in the past', withClaims({ exp: past })],
    ['an nbf in the future', withClaims({ nbf: past + 3600 })],
    ['an empty sub', withClaims({ sub: '' })],
    ['a sub that is too long', withClaims({ sub: 'x'.repeat(256) })],
    ['a sub of the wrong type', withClaims({ sub: 7 as unknown as string })],
    ...['iss', 'aud', 'sub', 'nonce', 'iat', 'exp'].map(
      (claim): [string, (c: JWTPayload) => Promise<string>] => [`no ${claim}`, without(claim)],
    ),
    ['no ID token', async () => undefined],
    ['a malformed ID token', async () => 'abc'],
    ['alg none', (claims) => `${b64({ alg: 'none' })}.${b64(claims)}.`],
    ['alg none with a signature', (claims) => `${b64({ alg: 'none', kid: 'rogue' })}.${b64(claims)}.c2ln`],
    ['HS256 with the client secret', (claims) => hmac(claims, 'sandbox-oidc-secret')],
    ['HS256 with the public key', async (claims) => hmac(claims, await exportSPKI(rogue.publicKey))],
    [
      'a signature by another key',
      async (claims) => rogue.sign(claims, (await generateKeyPair('RS256')).privateKey),
    ],
    ['no signature', async (claims) => (await rogue.sign(claims)).replace(/[^.]+$/, '')],
    [
      'altered claims',
      async (claims) => (await rogue.sign(claims)).replace(/\.[^.]+\./, `.${b64({ ...claims, sub: 'x' })}.`),
    ],
  ])('is rejected with %s', async (_, make) => {
    await expectRefused('401 IDP_REFUSED', async () => [await signInWith(make)]);
  });

  test('rejects a callback that has no iss or names another issuer (mix-up attack)', async () => {
    for (const iss of [undefined, outside.env.OIDC_ISSUER!, ''])
      await expectRefused('401 IDP_REFUSED', async () => [await signInWith((c) => rogue.sign(c), { iss })]);
  });

  test("rejects a token with alg none, even if the provider's metadata lists it", async () => {
    rogue.metadata = { id_token_signing_alg_values_supported: ['none', 'HS256'] };
    const late = await startApp({ env: { ...outside.env, OIDC_ISSUER: rogue.url }, database: app.database });
    const trip = await setOut(late, 'google');
    rogue.metadata = {};
    const claims = rogue.claimsFor(trip, 'somebody');
    rogue.token = async () => rogue.give(`${b64({ alg: 'none' })}.${b64(claims)}.`);
    await expectRefused('401 IDP_REFUSED', async () => [
      await comeBack(late, answerTo(trip), { cookie: trip.cookie }),
    ]);
    await late.stop();
  });

  test('reports a provider as unavailable when its metadata names another issuer or lacks a valid authorization endpoint', async () => {
    for (const metadata of [
      { issuer: 'https://accounts.example' },
      { issuer: undefined },
      { authorization_endpoint: undefined },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      rogue.metadata = metadata;
      const late = await startApp({
        env: { ...outside.env, OIDC_ISSUER: rogue.url },
        database: app.database,
      });
      await expectRefused('503 IDP_UNAVAILABLE', async () => [await late.call('GET', '/auth/google')]);
      await late.stop();
    }
    rogue.metadata = {};
  });

  test('reports a provider as unavailable when its token endpoint redirects, fails, sends too much or takes over four seconds', async () => {
    const elsewhere = `${outside.url}/oidc/.well-known/openid-configuration`;
    const answers: (typeof rogue)['token'][] = [
      async () => ({ status: 302, headers: { location: elsewhere }, body: '' }),
      async () => ({ status: 307, headers: { location: elsewhere }, body: '' }),
      async () => ({ status: 500, body: {} }),
      async () => ({ status: 503, body: { error: 'temporarily_unavailable' } }),
      async () => ({ body: '<html>' }),
      async () => ({ body: { id_token: 'x'.repeat(1024 * 1024) } }),
      async () => {
        await sleep(6000, undefined, { ref: false });
        return { body: {} };
      },
    ];
    for (const token of answers) {
      const trip = await setOut(misled, 'google');
      rogue.token = token;
      const begun = Date.now();
      await expectRefused('503 IDP_UNAVAILABLE', async () => [
        await comeBack(misled, answerTo(trip), { cookie: trip.cookie }),
      ]);
      expect(Date.now() - begun).toBeLessThan(5500);
    }
  }, 240_000);
});

test('treats the same subject at another provider as a different identity', async () => {
  const sub = randomBytes(9).toString('hex');
  const user = await app.newPlayer();
  const identity = { issuer: 'https://accounts.example', subject: sub, user_id: user.id, email: null };
  await app.db.insertInto('identities').values(identity).execute();
  const trip = await setOut(misled, 'google');
  rogue.token = async () => rogue.give(await rogue.sign(rogue.claimsFor(trip, sub)));
  const back = new URL(trip.url.searchParams.get('redirect_uri')!);
  back.search = `${new URLSearchParams({ state: trip.url.searchParams.get('state')!, code: 'c', iss: rogue.url })}`;
  const answer = await comeBack(misled, back, { cookie: trip.cookie });
  expect(Object.keys(factsOf(answer))).toEqual(['setupUsernameToken']);
});
