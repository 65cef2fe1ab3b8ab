import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { route } from '../src/http/route.ts';
import { type Player, startApp, type TestApp } from './kit/app.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { type RawAnswer, rawRequest } from './kit/http/raw-http.ts';
import { inParallel } from './kit/http/requests.ts';

const LIMITS = { auth: 5, money: 6, read: 8, public: 7, file: 3, upload: 4, apikey: 9 };
const ENV = {
  RATE_LIMIT_AUTH: String(LIMITS.auth),
  RATE_LIMIT_MONEY: String(LIMITS.money),
  RATE_LIMIT_READ: String(LIMITS.read),
  RATE_LIMIT_PUBLIC: String(LIMITS.public),
  RATE_LIMIT_FILE: String(LIMITS.file),
  RATE_LIMIT_UPLOAD: String(LIMITS.upload),
  RATE_LIMIT_APIKEY: String(LIMITS.apikey),
};
/** Routes for each rate limit class, because the operations may not include one for every class. */
const extraRoutes = [
  route({
    method: 'POST',
    path: '/test/upload',
    tag: 'Test',
    access: 'auth',
    gate: 'none',
    summary: 'For the test',
    multipart: 'image',
    handler: () => undefined,
  }),
  route({
    method: 'GET',
    path: '/test/partner',
    tag: 'Test',
    access: 'apikey',
    summary: 'For the test',
    handler: () => undefined,
  }),
];
const MINUTE_MS = 60_000;

let open: TestApp;
let app: TestApp;
let behindProxy: TestApp;
/** The clock stays at one second after the start of a minute, so that no test reaches the next minute by chance. */
let now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + 1000;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  open = await startApp();
  app = await startApp({ database: open.database, env: ENV, extraRoutes });
  behindProxy = await startApp({
    database: open.database,
    env: { ...ENV, TRUSTED_PROXIES: '127.0.0.9, 127.1.0.0/16' },
  });
});
/** Each test runs in a different minute. */
beforeEach(() => {
  now += MINUTE_MS;
  vi.setSystemTime(now);
});
/** The service may log that the clock of these tests is wrong, but nothing else. */
afterEach(() =>
  expect(app.lines.filter((line) => !line.includes("this machine's clock is wrong"))).toEqual([]),
);
afterAll(async () => {
  await behindProxy.stop();
  await app.stop();
  await open.stop();
  vi.useRealTimers();
});

const CURRENCY = { currencyId: 'USDT', amount: '1' };
type Call = (from?: string, headers?: Record<string, string>) => Promise<RawAnswer>;
const get =
  (path: string, { url }: TestApp = app): Call =>
  (from, headers = {}) =>
    rawRequest(url, 'GET', path, { headers, ...(from ? { from } : {}) });
const as = (player: Player) => ({ authorization: `Bearer ${player.token}` });
const toVault = (player: Player) => () =>
  rawRequest(app.url, 'POST', '/accounting/to-vault', {
    headers: { ...as(player), 'content-type': 'application/json' },
    body: JSON.stringify(CURRENCY),
  });
const refresh: Call = (from) =>
  rawRequest(app.url, 'POST', '/auth/refresh', {
    headers: { 'refresh-token': 'x' },
    ...(from ? { from } : {}),
  });
const times = (n: number, call: () => Promise<RawAnswer>) => inParallel(Array.from({ length: n }), call);
const passed = (answers: RawAnswer[]) => answers.filter(({ status }) => status !== 429).length;

test('allows exactly the configured number of requests of each class when twice as many are sent', async () => {
  const player = await open.newPlayer({ usdt: 100 });
  const classes = {
    auth: () => refresh(),
    money: toVault(player),
    read: () => get('/user/me')(undefined, as(player)),
    public: () => get('/currency')(),
    file: () => get('/art/tile-dice.svg')(),
    upload: () => rawRequest(app.url, 'POST', '/test/upload', { headers: as(player) }),
    apikey: await partner(player),
  };
  for (const [name, call] of Object.entries(classes)) {
    const limit = LIMITS[name as keyof typeof LIMITS];
    const answers = await times(limit * 2, call);
    expect(passed(answers), name).toBe(limit);
    for (const { status, headers, body } of answers.filter((a) => a.status === 429)) {
      expect({ status, code: body.code }).toEqual({ status: 429, code: 'RATE_LIMITED' });
      expect(headers.get('retry-after')).toBe('59');
      expect(body.details).toEqual({ retryAfterSeconds: 59 });
    }
  }
});

