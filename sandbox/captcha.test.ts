import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

const SECRET = 'sandbox-captcha-secret';
let sandbox: Sandbox;
let base: string;

beforeAll(async () => {
  vi.stubEnv('CAPTCHA_SECRET', '');
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${sandbox.port}`;
});
afterEach(() => behave('ok'));
afterAll(async () => {
  vi.unstubAllEnvs();
  await sandbox.close();
});

test('accepts a token only once', async () => {
  const token = await solve();
  expect(await verify({ secret: SECRET, response: token, remoteip: '203.0.113.7' })).toEqual({
    success: true,
    challenge_ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    hostname: 'localhost',
    'error-codes': [],
  });
  expect(await verify({ secret: SECRET, response: token })).toEqual(refused('timeout-or-duplicate'));
});

test('issues a different token each time, and returns the action of a token when it is verified', async () => {
  const [first, second] = await Promise.all([solve(), solve({ action: 'sign-up' })]);
  expect(first).not.toBe(second);
  expect(await verify({ secret: SECRET, response: second! })).toMatchObject({
    success: true,
    action: 'sign-up',
  });
});

test('returns the error code of a rejected verification, and keeps the token valid', async () => {
  const token = await solve();
  expect(await verify({ secret: 'another', response: token })).toEqual(refused('invalid-input-secret'));
  expect(await verify({ response: token })).toEqual(refused('missing-input-secret'));
  expect(await verify({ secret: SECRET })).toEqual(refused('missing-input-response'));
  expect(await verify({})).toEqual(refused('missing-input-secret', 'missing-input-response'));
  expect(await verify({ secret: SECRET, response: 'invented' })).toEqual(refused('invalid-input-response'));
  const asJson = await post('/captcha/siteverify', JSON.stringify({ secret: SECRET, response: token }));
  expect(await asJson.json()).toEqual(refused('bad-request'));
  expect(await verify({ secret: SECRET, response: token })).toMatchObject({ success: true });
});

test('returns timeout-or-duplicate for an expired token', async () => {
  const token = await solve();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
  try {
    expect(await verify({ secret: SECRET, response: token })).toEqual(refused('timeout-or-duplicate'));
  } finally {
    vi.useRealTimers();
  }
});

test('fails or delays verification when configured to, but still issues tokens', async () => {
  await behave('down');
  const token = await solve();
  await expect(verify({ secret: SECRET, response: token })).rejects.toThrow();
  await behave('garbage');
  await expect(verify({ secret: SECRET, response: token })).rejects.toThrow(SyntaxError);
  await behave('slow');
  await expect(verify({ secret: SECRET, response: token }, 200)).rejects.toThrow(/timeout/);
  await behave('ok');
  expect((await post('/captcha/behaviour', '{"mode":"odd"}')).status).toBe(400);
});

test('lists every operation on the page at /, and returns 404 for unknown addresses', async () => {
  const page = await (await fetch(base)).text();
  for (const path of ['/captcha/token', '/captcha/siteverify', '/captcha/behaviour'])
    expect(page).toContain(path);
  expect(page).toContain('response=&#60;token&#62;');
  expect((await fetch(`${base}/nowhere`)).status).toBe(404);
  expect((await fetch(`${base}/captcha/token`)).status).toBe(405);
  expect((await post('/captcha/token', 'x'.repeat(1_100_000))).status).toBe(413);
  expect((await post('/captcha/token', '{"action":7}')).status).toBe(400);
});

const refused = (...codes: string[]) => ({ success: false, 'error-codes': codes });

const post = (path: string, body?: string) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });

async function solve(body?: object): Promise<string> {
  const answer = await post('/captcha/token', body && JSON.stringify(body));
  return ((await answer.json()) as { token: string }).token;
}

async function verify(form: Record<string, string>, timeoutMs = 4000): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const body = new URLSearchParams(form);
  const answer = await fetch(`${base}/captcha/siteverify`, { method: 'POST', body, signal });
  return answer.json();
}

async function behave(mode: string): Promise<void> {
  expect((await post('/captcha/behaviour', JSON.stringify({ mode }))).status).toBe(200);
}

test('serves a widget that gives the page a new token on each load', async () => {
  const tokens: string[] = [];
  const window: { turnstile?: { render: (place: object, how: object) => void } } = {};
  const document = { currentScript: { src: `${base}/captcha/widget.js` } };
  const load = async () => {
    const served = await fetch(`${base}/captcha/widget.js`);
    expect(served.headers.get('content-type')).toMatch(/^text\/javascript/);
    runInNewContext(await served.text(), { window, document });
  };
  await load();
  window.turnstile!.render({}, { callback: (token: string) => void tokens.push(token) });
  await load();
  expect(new Set(tokens).size).toBe(2);
  for (const response of tokens)
    expect(await verify({ secret: SECRET, response })).toMatchObject({ success: true });
});
