import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

let api = 'http://127.0.0.1:1111';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: () => api });
});
afterAll(() => sandbox.close());

const get = async (path: string) => (await fetch(sandbox.url + path)).text();

test.each([
  [
    '/site/',
    [
      'who',
      'me',
      'status',
      'error',
      'account',
      'guest',
      'request-verification',
      'sign-out',
      'sign-in-google',
      'sign-in-steam',
      'sign-in-passkey',
      'passkey-form',
      'passkey-name',
      'add-passkey',
      'passkeys',
      'recovery-codes',
      'email-form',
      'new-email',
      'email-password',
      'change-email',
      'sign-in-form',
      'sign-in-email',
      'sign-in-password',
      'sign-in',
      'sign-up-form',
      'sign-up-username',
      'sign-up-email',
      'sign-up-password',
      'sign-up',
      'forgot-form',
      'forgot-email',
      'forgot',
    ],
  ],
  [
    '/site/auth',
    [
      'status',
      'error',
      'setup-form',
      'setup-username',
      'setup-email',
      'setup',
      'mfa-form',
      'mfa-code',
      'verify-code',
      'use-passkey',
      'home',
    ],
  ],
  ['/site/verify-email', ['status', 'error', 'home']],
  ['/site/confirm-email', ['status', 'error', 'home']],
  ['/site/reset-password', ['status', 'error', 'reset-form', 'new-password', 'reset', 'home']],
])('%s contains every element that the browser and its script need, each exactly once', async (path, ids) => {
  const page = await get(path);
  const found = Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id!);
  expect(found).toHaveLength(ids.length);
  expect(new Set(found)).toEqual(new Set(ids));
  const imports = [...page.matchAll(/import \{([^}]+)\} from '\.\/(\w+\.js)'/g)];
  expect(imports.length).toBeGreaterThan(0);
  for (const [, names, file] of imports) {
    const script = await get(`/site/${file}`);
    for (const name of names!.split(','))
      expect(script).toMatch(new RegExp(`^export (const|function|async function) ${name.trim()}\\b`, 'm'));
  }
});

test('inserts the current API address into its pages', async () => {
  expect(await get('/site/')).toContain('<meta name="api" content="http://127.0.0.1:1111">');
  api = 'http://127.0.0.1:2222';
  expect(await get('/site/auth')).toContain('<meta name="api" content="http://127.0.0.1:2222">');
});

test('lists every setting on the index page, and serves the site without a trailing slash', async () => {
  const index = await get('/');
  for (const [name, value] of Object.entries(sandbox.env)) expect(index).toContain(`${name}=${value}`);
  expect(Object.keys(sandbox.env)).toEqual(
    expect.arrayContaining([
      'CAPTCHA_VERIFY_URL',
      'SMTP_URL',
      'OIDC_ISSUER',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OPENID_ENDPOINT',
      'OPENID_CLAIMED_ID',
      'SITE_URL',
      'BREACHED_PASSWORDS_URL',
    ]),
  );
  expect((await fetch(sandbox.env.SITE_URL!)).url).toBe(`${sandbox.url}/site/`);
});
