import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';
import { signInAtOpenid } from './visitor.ts';

const NS = 'http://specs.openid.net/auth/2.0';
const RETURN_TO = 'http://127.0.0.1:45678/auth/steam/return?state=abc';
const ACCOUNT = '76561198000000042';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
});
afterEach(() => behave('ok'));
afterAll(() => sandbox.close());

test('signs every required field of a positive assertion, and accepts the assertion only once', async () => {
  const assertion = await signIn();
  expect(Object.fromEntries(assertion)).toMatchObject({
    'openid.ns': NS,
    'openid.mode': 'id_res',
    'openid.op_endpoint': `${sandbox.url}/openid/login`,
    'openid.claimed_id': `${sandbox.url}/openid/id/${ACCOUNT}`,
    'openid.identity': `${sandbox.url}/openid/id/${ACCOUNT}`,
    'openid.return_to': RETURN_TO,
    'openid.response_nonce': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ.{8,}$/),
  });
  const signed = assertion.get('openid.signed')!.split(',');
  for (const name of ['op_endpoint', 'return_to', 'response_nonce', 'assoc_handle', 'claimed_id', 'identity'])
    expect(signed).toContain(name);
  expect(await verify(assertion)).toBe(`ns:${NS}\nis_valid:true\n`);
  expect(await verify(assertion), 'replayed').toBe(`ns:${NS}\nis_valid:false\n`);
});

test.each([
  ['claimed_id', 'http://127.0.0.1:1/openid/id/76561198000000043'],
  ['identity', 'http://127.0.0.1:1/openid/id/76561198000000043'],
  ['return_to', 'http://127.0.0.1:1/'],
  ['op_endpoint', 'http://127.0.0.1:1/openid/login'],
  ['response_nonce', '2026-01-01T00:00:00Zabcdefgh'],
  ['assoc_handle', 'another'],
  ['signed', 'claimed_id'],
  ['sig', 'AAAA'],
])('rejects an altered or missing %s, and still accepts the original assertion', async (name, value) => {
  const assertion = await signIn();
  const altered = new URLSearchParams(assertion);
  altered.set(`openid.${name}`, value);
  expect(await verify(altered)).toContain('is_valid:false');
  altered.delete(`openid.${name}`);
  expect(await verify(altered)).toContain('is_valid:false');
  altered.append(`openid.${name}`, assertion.get(`openid.${name}`)!);
  altered.append(`openid.${name}`, value);
  expect(await verify(altered), 'twice').toContain('is_valid:false');
  expect(await verify(assertion)).toContain('is_valid:true');
});

test('rejects an old assertion', async () => {
  const assertion = await signIn();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
  try {
    expect(await verify(assertion)).toContain('is_valid:false');
  } finally {
    vi.useRealTimers();
  }
});

test('redirects without an assertion when the user cancels', async () => {
  const back = new URL(await signInAtOpenid(loginUrl(), { cancel: true }));
  expect(Object.fromEntries(back.searchParams)).toEqual({
    'openid.ns': NS,
    'openid.mode': 'cancel',
    state: 'abc',
  });
});

test('requires an account id of 17 digits', async () => {
  await expect(signInAtOpenid(loginUrl(), { accountId: '1234' })).rejects.toThrow(/17 digits/);
});

test.each([
  ['openid.return_to', 'http://player.example/auth/steam/return'],
  ['openid.return_to', 'https://127.0.0.1/auth/steam/return'],
  ['openid.realm', 'http://127.0.0.1:1/'],
  ['openid.realm', 'http://127.0.0.1:45678/other'],
  ['openid.ns', 'http://openid.net/signon/1.0'],
  ['openid.identity', 'http://127.0.0.1/somebody'],
  ['openid.mode', 'checkid_immediate'],
])('rejects %s = %s with an error page', async (name, value) => {
  const answer = await fetch(loginUrl({ [name]: value }), { redirect: 'manual' });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(name);
});

test('completes a sign-in with a relying party from the npm registry, and rejects a replay', async () => {
  const { RelyingParty } = createRequire(import.meta.url)('openid');
  const returnTo = 'http://127.0.0.1:45678/auth/steam/return';
  const party = new RelyingParty(returnTo, 'http://127.0.0.1:45678/', true, true, []);
  const url = await called<string>((done) => party.authenticate(`${sandbox.url}/openid`, false, done));
  const back = await signInAtOpenid(url, { accountId: ACCOUNT });
  expect(await called((done) => party.verifyAssertion(back, done))).toMatchObject({
    authenticated: true,
    claimedIdentifier: `${sandbox.url}/openid/id/${ACCOUNT}`,
  });
  await expect(called((done) => party.verifyAssertion(back, done))).rejects.toBeDefined();
});

test("drops only the platform's connections when configured to", async () => {
  const assertion = await signIn();
  await behave('down');
  await expect(verify(assertion)).rejects.toThrow();
  await behave('ok');
  expect(await verify(assertion)).toContain('is_valid:true');
});

test('rejects associations', async () => {
  const answer = await verify(
    new URLSearchParams({ 'openid.ns': NS, 'openid.mode': 'associate' }),
    'associate',
  );
  expect(answer).toContain('error_code:unsupported-type');
});

function loginUrl(change: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    'openid.ns': NS,
    'openid.mode': 'checkid_setup',
    'openid.claimed_id': `${NS}/identifier_select`,
    'openid.identity': `${NS}/identifier_select`,
    'openid.return_to': RETURN_TO,
    'openid.realm': 'http://127.0.0.1:45678/',
    ...change,
  });
  return `${sandbox.env.OPENID_ENDPOINT}?${query}`;
}

const signIn = async () => new URL(await signInAtOpenid(loginUrl(), { accountId: ACCOUNT })).searchParams;

/** Verifies an assertion as the platform does, by sending the whole assertion with another mode. */
async function verify(assertion: URLSearchParams, mode = 'check_authentication'): Promise<string> {
  const body = new URLSearchParams([...assertion].filter(([name]) => name.startsWith('openid.')));
  body.set('openid.mode', mode);
  return (await fetch(sandbox.env.OPENID_ENDPOINT!, { method: 'POST', body })).text();
}

const called = <T>(ask: (done: (error: unknown, result: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => ask((error, result) => (error ? reject(error) : resolve(result))));

async function behave(mode: string): Promise<void> {
  const answer = await fetch(`${sandbox.url}/openid/behaviour`, {
    method: 'POST',
    body: JSON.stringify({ mode }),
  });
  expect(answer.status).toBe(200);
}
