import * as client from 'openid-client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';
import { type OidcVisitor, signInAtOidc } from './visitor.ts';

const CALLBACK = 'http://127.0.0.1:45678/auth/google/callback';
const logged = vi.fn();
let sandbox: Sandbox;
let provider: client.Configuration;

beforeAll(async () => {
  for (const way of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, way).mockImplementation(logged);
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
  provider = await discover(sandbox.env.OIDC_CLIENT_SECRET!);
});
afterEach(() => behave('ok'));
afterAll(async () => {
  vi.restoreAllMocks();
  await sandbox.close();
});

const discover = (secret: string) =>
  client.discovery(new URL(sandbox.env.OIDC_ISSUER!), sandbox.env.OIDC_CLIENT_ID!, secret, undefined, {
    execute: [client.allowInsecureRequests],
  });

test("returns the user's claims through the code flow with PKCE and nonce", async () => {
  const who = { email: 'Player@One.example', emailVerified: true, name: 'Spieler Eins' };
  const tokens = await (await begin()).end(who);
  const claims = tokens.claims()!;
  expect(claims).toMatchObject({
    iss: `${sandbox.url}/oidc`,
    aud: 'croupier',
    email: 'Player@One.example',
    email_verified: true,
    name: 'Spieler Eins',
    locale: 'en',
  });
  expect(await client.fetchUserInfo(provider, tokens.access_token, claims.sub)).toMatchObject({
    sub: claims.sub,
    email: 'Player@One.example',
  });
});

test('derives the subject from the email, and lets each sign-in choose whether the email is verified', async () => {
  const first = (await (await begin()).end({ email: 'a@two.example' })).claims()!;
  const again = (await (await begin()).end({ email: 'A@two.example', emailVerified: false })).claims()!;
  const other = (await (await begin()).end({ email: 'b@two.example' })).claims()!;
  expect(again.sub).toBe(first.sub);
  expect(other.sub).not.toBe(first.sub);
  expect([first.email_verified, again.email_verified]).toEqual([true, false]);
  expect(first).not.toHaveProperty('name');
});

test('redirects with access_denied and the state when the user cancels', async () => {
  const { url, state } = await begin();
  const back = new URL(await signInAtOidc(url, { email: '', cancel: true }));
  expect(back.origin + back.pathname).toBe(CALLBACK);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state });
});

test('accepts a code only once, and only with its verifier and the client secret', async () => {
  const used = await begin();
  const back = await signInAtOidc(used.url, { email: 'c@three.example' });
  await used.exchange(back);
  await expect(used.exchange(back)).rejects.toMatchObject({ error: 'invalid_grant' });

  const other = await begin();
  const theirs = await signInAtOidc(other.url, { email: 'c@three.example' });
  await expect(other.exchange(theirs, { pkceCodeVerifier: 'x'.repeat(43) })).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const guessing = await discover('another secret');
  await expect(other.exchange(theirs, {}, guessing)).rejects.toMatchObject({ error: 'invalid_client' });
});

test.each([
  ['no PKCE', { code_challenge: '' }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
])('rejects %s', async (_, change) => {
  const back = new URL(await signInAtOidc((await begin(change)).url, { email: 'd@four.example' }));
  expect(back.searchParams.get('error')).toBe('invalid_request');
});

test.each([
  'http://127.0.0.1:3000/auth/google/callback?more=1',
  'http://127.0.0.1:3000/elsewhere',
  'http://player.example/auth/google/callback',
  'https://127.0.0.1/auth/google/callback',
  'http://127.0.0.1.player.example/auth/google/callback',
])('rejects a redirect to %s', async (redirect_uri) => {
  const answer = await fetch((await begin({ redirect_uri })).url, { redirect: 'manual' });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('invalid_redirect_uri');
});

test.each([
  ['issuer', 'iss'],
  ['audience', 'aud'],
  ['nonce', 'nonce'],
  ['expired', 'exp'],
])('signs an ID token with the fault "%s" when configured to', async (mode, claim) => {
  await behave(mode);
  await expect((await begin()).end({ email: 'e@five.example' })).rejects.toMatchObject({
    cause: { cause: { claim } },
  });
});

test('drops connections or issues a wrong signature when configured to', async () => {
  await behave('down');
  await expect(fetch(`${sandbox.url}/oidc/.well-known/openid-configuration`)).rejects.toThrow();
  await behave('signature');
  client.enableNonRepudiationChecks(provider);
  await expect((await begin()).end({ email: 'f@six.example' })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('signature') },
  });
  await behave('ok');
  await (await begin()).end({ email: 'f@six.example' });
});

test('accepts the form only from the browser that started the sign-in', async () => {
  const start = await fetch((await begin()).url, { redirect: 'manual' });
  const form = new URL(start.headers.get('location')!, sandbox.url);
  expect(form.pathname).toMatch(/^\/oidc\/interaction\//);
  const answer = await fetch(form);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('another browser');
});

test('writes no logs', () => expect(logged.mock.calls).toEqual([]));

/** Builds an authorisation request, and performs the platform's steps after the player has been redirected back. */
async function begin(change: Record<string, string> = {}) {
  const [verifier, state, nonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ];
  const url = client.buildAuthorizationUrl(provider, {
    redirect_uri: CALLBACK,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...change,
  });
  for (const [name, value] of Object.entries(change)) if (!value) url.searchParams.delete(name);
  const exchange = (back: string, checks: object = {}, as = provider) =>
    client.authorizationCodeGrant(as, new URL(back), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
      ...checks,
    });
  const end = async (who: OidcVisitor) => exchange(await signInAtOidc(url.href, who));
  return { url: url.href, state, exchange, end };
}

async function behave(mode: string): Promise<void> {
  const answer = await fetch(`${sandbox.url}/oidc/behaviour`, {
    method: 'POST',
    body: JSON.stringify({ mode }),
  });
  expect(answer.status).toBe(200);
}