/** Returns a function that calls a partner operation with a user's API key. */
async function partner({ id }: Player): Promise<() => Promise<RawAnswer>> {
  const key = randomBytes(20).toString('hex');
  const hash = createHash('sha256').update(key).digest();
  await open.db
    .insertInto('api_keys')
    .values({ id: randomUUID(), user_id: id, prefix: key.slice(0, 4), hash })
    .execute();
  return () => get('/test/partner')(undefined, { 'x-api-key': key });
}

test('returns 429 to repeatedly rejected callers, whatever identity they claim', async () => {
  const player = await open.newPlayer();
  const refusals = {
    '401 without a session': () => get('/user/me')('127.0.0.5'),
    '401 with made-up tokens': () =>
      get('/user/me')('127.0.0.6', { authorization: `Bearer ${Math.random()}` }),
    '403 of a player at a door for staff': () => get('/admin/country/stats')('127.0.0.7', as(player)),
    '401 with made-up API keys': () => get('/test/partner')('127.0.0.8', { 'x-api-key': `${Math.random()}` }),
  };
  for (const [name, call] of Object.entries(refusals)) {
    const answers = await times(LIMITS.public * 2, call);
    expect(passed(answers), name).toBe(LIMITS.public);
    expect(new Set(answers.map((a) => a.status)), name).toEqual(new Set([Number(name.slice(0, 3)), 429]));
  }
  const counted = await open.db
    .selectFrom('refused_calls')
    .select(['status_code', 'calls'])
    .where('user_id', '=', player.id)
    .execute();
  expect(new Set(counted.map((row) => row.status_code))).toEqual(new Set([403]));
  expect(counted.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(LIMITS.public);
});

test('skips lookups for an address that was rejected too often, but serves its known sessions', async () => {
  const from = '127.0.0.11';
  const [known, unseen] = [await open.newPlayer(), await open.newPlayer()];
  const me = (token: string, at = from) => get('/user/me')(at, { authorization: `Bearer ${token}` });
  const mfaToken = () => `mfa_${randomBytes(32).toString('base64url')}`;
  expect((await me(known.token)).status).toBe(200);
  //  Requests beyond their address's public limit do not count towards other limits, so other users with the same address can sign in.
  await times(LIMITS.public * 2, () => get('/currency')(from));
  expect((await me(mfaToken())).status).toBe(401);
  await times(LIMITS.public, () => me(mfaToken()));
  const asked = vi.spyOn(app.services.db, 'selectFrom');
  try {
    const refused = [
      ...(await times(5, () => me(mfaToken()))),
      ...(await times(5, () => get('/test/partner')(from, { 'x-api-key': randomBytes(20).toString('hex') }))),
      await me(unseen.token),
    ];
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['429 RATE_LIMITED']),
    );
    expect(refused[0]!.headers.get('retry-after')).toBe('59');
    expect(asked.mock.calls).toEqual([]);
    expect((await me(known.token)).status).toBe(200);
    expect((await me(unseen.token, '127.0.0.12')).status).toBe(200);
    expect(asked).toHaveBeenCalled();
  } finally {
    asked.mockRestore();
  }
});

test('allows requests again after Retry-After', async () => {
  await times(LIMITS.public, get('/currency'));
  vi.setSystemTime(now + 41_500);
  const refused = await get('/currency')();
  expect(refused.headers.get('retry-after')).toBe('18');
  vi.setSystemTime(now + 58_999);
  expect((await get('/currency')()).status).toBe(429);
  now += MINUTE_MS;
  vi.setSystemTime(now - 1000);
  expect(passed(await times(LIMITS.public * 2, get('/currency')))).toBe(LIMITS.public);
});

test('changes nothing and does not extend the wait when requests are rejected', async () => {
  const player = await open.newPlayer({ usdt: 100 });
  await times(LIMITS.money, toVault(player));
  await times(LIMITS.auth, refresh);
  await settle();
  const before = await fingerprint(open.db);
  const refused = [...(await times(30, toVault(player))), ...(await times(30, refresh))];
  await settle();
  expect(passed(refused)).toBe(0);
  expect(await fingerprint(open.db)).toEqual(before);
  now += MINUTE_MS;
  vi.setSystemTime(now);
  expect((await toVault(player)()).status).toBe(201);
});

