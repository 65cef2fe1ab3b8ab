import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forgetNonce, proveSetup, withNonce } from '../web/lobby/setup-nonce.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { aName, anEmail, comeBack, tokenOf } from './kit/games/providers.ts';
import { signInAtOidc, startOutside } from './kit/http/outside.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, TRUSTED_PROXIES: '127.0.0.1' } }));

/**
 * Signs in with the identity provider as the lobby does. Returns the token in the URL of the landing page. Only the callback receives the
 * cookie.
 */
async function returnFromProvider(email: string): Promise<string> {
  const start = await app.call('GET', withNonce('/auth/google'));
  const [cookie] = start.headers.getSetCookie();
  const address = await signInAtOidc(start.headers.get('location')!, { email });
  return tokenOf(await comeBack(app, address, { cookie: cookie!.split(';')[0]! }));
}

const setUp = (token: string, email: string) =>
  app.call('POST', `/auth/setup-username?${new URLSearchParams({ setupUsernameToken: token })}`, {
    body: { username: aName(), email },
  });

test('opens an account from the lobby when the browser sends no cookie', async () => {
  const email = anEmail();
  const token = await returnFromProvider(email);
  expect((await setUp(token, email)).body).toMatchObject({ code: 'SETUP_TOKEN_INVALID' });
  expect((await setUp(proveSetup(token), email)).status).toBe(201);
});

test('rejects a token from another tab, which has a different nonce', async () => {
  const email = anEmail();
  const token = await returnFromProvider(email);
  forgetNonce();
  expect(proveSetup(token)).toBe(token);
  withNonce('/auth/google');
  expect((await setUp(proveSetup(token), email)).body).toMatchObject({ code: 'SETUP_TOKEN_INVALID' });
});

test('keeps the same nonce in a tab until the account has been created', () => {
  const first = withNonce('/auth/google');
  expect(withNonce('/auth/steam').split('?')[1]).toBe(first.split('?')[1]);
  forgetNonce();
  expect(withNonce('/auth/google')).not.toBe(first);
});

test('sends the nonce from the lobby pages', () => {
  const page = (name: string) => readFileSync(`web/lobby/pages/${name}.tsx`, 'utf8');
  expect(page('providers')).toContain('href={withNonce(path)}');
  expect(page('landing')).toContain('setupUsernameToken: proveSetup(token)');
});
