import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';
import { startElsewhere } from '../../../../../test/kit/processes/environments.ts';

const app = fixture(startApp);
/** This app ignores X-Forwarded-For and accepts the fixed captcha token. */
const local = fixture(() => startElsewhere(app, 'local', { env: { RATE_LIMIT_AUTH: '0' } }));

const SOLVED = { 'x-captcha-token': 'local-captcha' };
type From = { from?: string; headers?: Record<string, string> };
const signIn = (email: string, password: string, { from, headers }: From = {}) =>
  rawRequest(local.url, 'POST', '/auth/sign-in', {
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json', ...SOLVED, ...headers },
    ...(from ? { from } : {}),
  });
const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>) => `${status} ${body?.code}`;
const WRONG = '401 AUTH_INVALID_CREDENTIALS';
const LIMITED = '429 RATE_LIMITED';

async function registered(): Promise<ReturnType<typeof newcomer> & { device: string }> {
  const user = newcomer();
  const answer = await local.call('POST', '/auth/sign-up', { body: user, headers: SOLVED });
  expect(answer.status).toBe(200);
  return { ...user, device: deviceIn(answer.headers) };
}
const deviceIn = (headers: Headers) =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('device='))!
    .split(';')[0]!;
const hashes = async () => (await local.services.metrics.passwordHashes.get()).values[0]?.value ?? 0;
const failures = async (reason: string) =>
  (await local.services.metrics.signInFailures.get()).values.find((v) => v.labels.reason === reason)?.value ??
  0;

/** Counts the responses by kind. */
function tally(codes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

test('hashes only 3 of 1,000 guesses from one IP address, whatever forwarding headers the requests contain', async () => {
  const { email } = await registered();
  const before = await hashes();
  const forged = () => `203.${[...randomBytes(3)].join('.')}`;
  const codes = await inParallel(Array.from({ length: 1000 }), async () => {
    const headers = { 'x-forwarded-for': forged(), 'x-real-ip': forged(), forwarded: `for=${forged()}` };
    const answer = await signIn(email, randomBytes(6).toString('hex'), { headers });
    if (answer.status === 429) {
      const { retryAfterSeconds } = answer.body.details;
      expect(retryAfterSeconds).toBeGreaterThan(1700);
      expect(answer.headers.get('retry-after')).toBe(String(retryAfterSeconds));
    }
    return codeOf(answer);
  });
  expect(tally(codes)).toEqual({ [WRONG]: 3, [LIMITED]: 997 });
  expect((await hashes()) - before).toBe(3);
  expect(await failures('limited')).toBeGreaterThanOrEqual(997);
});

test('hashes only 3 guesses from 256 addresses of one network and only 10 from 60 networks', async () => {
  const [near, far] = [await registered(), await registered()];
  const before = await hashes();
  const neighbours = Array.from({ length: 256 }, (_, i) => `127.0.7.${i}`);
  const codes = await inParallel(neighbours, async (from) =>
    codeOf(await signIn(near.email, 'wrong', { from })),
  );
  expect(tally(codes)).toEqual({ [WRONG]: 3, [LIMITED]: 253 });
  const networks = Array.from({ length: 60 }, (_, i) => `127.1.${i}.1`);
  const others = await inParallel(networks, async (from) =>
    codeOf(await signIn(far.email, 'wrong', { from })),
  );
  expect(tally(others)).toEqual({ [WRONG]: 10, [LIMITED]: 50 });
  expect((await hashes()) - before).toBe(13);
});

test('lets the owner sign in only from a known device while others guess the password', async () => {
  const { email, password, device } = await registered();
  const guesses = Array.from({ length: 20 }, (_, i) => signIn(email, 'wrong', { from: `127.2.${i}.1` }));
  await Promise.all(guesses);
  expect(codeOf(await signIn(email, password))).toBe(LIMITED);
  const headers = { cookie: device };
  const answer = await signIn(email, password, { headers });
  expect(answer.status).toBe(201);
  // The owner's device has three separate attempts, whatever network it is in. The device cookie of another account has no effect.
  const stranger = await registered();
  expect(codeOf(await signIn(email, password, { headers: { cookie: stranger.device } }))).toBe(LIMITED);
  for (let i = 0; i < 3; i++)
    expect(codeOf(await signIn(email, 'wrong', { headers, from: `127.3.${i}.1` }))).toBe(WRONG);
  expect(codeOf(await signIn(email, password, { headers }))).toBe(LIMITED);
});

test('ignores device cookies that are forged, truncated or from before a password change', async () => {
  const { email, device } = await registered();
  const [, id, end, mac] = /^device=([\w-]+)\.(\d+)\.([\w-]+)$/.exec(device)!;
  await Promise.all(Array.from({ length: 11 }, (_, i) => signIn(email, 'wrong', { from: `127.4.${i}.1` })));
  for (const cookie of [
    `device=${id}.${Number(end) + 1}.${mac}`,
    `device=${randomBytes(12).toString('base64url')}.${end}.${mac}`,
    `device=${id}.${end}.${randomBytes(32).toString('base64url')}`,
    `device=${id}.${end}`,
    'device=',
    `device=${'~'.repeat(3000)}`,
  ])
    expect(codeOf(await signIn(email, 'wrong', { headers: { cookie } })), cookie).toBe(LIMITED);
  expect(codeOf(await signIn(email, 'wrong', { headers: { cookie: device } }))).toBe(WRONG);
  const password_hash = await local.services.signUps.hashPassword('a wholly new one', {});
  await app.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute();
  expect(codeOf(await signIn(email, 'wrong', { headers: { cookie: device } }))).toBe(LIMITED);
});

test('resets the number of attempts after a sign-in with the correct password', async () => {
  const { email, password, device } = await registered();
  for (const [rounds, headers] of [
    [3, {}],
    [6, { cookie: device }],
  ] as const)
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 2; i++) expect(codeOf(await signIn(email, 'wrong', { headers }))).toBe(WRONG);
      expect((await signIn(email.toUpperCase(), password, { headers })).status).toBe(201);
    }
});

test('applies the same limit whether or not the account exists', async () => {
  const known = await registered();
  const seen = [];
  for (const email of [known.email, newcomer().email]) {
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push(codeOf(await signIn(email, 'wrong', { from: '127.5.0.1' })));
    for (let i = 0; i < 10; i++)
      codes.push(codeOf(await signIn(email, 'wrong', { from: `127.5.${i + 1}.1` })));
    seen.push(codes.join());
  }
  expect(seen[0]).toBe(seen[1]);
  expect(tally(seen[0]!.split(','))).toEqual({ [WRONG]: 10, [LIMITED]: 5 });
});