test('limits a player across addresses without affecting other players', async () => {
  const [one, other] = [await open.newPlayer(), await open.newPlayer()];
  const me = get('/user/me');
  await times(LIMITS.read, () => me('127.0.0.2', as(one)));
  expect((await me('127.0.0.3', as(one))).status).toBe(429);
  expect((await me('127.0.0.2', as(other))).status).toBe(200);
  expect((await get('/currency')('127.0.0.2')).status).toBe(200);
});

test('counts requests without a session by address, including sign-ins with different names', async () => {
  await times(LIMITS.auth, () => refresh('127.0.0.2'));
  expect((await refresh('127.0.0.2')).status).toBe(429);
  expect((await refresh('127.0.0.3')).status).toBe(401);
  const signIn = (from: string) =>
    rawRequest(app.url, 'POST', '/auth/sign-in', {
      from,
      headers: { 'content-type': 'application/json' },
      body: '{"email":"a@b.example","password":"x"}',
    });
  expect((await signIn('127.0.0.2')).status).toBe(429);
  expect((await signIn('127.0.0.3')).status).toBe(400);
});

const forwarded = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') });

test('ignores X-Forwarded-For, Forwarded and similar headers by default', async () => {
  const forge = (i: number) => ({
    ...forwarded(`203.0.113.${i}`),
    'x-real-ip': `203.0.113.${i}`,
    forwarded: `for=203.0.113.${i}`,
    'cf-connecting-ip': `203.0.113.${i}`,
    'true-client-ip': `203.0.113.${i}`,
  });
  const answers = await inParallel(
    Array.from({ length: 20 }, (_, i) => i),
    (i) => get('/currency')('127.0.0.2', forge(i)),
  );
  expect(passed(answers)).toBe(LIMITS.public);
});

test('trusts X-Forwarded-For only from TRUSTED_PROXIES, and only the entries that these proxies added', async () => {
  const currency = get('/currency', behindProxy);
  // The X-Forwarded-For header is ignored if it comes from any other address.
  const forged = await inParallel(
    Array.from({ length: 20 }, (_, i) => i),
    (i) => currency('127.0.0.8', forwarded(`203.0.113.${i}`)),
  );
  expect(passed(forged)).toBe(LIMITS.public);
  // Behind the proxy, each client has its own count, regardless of the addresses that it sends in the header.
  for (const client of ['198.51.100.1', '198.51.100.2']) {
    const answers = await inParallel(
      Array.from({ length: 20 }, (_, i) => i),
      (i) => currency('127.0.0.9', forwarded(`203.0.113.${i}`, client)),
    );
    expect(passed(answers), client).toBe(LIMITS.public);
  }
  // With two trusted proxies in a row, the last address that is not a proxy is used.
  expect((await currency('127.0.0.9', forwarded('198.51.100.1', '127.1.2.3'))).status).toBe(429);
  expect((await currency('127.1.2.3', forwarded('198.51.100.3'))).status).toBe(200);
});

/** Waits longer than the 250 ms interval at which processes share their counts. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 400));

test('enforces one limit across two processes to within 10 %, even during a burst', async () => {
  const limit = 100;
  const env = { ...ENV, RATE_LIMIT_PUBLIC: String(limit) };
  const pair = [
    await startApp({ database: open.database, env }),
    await startApp({ database: open.database, env }),
  ];
  const answers: RawAnswer[] = [];
  for (let i = 0; i < limit * 2; i++) answers.push(await get('/currency', pair[i % 2]!)('127.0.0.4'));
  expect(passed(answers)).toBeGreaterThanOrEqual(limit * 0.9);
  expect(passed(answers)).toBeLessThanOrEqual(limit * 1.1);
  // A new process soon receives the counts of the others.
  const late = await startApp({ database: open.database, env });
  await get('/currency', late)('127.0.0.4');
  await settle();
  expect((await get('/currency', late)('127.0.0.4')).status).toBe(429);
  for (const one of [...pair, late]) await one.stop();
});
